/// Of streams that receivers of shared signals register.
extension Limits {
    /// Streams of one client.
    public static let signalStreamsMax = 8
    /// Event types that a receiver asks for.
    public static let signalEventsMax = 64
    /// The state of a verification event, in bytes.
    public static let signalStateBytesMax = 1_024
    /// The value of the header `Authorization` that a receiver wants, in bytes.
    public static let signalHeaderBytesMax = 4_096
    /// Between two verification events of a stream.
    public static let signalVerificationSeconds: Int64 = 30
    /// Tokens of one answer to a poll.
    public static let signalsOfPollMax = 100
    /// Tokens that one poll acknowledges.
    public static let signalAcknowledgementsMax = 1_000
    /// How long a poll waits for an event.
    public static let signalPollSeconds = 20
    /// Polls of one client that wait at one server: twice as many as it has streams. Others are answered at once.
    public static let signalPollsWaitingMax = 16
    /// Events for others that are passed over in the log before the stream's place is noted.
    public static let signalLeadMin: Int64 = 500
    /// A receiver's error code in the audit log, in characters.
    public static let signalErrorMax = 64
    /// The body of a request about streams, in bytes.
    public static let signalBodyBytesMax = 131_072
}
