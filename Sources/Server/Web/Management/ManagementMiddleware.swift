internal import Authority
internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// A request of the management interface, from the holder of a key or from an operator.
struct ManagementRequest: Sendable {
    private let request: MethodRequest
    fileprivate let caller: ManagementCaller

    fileprivate init(_ request: MethodRequest, _ caller: ManagementCaller) {
        self.request = request
        self.caller = caller
    }

    var body: MethodBody { request.body }
    /// See ``MethodRequest/elements``.
    var elements: [JSONValue] { request.elements }
    var query: FormParameters { request.query }
    var address: NetworkAddress? { request.address }
    /// Who asks, for the rules and for audit events.
    var actor: Actor { caller.actor }

    /// One parameter of the query.
    func parameter(_ name: String) -> String? {
        query.all.first { $0.name == name && !$0.value.isEmpty }?.value
    }
}

/// What all routes of the management interface share: a key of the project, compared in constant time, or where the row
/// says so an operator's access token.
struct ManagementMiddleware: Sendable {
    let frame: DescopeMiddleware

    var services: IdentityServices { frame.services }

    /// - Parameter act: what an operator does who calls the row with a token of their own, which names the role and how
    ///   recent the sign-in must be; of several acts, the one that demands least. `nil`: the row takes keys alone.
    func route(
        _ method: HTTPRequest.Method, _ path: String, takesList: Bool = false, for act: Act? = nil,
        run: @escaping @Sendable (ManagementRequest) async throws -> JSONValue
    ) -> Route {
        // Searches and lists read many rows.
        frame.route(method, path, check(takesList: takesList, for: act), sharing: .none) { request in
            try await awayFromEventLoop {
                do {
                    return try await AuditOrigin.$address.withValue(request.address?.text) { try await run(request) }
                } catch let denial as Denial {
                    throw frame.checks.refusal(denial, to: request.caller)
                }
            }
        }
    }

    private func check(takesList: Bool, for act: Act?) -> Check<ManagementRequest> {
        let checks = frame.checks
        let bytesMax = Limits.managementBodyBytesMax
        guard let act else {
            return frame.project(bodyBytesMax: bytesMax, takesList: takesList).then(.managementKey) { request, _, _ in
                ManagementRequest(request, try checks.managementKey(request.bearer))
            }
        }
        let opened = frame.project(
            bodyBytesMax: bytesMax, takesList: takesList, bearer: { try checks.projectOrAccessToken($0) })
        return opened.then(.managementCaller) { request, raw, _ in
            guard let shown = request.bearer.accessToken else {
                return ManagementRequest(request, try checks.managementKey(request.bearer))
            }
            return ManagementRequest(request, try await checks.managingOperator(shown, raw, act))
        }
    }
}
