public import KeyturnBase
public import KeyturnWire

/// Messages that wait to be sent, durable and sealed. A sent message keeps its row for a while, without its contents.
///
/// A message is claimed under a lease. Only its claimant decides the result, until the lease is over; then it is
/// claimed again, and the result of the first claimant is ignored.
public protocol MessageStore: Sendable {
    /// Adds messages, all or none, in one `INSERT` each. A message whose identifier is there already changes nothing.
    func enqueue(_ messages: [WaitingMessage]) async throws(StoreError)

    /// Whether anything is due. One indexed read.
    func hasDue(at now: UnixTime) async throws(StoreError) -> Bool

    /// Claims the messages that are due, the oldest first, in one guarded statement: of any number of callers, one gets
    /// each message. They are due again when the lease is over.
    func claim(limit: Int, leaseSeconds: Int64, at now: UnixTime) async throws(StoreError) -> [MessageClaim]

    /// Ends a claimed message and, unless `keepsContent`, removes its content.
    ///
    /// - Returns: false if the claim is over: another process has the message now.
    func finish(_ claim: MessageClaim, _ end: MessageEnd, keepsContent: Bool, at now: UnixTime)
        async throws(StoreError) -> Bool

    /// Returns a claimed message to the queue, to be tried again at `due`.
    ///
    /// - Returns: false if the claim is over.
    func postpone(_ claim: MessageClaim, until due: UnixTime, reason: String) async throws(StoreError) -> Bool

    /// The newest messages whose contents are still there, decoys excepted; the newest last.
    func newest(limit: Int) async throws(StoreError) -> [WaitingMessage]

    /// Messages that wait to be sent, decoys excepted; the newest first.
    func waiting(limit: Int) async throws(StoreError) -> [QueuedMessage]

    /// Makes a message due that failed and waits for its next try. One guarded statement: a message that is being sent
    /// stays as it is.
    ///
    /// - Returns: false if there is nothing to hasten.
    func retry(_ id: MessageID, at now: UnixTime) async throws(StoreError) -> Bool

    /// The newest messages that were given up, the newest first.
    func deadLetters(limit: Int) async throws(StoreError) -> [DeadLetter]
}

extension MessageStore {
    /// ``enqueue(_:)`` for one message.
    public func enqueue(_ message: WaitingMessage) async throws(StoreError) { try await enqueue([message]) }
}

/// A message in the queue.
public struct WaitingMessage: Hashable, Sendable {
    public let id: MessageID
    public let kind: MessageKind
    public let channel: DeliveryMethod
    /// Everything else, sealed.
    public let sealed: [UInt8]
    public let isDecoy: Bool
    public let createdAt: UnixTime
    public let expiresAt: UnixTime

    public init(
        id: MessageID, kind: MessageKind, channel: DeliveryMethod, sealed: [UInt8], isDecoy: Bool, createdAt: UnixTime,
        expiresAt: UnixTime
    ) {
        self.id = id
        self.kind = kind
        self.channel = channel
        self.sealed = sealed
        self.isDecoy = isDecoy
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}

/// What is known of a message in the queue without opening it: neither its recipient nor what it says.
public struct QueuedMessage: Hashable, Sendable {
    /// What happens to it now.
    public enum State: Hashable, Sendable {
        /// It waits for its first try, or was just taken.
        case waiting
        /// A try failed, for the reason; the next one is at ``QueuedMessage/dueAt``.
        case failed(reason: String)
        /// A server sends it now.
        case sending
    }

    public let id: MessageID
    public let kind: MessageKind
    public let channel: DeliveryMethod
    public let attempts: Int64
    public let state: State
    public let createdAt: UnixTime
    public let dueAt: UnixTime
    public let expiresAt: UnixTime

    public init(
        id: MessageID, kind: MessageKind, channel: DeliveryMethod, attempts: Int64, state: State, createdAt: UnixTime,
        dueAt: UnixTime, expiresAt: UnixTime
    ) {
        self.id = id
        self.kind = kind
        self.channel = channel
        self.attempts = attempts
        self.state = state
        self.createdAt = createdAt
        self.dueAt = dueAt
        self.expiresAt = expiresAt
    }
}

/// A message claimed by a process, for as long as the lease lasts.
public struct MessageClaim: Hashable, Sendable {
    public let message: WaitingMessage
    /// The number of this claim of the message, from 1. A later claim ends an earlier one.
    public let attempt: Int64

    public init(message: WaitingMessage, attempt: Int64) {
        self.message = message
        self.attempt = attempt
    }
}

/// The result of sending a message.
public enum MessageEnd: Hashable, Sendable {
    /// Handed over: to a mail server, a gateway, the outbox.
    case sent
    /// It was a decoy.
    case dropped
    /// It was given up. The reason names step and status, and no data of the user.
    case dead(reason: String)
}

/// A message that was given up.
public struct DeadLetter: Hashable, Sendable {
    public let id: MessageID
    public let kind: MessageKind
    public let channel: DeliveryMethod
    public let attempts: Int64
    public let reason: String
    public let finishedAt: UnixTime

    public init(
        id: MessageID, kind: MessageKind, channel: DeliveryMethod, attempts: Int64, reason: String,
        finishedAt: UnixTime
    ) {
        self.id = id
        self.kind = kind
        self.channel = channel
        self.attempts = attempts
        self.reason = reason
        self.finishedAt = finishedAt
    }
}
