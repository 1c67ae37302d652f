public import KeyturnBase

/// Streams that receivers of shared signals registered.
public protocol SignalStreamStore: Sendable {
    /// Adds a stream.
    ///
    /// - Parameter max: of one client.
    /// - Returns: `false` if the client has so many.
    func create(_ stream: SignalStream, max: Int) async throws(StoreError) -> Bool

    /// A client's stream; `nil`: there is none, or it is another client's.
    func stream(_ id: String, of clientID: String) async throws(StoreError) -> SignalStream?

    /// A client's streams, the oldest first.
    func streams(of clientID: String) async throws(StoreError) -> [SignalStream]

    /// Lets `rule` change a stream in one transaction, and takes it from the node that pushes it at that moment. It is due
    /// again at once, and its failures are forgotten.
    ///
    /// - Returns: The changed stream; `nil`: the client has none of this identifier.
    func change(
        _ id: String, of clientID: String, _ rule: @escaping @Sendable (inout SignalStream) -> Void
    ) async throws(StoreError) -> SignalStream?

    /// Removes a stream.
    ///
    /// - Returns: what it was; `nil`: the client had none of this identifier.
    func delete(_ id: String, of clientID: String) async throws(StoreError) -> SignalStream?

    /// Takes an enabled stream that is pushed and has something to push, for this node alone.
    ///
    /// - Parameters:
    ///   - head: the number of the newest audit event.
    ///   - end: Until then no other node takes it.
    /// - Returns: `nil`: nothing is due.
    func claim(behind head: Int64, until end: UnixTime, at now: UnixTime) async throws(StoreError) -> SignalStreamClaim?

    /// Notes what was pushed, and lets go of the stream.
    ///
    /// - Parameters:
    ///   - number: up to which events were taken.
    ///   - isVerified: whether the stream's verification event was.
    ///   - due: when it may be taken again.
    ///   - failures: in a row.
    /// - Returns: `false`: it was changed or removed in the meantime, and nothing is noted.
    func settle(
        _ claim: SignalStreamClaim, to number: Int64, isVerified: Bool, due: UnixTime, failures: Int64
    ) async throws(StoreError) -> Bool
}

/// A stream that this node pushes for a while.
public struct SignalStreamClaim: Hashable, Sendable {
    public let stream: SignalStream
    public let until: UnixTime

    public init(stream: SignalStream, until: UnixTime) {
        self.stream = stream
        self.until = until
    }
}
