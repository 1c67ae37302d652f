public import KeyturnBase

/// What a journey uses up when it ends, with a code or with a refusal, so that one request leads to one answer. Looking at
/// a page of it, or loading that again, uses nothing up.
public enum TransactionTicket: Codable, Hashable, Sendable {
    /// A request that was handed in beforehand, by the digest of its `request_uri` in base64url (RFC 9126 §7.3).
    case pushedRequest(digest: String)
    /// A signed request, by its `jti` (RFC 9101 §10.2), until no journey that began with it can end any more.
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
