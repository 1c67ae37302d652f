/// Messages in reports of 64 bytes (CTAPHID, CTAP 2.2 §11.2.4).
struct SecurityKeyFrames: Sendable {
    enum Command: UInt8, Sendable {
        case ping = 0x01
        case initialize = 0x06
        case cbor = 0x10
        case cancel = 0x11
        case keepAlive = 0x3B
        case error = 0x3F
    }

    struct Message: Sendable {
        let channel: [UInt8]
        /// `nil`: an unknown command.
        let command: Command?
        let payload: [UInt8]
    }

    private static let reportBytes = 64
    private static let broadcast: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF]
    private static let ours: [UInt8] = [0, 0, 0, 1]

    private var outgoing: [[UInt8]] = []
    private var incoming: (channel: [UInt8], command: UInt8, length: Int, payload: [UInt8])?

    /// Takes a report, and returns the message that it completes.
    mutating func take(_ report: [UInt8]) -> Message? {
        // Some callers put the number of the report in front.
        let report = Array(report.suffix(Self.reportBytes))
        guard report.count == Self.reportBytes else { return nil }
        let channel = Array(report[..<4])
        if report[4] & 0x80 != 0 {
            let length = Int(report[5]) << 8 | Int(report[6])
            incoming = (channel, report[4] & 0x7F, length, Array(report[7...]))
        } else if incoming?.channel == channel {
            incoming?.payload += report[5...]
        }
        guard let message = incoming, message.payload.count >= message.length else { return nil }
        incoming = nil
        return Message(
            channel: channel, command: Command(rawValue: message.command),
            payload: Array(message.payload.prefix(message.length)))
    }

    /// A channel for the caller: there is only one (§11.2.9.1.3).
    mutating func answerInitialization(_ message: Message) {
        let channel = message.channel == Self.broadcast ? Self.ours : message.channel
        // Protocol 2, version 1.0.0, CBOR and no U2F.
        send(message.payload.prefix(8) + channel + [2, 1, 0, 0, 0x04 | 0x08], .initialize, on: message.channel)
    }

    mutating func send(_ payload: [UInt8], _ command: Command, on channel: [UInt8]) {
        let head = channel + [command.rawValue | 0x80, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        var rest = payload[...]
        outgoing.append(Self.padded(head + rest.prefix(Self.reportBytes - 7)))
        rest = rest.dropFirst(Self.reportBytes - 7)
        var sequence: UInt8 = 0
        while !rest.isEmpty {
            outgoing.append(Self.padded(channel + [sequence] + rest.prefix(Self.reportBytes - 5)))
            rest = rest.dropFirst(Self.reportBytes - 5)
            sequence += 1
        }
    }

    mutating func next() -> [UInt8]? {
        outgoing.isEmpty ? nil : outgoing.removeFirst()
    }

    private static func padded(_ bytes: [UInt8]) -> [UInt8] {
        bytes + repeatElement(0, count: reportBytes - bytes.count)
    }
}
