internal import KeyturnBase
internal import KeyturnWire

extension TokenGrant {
    /// Checks a token answer (RFC 6749 §5.1, RFC 9449 §5). An optional member that cannot be read is absent.
    ///
    /// - Parameter key: The key that the request proved possession of, if it did.
    init(_ json: JSONValue, key: DPoPProofMaker.Key?, isPublicClient: Bool) throws(AuthError) {
        guard let accessToken = Self.token(json["access_token"]) else {
            throw AuthError(
                .protocolViolation,
                "the token answer has no access_token that a header can carry: visible ASCII of at most "
                    + "\(Limits.tokenMaxBytes) bytes (RFC 6749 §5.1)")
        }
        guard let type = json["token_type"]?.stringValue?.lowercased() else {
            throw AuthError(.protocolViolation, "the token answer has no token_type (RFC 6749 §5.1)")
        }
        isSenderConstrained = type == TokenType.dpop.lowercased()
        guard type == TokenType.bearer.lowercased() || isSenderConstrained && key != nil else {
            throw AuthError(.protocolViolation, "the token answer has an unknown token_type (RFC 6749 §7.1)")
        }
        self.accessToken = accessToken
        expiresInSeconds = json["expires_in"]?.secondsValue.map { min($0, Limits.tokenLifetimeMaxSeconds) }
        refreshToken = Self.refreshToken(json["refresh_token"])
        // A public client that proved a key has its refresh token bound, whatever its access token is (RFC 9449 §5).
        // If the server has not done so, a needless proof does no harm.
        let isBound = isPublicClient || json["cnf"]?["jkt"]?.stringValue == key?.thumbprint
        keyThumbprint = isBound ? key?.thumbprint : nil
        idToken = Self.idToken(json["id_token"])
        scope = json["scope"]?.stringValue.flatMap { Scope($0) }
    }

    /// Visible ASCII only: it goes into a header.
    static func token(_ json: JSONValue?) -> String? {
        text(json, of: 0x21...0x7E, bytesMax: Limits.tokenMaxBytes)
    }

    /// A space is legal (RFC 6749 A.17): it goes into forms alone.
    static func refreshToken(_ json: JSONValue?) -> String? {
        text(json, of: 0x20...0x7E, bytesMax: Limits.tokenMaxBytes)
    }

    /// As large as can be stored together with the rest of a session: it goes into forms alone, and its verifier has a
    /// bound of its own.
    static func idToken(_ json: JSONValue?) -> String? {
        text(json, of: 0x21...0x7E, bytesMax: idTokenMaxBytes)
    }

    /// Largest ID token, in bytes.
    static let idTokenMaxBytes = Limits.recordMaxBytes / 4 * 3

    private static func text(_ json: JSONValue?, of characters: ClosedRange<UInt8>, bytesMax: Int) -> String? {
        guard let text = json?.stringValue, !text.isEmpty, text.utf8.count <= bytesMax,
            text.utf8.allSatisfy({ characters.contains($0) })
        else { return nil }
        return text
    }
}
