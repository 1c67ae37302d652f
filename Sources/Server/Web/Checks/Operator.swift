internal import Authority
internal import HTTPTypes
internal import KeyturnBase

/// A request from this machine, or with a management key.
struct Operator: Sendable {
    fileprivate init() {}
}

extension Demand {
    /// Other callers get 404, as if the address did not exist.
    fileprivate static let `operator` = Demand(.operator, .error(404, "invalid_request"))
    /// What is for development is switched on by the operator, who should hear why it is not shown.
    fileprivate static let developer = Demand(.operator, .error(403, "invalid_request"))
    fileprivate static let developerOnPage = Demand(.operator, .page(403, forDevelopers))
    fileprivate static let forDevelopers =
        "this is shown only to the machine that the server runs on, at localhost or a loopback address and not "
        + "through a proxy"
}

extension Checks {
    var `operator`: Check<Operator> {
        Check(.operator) { request, context in
            guard isOperator(request, context) else {
                throw Unreadable(status: .notFound, detail: "there is nothing at this address")
            }
            return Operator()
        }
    }

    /// For what development servers show. A page of another site may have had its name resolve to this machine, and
    /// must not read it: ``ClientAddress/isLocal(_:_:)``.
    var developer: Check<Operator> { Check(.developer, run: developing) }

    /// The same, for pages.
    var developerOnPage: Check<Operator> { Check(.developerOnPage, run: developing) }

    @Sendable private func developing(_ request: Request, _ context: WebContext) async throws -> Operator {
        guard isOperator(request, context) else {
            throw Unreadable(status: .forbidden, detail: Demand.forDevelopers)
        }
        return Operator()
    }

    private func isOperator(_ request: Request, _ context: WebContext) -> Bool {
        addresses.isLocal(request, context) || hasManagementKey(request)
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
