internal import Crypto
public import KeyturnBase

/// SHA-256 of a secret that only its holder keeps: the store has the digest instead of the secret.
public struct SecretDigest: Hashable, Sendable {
    /// 32 bytes.
    public let bytes: [UInt8]

    public init(of secret: Secret) {
        bytes = Array(SHA256.hash(data: Array(secret.exposed().utf8)))
    }

    /// One that comes back from a store.
    public init(storedBytes: [UInt8]) {
        bytes = storedBytes
    }
}
