import Testing

@testable import Delivery

@Suite("RFC 5321 §4.2: replies")
struct SMTPReplyTests {
    @Test func `lines of one code are one reply, however they arrive`() throws {
        var reader = SMTPReplyReader()
        var replies: [SMTPReply] = []
        for byte in Array("250-one\r\n250-two\r\n250 three\r\n354\r\n".utf8) {
            try reader.append([byte])
            while let reply = try reader.next() { replies.append(reply) }
        }
        #expect(replies == [SMTPReply(code: 250, lines: ["one", "two", "three"]), SMTPReply(code: 354, lines: [""])])
        #expect(reader.isEmpty)
    }

    @Test(arguments: [
        ("hello\r\n", SMTPReplyReader.Flaw.notAReply), ("25x ok\r\n", .notAReply), ("150 ok\r\n", .notAReply),
        ("600 ok\r\n", .notAReply), ("250-a\r\n251 b\r\n", .notAReply), ("250_a\r\n", .notAReply), ("\r\n", .notAReply),
        ("250 " + String(repeating: "x", count: 2_045), .lineTooLong),
        (String(repeating: "250-x\r\n", count: 101), .tooManyLines), (String(repeating: "x", count: 16_385), .tooMuch),
    ])
    func `what is none, or has no end, is refused`(text: String, flaw: SMTPReplyReader.Flaw) {
        #expect(throws: flaw) {
            var reader = SMTPReplyReader()
            try reader.append(Array(text.utf8))
            while try reader.next() != nil {}
        }
    }
}
