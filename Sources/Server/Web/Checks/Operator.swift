internal import HTTPTypes
internal import KeyturnBase

/// A request from this machine, or with a management key.
struct Operator: Sendable {
    fileprivate init() {}
}

extension Demand {
    /// Other callers get 404, as if the address did not exist.
    fileprivate static let `operator` = Demand(.operator, .error(404, "invalid_request"))
}

extension Checks {
    var `operator`: Check<Operator> {
        Check(.operator) { request, context in
            guard addresses.isLocal(request, context) || hasManagementKey(request) else {
                throw Unreadable(status: .notFound, detail: "there is nothing at this address")
            }
            return Operator()
        }
    }

    private func hasManagementKey(_ request: Request) -> Bool {
        guard let header = request.headers[.authorization], header.lowercased().hasPrefix("bearer ") else {
            return false
        }
        return isManagementKey(Secret(String(header.dropFirst(7))))
    }

    /// Compares with every key, so that the time does not tell which one matches.
    func isManagementKey(_ shown: Secret) -> Bool {
        managementKeys.reduce(false) { found, key in (key == shown) || found }
    }
}
