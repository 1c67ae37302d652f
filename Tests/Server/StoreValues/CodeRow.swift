public import KeyturnBase
public import Model

/// Which code.
public struct CodeKey: Hashable, Sendable {
    public let slot: String
    public let digest: SecretDigest
}

/// A code that was sent.
public struct CodeRow: Hashable, Sendable {
    public var facts: VerificationFacts
    public var createdAt: UnixTime
    public var expiresAt: UnixTime
}

/// Whose tries at which slot.
public struct TryKey: Hashable, Sendable {
    public let slot: String
    public let party: String
}

/// The tries of a party in a window.
public struct TryRow: Hashable, Sendable {
    public var tries: Int64
    public var endsAt: UnixTime
}
