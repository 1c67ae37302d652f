internal import Model
public import NIOCore

/// What one connection may hold of the server's memory, and for how long: connections cost the client nothing.
public struct ConnectionLimits: Sendable {
    /// A request must arrive whole within this time, counted from its first byte. A minute's worth of form fields
    /// arrives over a slow telephone line in a third of it.
    public var request: TimeAmount = .seconds(15)
    /// A connection on which no request begins is closed after this time: longer than most clients wait between two
    /// requests.
    public var idle: TimeAmount = .seconds(60)
    /// An answer must leave the process within this time, counted from the last one that left. The system's own buffer
    /// takes all answers except the largest at once.
    public var answer: TimeAmount = .seconds(30)
    /// After its last answer a connection goes on reading for this time, so that the answer is not lost in a reset
    /// (RFC 9112 §9.6).
    public var linger: TimeAmount = .seconds(2)
    /// When the server stops, a connection without a request is closed after this time: what the client sent meanwhile is
    /// answered. Longer than a proxy takes to send its request on a connection that it has just opened.
    public var farewell: TimeAmount = .milliseconds(500)
    /// Bytes of answers that the client has not taken: with more, its next request waits.
    public var answerBytesMax = 65_536
    /// Requests of one connection that are answered before other connections have their turn.
    public var requestsPerTurn = 4
    /// Bytes that wait behind a request that is being answered: with more, the connection is closed. A client that
    /// pipelines is read no further, so that there is more only if it also closes its side.
    public var waitingBytesMax = 262_144
    /// A body up to this size reaches its handler whole. A larger one is read by the handler, which knows its limit.
    public var collectedBytesMax = Limits.passkeyBodyBytesMax
    /// What the system buffers of the answers of one connection, in bytes; Linux takes twice the number. Without it a
    /// client that does not read holds some megabytes.
    public var systemBytes = 131_072
    /// The longest header field: an authorization request in the target and the same again in `Referer`.
    var fieldBytesMax: Int { Limits.queryBytesMax * 2 }
    /// The header section as a whole.
    let headBytesMax = 65_536
    /// Fields of a header section.
    let fieldsMax = 128

    public init() {}
}
