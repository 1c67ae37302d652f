public import KeyturnBase

/// Sends messages to users. No request waits for a mail server: the message is durable when this returns, and is sent
/// in the background.
public protocol MessageSender: Sendable {
    /// Puts messages into the queue, all or none: sealed, an `INSERT` each, a decoy like any other. The same key twice is
    /// one message.
    ///
    /// - Throws: `unavailable` also for a message that is larger than ``Limits/messageBytesMax``.
    func enqueue(_ messages: [OutgoingMessage], at now: UnixTime) async throws(StoreError)
}

extension MessageSender {
    /// ``enqueue(_:at:)`` for one message.
    public func enqueue(_ message: OutgoingMessage, at now: UnixTime) async throws(StoreError) {
        try await enqueue([message], at: now)
    }
}

/// The queue of messages of one server: seals what goes in, opens what comes out.
public struct MessageQueue: MessageSender {
    /// The stored messages.
    public let store: any MessageStore
    private let seal: MessageSeal
    private let bell: QueueSignal

    public init(store: any MessageStore, secrets: ServerSecrets, ambient: Ambient) {
        self.store = store
        seal = MessageSeal(secrets, ambient: ambient)
        bell = QueueSignal()
    }

    public func enqueue(_ messages: [OutgoingMessage], at now: UnixTime) async throws(StoreError) {
        var waiting: [WaitingMessage] = []
        for message in messages { waiting.append(try sealed(message, at: now)) }
        guard !waiting.isEmpty else { return }
        try await store.enqueue(waiting)
        bell.ring()
    }

    /// A sealed message, for a store that writes it together with the change it reports; call ``wake()`` afterwards.
    package func sealed(_ message: OutgoingMessage, at now: UnixTime) throws(StoreError) -> WaitingMessage {
        let waiting = seal.seal(message, at: now)
        guard waiting.sealed.count <= Limits.messageBytesMax else { throw StoreError(.unavailable) }
        return waiting
    }

    /// A message's content; `nil` if it was sealed under a secret that this server does not have.
    public func open(_ waiting: WaitingMessage) -> OutgoingMessage? {
        seal.open(waiting)
    }

    /// The newest messages that can still be read, the newest last, each with its row.
    public func newest(limit: Int) async throws(StoreError) -> [(row: WaitingMessage, message: OutgoingMessage)] {
        try await store.newest(limit: limit).compactMap { row in
            seal.open(row).map { (row, $0) }
        }
    }

    /// Fires after each message that this process enqueued. One listener.
    public var arrivals: AsyncStream<Void> { bell.rings }

    /// Makes the listener look, whether anything was enqueued or not.
    public func wake() {
        bell.ring()
    }
}

/// Tells one listener that there is work. Signals while it is busy count as one.
package struct QueueSignal: Sendable {
    package let rings: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    package init() {
        (rings, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    package func ring() {
        continuation.yield()
    }
}
