/// What the two ends of a connection's pipeline tell each other: the one that sees bytes, and the one that sees
/// requests.
enum ConnectionEvent: Sendable, Equatable {
    /// The head is read, and a body of so many bytes follows. To the bytes.
    case bodyFollows(bytes: Int)
    /// The request is read to its end. To the bytes.
    case requestRead
    /// The answer is written, though perhaps not sent. To the bytes.
    case answerWritten(isLast: Bool)
    /// The request did not arrive in time. To the requests.
    case requestTimedOut
}
