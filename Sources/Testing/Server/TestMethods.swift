internal import Identity
public import KeyturnBase
public import KeyturnWire
public import Model
internal import SignIn

/// The methods' interface and the management interface, as their clients use them.
extension TestServer {
    /// Calls with any bearer; sends the body if there is one.
    public func call(_ method: String, _ path: String, bearer: String?, _ body: JSONValue? = nil) async throws
        -> EndpointAnswer
    {
        var headers = bearer.map { [("Authorization", "Bearer \($0)")] } ?? []
        if body != nil { headers.append(("Content-Type", "application/json")) }
        return try await send(
            method, path, headers: headers, body: body.map { String(decoding: $0.serialized, as: UTF8.self) })
    }

    /// Calls a method with the refresh token of a session.
    public func method(_ path: String, _ refreshJWT: String?, _ body: JSONValue = [:]) async throws -> EndpointAnswer {
        let bearer = [services.project.id, refreshJWT].compactMap(\.self).joined(separator: ":")
        return try await call("POST", "/v1/auth/\(path)", bearer: bearer, body)
    }

    /// Calls management with a valid key.
    public func manage(_ path: String, _ body: JSONValue? = [:], method: String = "POST") async throws -> EndpointAnswer
    {
        try await call(
            method, path.hasPrefix("/") ? path : "/v1/mgmt/\(path)",
            bearer: "\(services.project.id):\(Self.managementKey)", body)
    }

    /// Opens a session for a user whom the test declares verified.
    public func session(
        of name: String = TestServer.username, by method: AuthenticationMethod = .email,
        options: LoginOptions = .none, presented: String? = nil
    ) async throws -> SessionAnswer {
        guard let identifier = Identifier(loginID: name),
            let account = try await services.stores.users.account(identifier)
        else { throw TestFailure("there is no user \(name)") }
        var refresh: PresentedRefresh?
        if let presented { refresh = try await services.sessions.presented(Secret(presented)) }
        return try await services.sessions.open(
            ProvenIdentity(account: account, method: method, isFirst: false), options: options, presented: refresh,
            from: nil)
    }

    /// The claims of a token, unverified.
    public static func claims(_ token: Secret?) -> JSONValue {
        let parts = token?.exposed().split(separator: ".") ?? []
        guard parts.count == 3, let bytes = Base64URL.decode(parts[1]), let json = try? JSONValue(parsing: bytes) else {
            return .null
        }
        return json
    }
}
