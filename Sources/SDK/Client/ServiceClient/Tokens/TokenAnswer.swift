internal import KeyturnBase
internal import KeyturnWire

extension ServiceTokens {
    /// Reads a token answer (RFC 6749 §5.1, RFC 8693 §2.2.1). What it does not name stays as it was before.
    ///
    /// - Throws: `protocol.violation`.
    init(answer json: JSONValue, after previous: ServiceTokens? = nil, at now: UnixTime) throws(AuthError) {
        let grant = try TokenGrant(json, key: nil, isPublicClient: true)
        self.init(
            accessToken: grant.accessToken, refreshToken: grant.refreshToken ?? previous?.refreshToken,
            obtainedAt: now, expiresAt: grant.expiresInSeconds.map { now + $0 },
            scope: grant.scope ?? previous?.scope,
            restrictedTo: (json["restricted_to"]?.arrayValue ?? []).compactMap { RestrictedObject(json: $0) },
            issuedTokenType: json["issued_token_type"]?.stringValue.map { TokenTypeIdentifier(rawValue: $0) })
    }
}
