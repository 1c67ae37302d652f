public import KeyturnBase

/// A signing key as a store keeps it: its schedule in the clear, its private half sealed.
public struct StoredKey: Hashable, Sendable {
    /// The `kid`: the key's thumbprint (RFC 7638).
    public let keyID: String
    /// The JWS algorithm it signs with, such as `ES256`.
    public let algorithm: String
    /// The private key, sealed by the server's secrets.
    public let sealedPrivateKey: [UInt8]
    public let createdAt: UnixTime
    /// Signs from then on. Published before, so that every verifier knows it by then.
    public let activatesAt: UnixTime
    /// Does not sign from then on.
    public let retiresAt: UnixTime
    /// Not published from then on: the last token it signed has expired.
    public let removedAt: UnixTime

    public init(
        keyID: String, algorithm: String, sealedPrivateKey: [UInt8], createdAt: UnixTime, activatesAt: UnixTime,
        retiresAt: UnixTime, removedAt: UnixTime
    ) {
        self.keyID = keyID
        self.algorithm = algorithm
        self.sealedPrivateKey = sealedPrivateKey
        self.createdAt = createdAt
        self.activatesAt = activatesAt
        self.retiresAt = retiresAt
        self.removedAt = removedAt
    }

    /// What a key does at a moment.
    public enum State: String, Hashable, Sendable {
        /// It is published, and signs later.
        case next
        case signing
        /// It is published until the last token that it signed has expired.
        case verifying = "verifying only"
    }

    /// What the key does now; `nil`: it is not published any longer.
    public func state(at now: UnixTime) -> State? {
        if now >= removedAt { return nil }
        if now < activatesAt { return .next }
        return now < retiresAt ? .signing : .verifying
    }

    /// Whether `secrets` can open the private key.
    public func opens(with secrets: ServerSecrets, ambient: Ambient) -> Bool {
        privateKey(opening: Seal(secrets, purpose: .signingKey, ambient: ambient)) != nil
    }

    /// The private key as PKCS #8; `nil` if it was sealed with other secrets.
    func privateKey(opening seal: Seal) -> [UInt8]? {
        seal.open(sealedPrivateKey, context: Array(keyID.utf8))
    }
}
