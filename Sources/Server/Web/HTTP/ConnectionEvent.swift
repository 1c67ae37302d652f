/// The events between the two ends of a connection's pipeline: ``ConnectionHandler`` sees bytes, ``RequestHandler``
/// sees requests.
enum ConnectionEvent: Sendable, Equatable {
    /// The head is read; a body of so many bytes follows. For the byte end.
    case bodyFollows(bytes: Int)
    /// The request is read to its end. For the byte end.
    case requestRead
    /// The answer is written, but perhaps not sent. For the byte end.
    case answerWritten(isLast: Bool)
    /// Others want to connect, and this connection is idle longest. For both ends.
    case roomWanted
    /// The request did not arrive in time. For the request end.
    case requestTimedOut
}
