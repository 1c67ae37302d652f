public import KeyturnBase
internal import KeyturnWire

/// Access keys: what programs sign in with.
public struct AccessKeyMethods: Sendable {
    let access: MethodAccess

    /// Trades an access key for a token. The container's session is another matter: nothing is stored.
    ///
    /// - Parameters:
    ///   - accessKey: As it was shown when it was made.
    ///   - customClaims: Claims of the program's own, which the service does not check.
    ///   - selectedTenant: The tenant that the token is for.
    /// - Throws: `service.unsupported`; `argument.invalid`; `server.refused` with the server's code, see
    ///   ``KeyturnBase/AuthError/methodCode``; `transport.unavailable`; `protocol.violation`.
    public func exchange(
        accessKey: String, customClaims: [String: JSONValue] = [:], selectedTenant: String? = nil
    ) async throws(AuthError) -> SessionToken {
        let key = try MethodAccess.secret(accessKey, "accessKey")
        let endpoint = try access.endpoint()
        let options = LoginOptions(customClaims: customClaims, selectedTenant: selectedTenant)
        let reply = try await endpoint.post(
            "/v1/auth/accesskey/exchange", AccessKeyExchangeRequest(options: options).json, presenting: .key(key))
        return try MethodSession(reply, at: endpoint.clock.now()).token
    }
}
