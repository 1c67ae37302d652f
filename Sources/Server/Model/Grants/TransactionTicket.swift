public import KeyturnBase

/// What an authorization transaction uses up when it ends, with a code or an error, so that one request gets one
/// answer. Viewing or reloading its pages uses nothing up.
public enum TransactionTicket: Codable, Hashable, Sendable {
    /// A pushed request, by the digest of its `request_uri` in base64url (RFC 9126 §7.3).
    case pushedRequest(digest: String)
    /// A signed request, by its `jti` (RFC 9101 §10.2), until every transaction that began with it must have ended.
    case requestObject(jti: String, expiresAt: UnixTime)

    package static func pushedRequest(_ digest: SecretDigest) -> TransactionTicket {
        .pushedRequest(digest: Base64URL.encode(digest.bytes))
    }
}

extension ReplayMark {
    /// A signed request that was answered.
    public init(requestObject jti: String, of clientID: String, expiresAt: UnixTime) {
        self.init(jti: jti, of: clientID, kind: "request-object", expiresAt: expiresAt)
    }
}
