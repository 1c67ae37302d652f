internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// A request of the management interface with a valid key.
struct ManagementRequest: Sendable {
    private let request: MethodRequest
    private let key: ManagementKeyHolder

    fileprivate init(_ request: MethodRequest, _ key: ManagementKeyHolder) {
        self.request = request
        self.key = key
    }

    var body: MethodBody { request.body }
    /// See ``MethodRequest/elements``.
    var elements: [JSONValue] { request.elements }
    var query: FormParameters { request.query }
    var address: NetworkAddress? { request.address }
    /// The key's owner, as audit events name it.
    var actor: String { key.actor }

    /// One parameter of the query.
    func parameter(_ name: String) -> String? {
        query.all.first { $0.name == name && !$0.value.isEmpty }?.value
    }
}

/// What all routes of the management interface share: a key of the project, compared in constant time.
struct ManagementMiddleware: Sendable {
    let frame: DescopeMiddleware

    var services: IdentityServices { frame.services }

    func route(
        _ method: HTTPRequest.Method, _ path: String, takesList: Bool = false,
        run: @escaping @Sendable (ManagementRequest) async throws -> JSONValue
    ) -> Route {
        let check = frame.project(bodyBytesMax: Limits.managementBodyBytesMax, takesList: takesList)
            .then(.managementKey) { request, _, _ in
                ManagementRequest(request, try frame.checks.managementKey(request.bearer))
            }
        // Searches and lists read many rows.
        return frame.route(method, path, check, sharing: .none) { request in
            try await awayFromEventLoop { try await run(request) }
        }
    }
}
