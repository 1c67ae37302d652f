internal import NIOCore

/// The bounds of a delivery, each with its unit and reason.
enum DeliveryLimits {
    /// From the first packet to an open connection.
    static let connectSeconds: Int64 = 10
    /// A mail server's greeting may come late: some make strangers wait on purpose.
    static let greetingSeconds: Int64 = 30
    /// One command and its reply.
    static let commandSeconds: Int64 = 30
    /// From the last dot to the reply: the server looks through the mail meanwhile.
    static let dataSeconds: Int64 = 60
    /// All of a delivery; less than ``Limits/messageLeaseSeconds``, so that no other process sends it meanwhile.
    static let totalSeconds: Int64 = 90
    /// One line of a reply, in bytes (RFC 5321 §4.5.3.1.5 allows 512).
    static let replyLineBytesMax = 2_048
    /// Lines of one reply: an EHLO of the most talkative servers has about twenty.
    static let replyLinesMax = 100
    /// What a mail server may have sent that was not read yet, in bytes.
    static let replyBytesMax = 16_384
    /// What is read of a gateway's answer, in bytes; nothing in it matters but the status.
    static let gatewayAnswerBytesMax = 16_384
    /// A subject, in characters.
    static let subjectMax = 150
    /// One value that is mentioned in a message, in characters: names and devices, not novels.
    static let valueMax = 200
    /// Files of the operator's templates: every kind in a dozen languages for a dozen apps.
    static let templateFilesMax = 5_000
    /// One such file, in bytes: mail programs cut what is longer than about this.
    static let templateBytesMax = 102_400
    /// Sections in sections of such a file: Mustache reads and fills them by recursion.
    static let templateDepthMax = 32
    /// How often the queue is looked at when nothing rings, in seconds: for retries, and for what other processes
    /// added.
    static let pollSeconds: Int64 = 1
    /// The pause between two looks into the queue of logout notices: whatever ended a session, on whichever node or by
    /// whichever command, its receivers hear of it within a second. A look is one indexed read.
    static let noticePollPause = Duration.milliseconds(250)
    /// From the first packet of a logout notice to the status of the answer: the relying party only ends a session.
    static let logoutSeconds: Int64 = 5
    /// How long a node keeps a stream of audit events without a word, in seconds.
    static let auditLeaseSeconds: Int64 = 60
    /// Events that are sent together.
    static let auditBatchMax = 100
    /// The longest pause after failures, in seconds: an event is not late by more, once the program is there again.
    static let auditPauseSecondsMax: Int64 = 60
    /// Streams of registered receivers that this node pushes at a time: one that answers slowly holds up no other.
    static let signalStreamsAtOnce = 4
    /// How long one of them is pushed before others have their turn, in seconds; less than the lease.
    static let signalTurnSeconds: Int64 = 20
    /// The longest pause after failures, in seconds.
    static let signalPauseSecondsMax: Int64 = 300
    /// What is read of a relying party's answer, in bytes; only its status matters.
    static let logoutAnswerBytesMax = 16_384
}
