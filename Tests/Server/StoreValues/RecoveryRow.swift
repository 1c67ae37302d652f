public import KeyturnBase
public import Model

/// The removal of a user's lost second factors.
public struct RecoveryRow: Hashable, Sendable {
    public var recovery: Recovery
    public let epoch: Int64
    public let cancelDigest: SecretDigest
    public var cancelledAt: UnixTime?
}
