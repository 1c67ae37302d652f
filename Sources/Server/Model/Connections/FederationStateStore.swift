public import KeyturnBase

/// Sealed state of sign-ins at providers, while the user is away: found by the digest of a random handle.
public protocol FederationStateStore: Sendable {
    /// Keeps a state.
    func keep(_ sealed: [UInt8], under digest: SecretDigest, until expiresAt: UnixTime) async throws(StoreError)

    /// Reads a state; it stays.
    func peek(_ digest: SecretDigest, at now: UnixTime) async throws(StoreError) -> [UInt8]?

    /// Reads and removes a state, in one guarded statement: of any number of concurrent calls one gets it.
    func take(_ digest: SecretDigest, at now: UnixTime) async throws(StoreError) -> [UInt8]?
}
