public import KeyturnBase

/// How far the audit log was sent to each program that gets it. One node at a time sends a stream.
public protocol AuditStreamStore: Sendable {
    /// Takes a stream, if no other node has it.
    ///
    /// - Parameters:
    ///   - number: Behind which event a new stream begins.
    ///   - end: Until then no other node takes it.
    /// - Returns: `nil`: another node has the stream.
    func claim(
        _ name: String, beginningAfter number: Int64, until end: UnixTime, at now: UnixTime
    ) async throws(StoreError) -> AuditStreamClaim?

    /// Notes that the events up to a number were sent, and keeps the stream until `end`.
    ///
    /// - Returns: `nil`: another node took the stream in the meantime.
    func advance(
        _ claim: AuditStreamClaim, to number: Int64, until end: UnixTime
    ) async throws(StoreError) -> AuditStreamClaim?

    /// Lets another node take the stream at once.
    func release(_ claim: AuditStreamClaim) async throws(StoreError)

    /// Every stream that was ever sent, by its name, with the number of the last event that was.
    func positions() async throws(StoreError) -> [String: Int64]
}

/// A stream that this node has for a while.
public struct AuditStreamClaim: Hashable, Sendable {
    public let name: String
    /// The number of the last event that was sent.
    public let number: Int64
    public let until: UnixTime

    public init(name: String, number: Int64, until: UnixTime) {
        self.name = name
        self.number = number
        self.until = until
    }
}
