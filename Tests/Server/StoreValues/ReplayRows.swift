public import KeyturnBase

/// A value that was used.
public struct SpentRow: Hashable, Sendable {
    public let expiresAt: UnixTime
    /// Random bytes of the use, if it may be tried again.
    public let attempt: [UInt8]?
}

/// The charges of a rate limit, in a window that began with the first one.
public struct RateLimitRow: Hashable, Sendable {
    public var spent: Int64
    public var endsAt: UnixTime
}

/// The failures of a key.
public struct AttemptRow: Hashable, Sendable {
    public var failures: Int64
    public var lastAt: UnixTime
    public var previousAt: UnixTime?
    /// When a good attempt came last.
    public var knownAt: UnixTime?
}
