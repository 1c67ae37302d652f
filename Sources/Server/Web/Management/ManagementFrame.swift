internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// A request of the management interface whose key was good.
struct ManagementRequest: Sendable {
    let body: MethodBody
    /// See ``MethodRequest/elements``.
    let elements: [JSONValue]
    let query: FormParameters
    let address: NetworkAddress?
    /// Whose key it was, as audit events name it: the beginning of the key's digest.
    let actor: String

    /// One parameter of the query.
    func parameter(_ name: String) -> String? {
        query.all.first { $0.name == name && !$0.value.isEmpty }?.value
    }
}

/// What every route of the management interface has in common: a key of the project, compared in constant time. Nothing else
/// opens it, least of all a token of a user.
struct ManagementFrame: Sendable {
    let frame: MethodFrame
    let keys: [Secret]

    var services: IdentityServices { frame.services }

    /// One answer for a missing and for a wrong key.
    static let refused = MethodProblem(
        code: "E011003", description: "The request is invalid",
        message: "The bearer must end with a management key of this project", status: 401)

    func route(
        _ method: HTTPRequest.Method, _ path: String, takesList: Bool = false,
        run: @escaping @Sendable (ManagementRequest) async throws -> JSONValue
    ) -> Route {
        frame.route(
            method, path, [.managementKey], sharing: .none, bodyBytesMax: Limits.managementBodyBytesMax,
            takesList: takesList
        ) { request in
            guard let shown = request.bearer.managementKey, isGood(shown) else { throw Self.refused }
            return try await run(
                ManagementRequest(
                    body: request.body, elements: request.elements, query: request.query, address: request.address,
                    actor: Self.actor(shown)))
        }
    }

    /// Looks at every key, whichever it is.
    private func isGood(_ shown: Secret) -> Bool {
        keys.reduce(false) { found, key in (key == shown) || found }
    }

    private static func actor(_ key: Secret) -> String {
        let digits = SecretDigest(of: key).bytes.prefix(4).map { byte in
            String(byte >> 4, radix: 16) + String(byte & 0x0F, radix: 16)
        }
        return "management:\(digits.joined())"
    }
}
