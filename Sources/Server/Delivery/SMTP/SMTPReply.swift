/// What a mail server says: a code and one line or more (RFC 5321 §4.2).
struct SMTPReply: Hashable, Sendable {
    let code: Int
    let lines: [String]
}

/// Finds replies in what arrives. Bounded: a server that sends without end is refused.
struct SMTPReplyReader: Sendable {
    /// Why the other side does not speak SMTP.
    enum Flaw: Error, Hashable, Sendable {
        case lineTooLong, tooManyLines, tooMuch, notAReply
    }

    private var bytes: [UInt8] = []
    private var lines: [String] = []
    private var code: Int?

    /// Whether nothing is left over, not even the beginning of a line.
    var isEmpty: Bool { bytes.isEmpty && lines.isEmpty }

    mutating func append(_ more: some Sequence<UInt8>) throws(Flaw) {
        bytes += more
        guard bytes.count <= DeliveryLimits.replyBytesMax else { throw .tooMuch }
    }

    /// The next whole reply, if it has arrived.
    mutating func next() throws(Flaw) -> SMTPReply? {
        while let end = bytes.firstIndex(of: 0x0a) {
            var line = Array(bytes[..<end])
            bytes.removeFirst(end + 1)
            if line.last == 0x0d { line.removeLast() }
            guard line.count <= DeliveryLimits.replyLineBytesMax else { throw .lineTooLong }
            if let reply = try take(line) { return reply }
        }
        guard bytes.count <= DeliveryLimits.replyLineBytesMax else { throw .lineTooLong }
        return nil
    }

    private mutating func take(_ line: [UInt8]) throws(Flaw) -> SMTPReply? {
        guard line.count >= 3, line[..<3].allSatisfy({ (0x30...0x39).contains($0) }) else { throw .notAReply }
        let number = line[..<3].reduce(0) { $0 * 10 + Int($1 - 0x30) }
        guard (200...599).contains(number), code == nil || code == number else { throw .notAReply }
        let separator = line.count > 3 ? line[3] : 0x20
        guard separator == 0x20 || separator == 0x2d else { throw .notAReply }
        lines.append(String(decoding: line.dropFirst(4), as: UTF8.self))
        guard lines.count <= DeliveryLimits.replyLinesMax else { throw .tooManyLines }
        code = number
        guard separator == 0x20 else { return nil }
        defer {
            lines = []
            code = nil
        }
        return SMTPReply(code: number, lines: lines)
    }
}
