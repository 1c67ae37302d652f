public import KeyturnBase
public import Model

/// A message in the queue, or one that was sent.
public struct MessageRow: Hashable, Sendable {
    /// What happened to it.
    public enum State: Hashable, Sendable {
        case waiting, sending, finished(MessageEnd)
    }

    public var message: WaitingMessage
    /// `nil`: it is finished.
    public var dueAt: UnixTime?
    public var attempts: Int64
    public var state: State
    public var finishedAt: UnixTime?
    /// Of the last try that failed.
    public var reason: String?
    /// Whether its content is still there.
    public var hasContent: Bool
}
