import Foundation
import KeyturnBase
import KeyturnWire
import Model
import Testing

@testable import Delivery

@Suite("RFC 5322: mails")
struct MailTests {
    @Test(arguments: [
        ("hello\r\n", "hello\r\n.\r\n"), (".\r\n", "..\r\n.\r\n"), ("a\r\n.b\r\n", "a\r\n..b\r\n.\r\n"),
        ("a.\r\nb.c\r\n", "a.\r\nb.c\r\n.\r\n"), ("", ".\r\n"),
    ])
    func `dots at the beginning of a line are doubled`(mail: String, sent: String) {
        #expect(String(decoding: DotStuffing.apply(Array(mail.utf8)), as: UTF8.self) == sent)
    }

    @Test(arguments: [
        ("plain", "plain\r\n"), ("a=b", "a=3Db\r\n"), ("end \nnext", "end=20\r\nnext\r\n"),
        ("tab\t", "tab=09\r\n"), ("grün", "gr=C3=BCn\r\n"), ("a\r\nb\rc\nd", "a\r\nb\r\nc\r\nd\r\n"), ("", ""),
        (String(repeating: "x", count: 76), String(repeating: "x", count: 76) + "\r\n"),
        (String(repeating: "x", count: 77), String(repeating: "x", count: 75) + "=\r\nxx\r\n"),
    ])
    func `quoted-printable`(text: String, encoded: String) {
        #expect(String(decoding: QuotedPrintable.encode(text), as: UTF8.self) == encoded)
    }

    @Test func `no line of quoted-printable is longer than 76 characters`() {
        for pattern in ["ä", "aä", "=", "x ", "🔑 key", "aaa=", " "] {
            let encoded = QuotedPrintable.encode(String(repeating: pattern, count: 200))
            let lines = String(decoding: encoded, as: UTF8.self).components(separatedBy: "\r\n")
            #expect(lines.allSatisfy { $0.utf8.count <= 76 }, "\(pattern)")
        }
    }

    @Test(arguments: [
        (0, "Thu, 01 Jan 1970 00:00:00 +0000"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 +0000"),
        (1_800_000_000, "Fri, 15 Jan 2027 08:00:00 +0000"), (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 +0000"),
        (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 +0000"),
    ])
    func `dates`(seconds: Int64, text: String) {
        #expect(MailDate.text(UnixTime(rawValue: seconds)) == text)
    }

    @Test(arguments: [
        "a@b.example\r\nBcc: c@d.example", "a@b.example\n", "a b@c.example", "a@b@c.example", "<a@b.example>", "a@",
        "@b.example", "a..b@c.example", ".a@b.example", "a@-b.example", "a@b..example", "a@[127.0.0.1]",
        "a\u{0}@b.example",
        "\"a b\"@c.example", "a@b.example>", "a\u{2028}b@c.example", "a@b\u{200b}.example", "",
        String(repeating: "x", count: 65) + "@b.example",
    ])
    func `113: what is no plain address gets no mail`(text: String) {
        #expect(MailAddress(text) == nil)
    }

    @Test func `addresses`() throws {
        #expect(try #require(MailAddress("o'brien+x@mail.example.com")).needsUTF8 == false)
        #expect(try #require(MailAddress("jürgen@bücher.example")).needsUTF8)
        #expect(Mailbox("Demo <no-reply@example.com>")?.header == "\"Demo\" <no-reply@example.com>")
        #expect(Mailbox("\"A \\\"B\" <a@b.example>")?.header == "\"A \\\\\\\"B\" <a@b.example>")
        #expect(Mailbox("a@b.example")?.header == "a@b.example")
        #expect(Mailbox("Grün <a@b.example>")?.header == "=?utf-8?B?R3LDvG4=?= <a@b.example>")
        #expect(Mailbox("A <a@b.example\r\n>") == nil)
    }

    @Test func `113: names and values cannot add a header, a line, or a part`() throws {
        let evil = "Evil\r\nBcc: victim@example.com\r\n\r\n<script>\r\n.\r\nMAIL FROM:<x@y.example>"
        var message = Post.message()
        message.values[MessageValue.appName] = evil
        message.code = "1\r\n.\r\n2"
        let from = try #require(Mailbox("\(evil) <no-reply@example.com>"))
        let to = try #require(MailAddress(message.to))
        let mail = String(decoding: Mail(from: from, to: to, message: try Post.rendered(message)).bytes, as: UTF8.self)
        let headers = try #require(mail.components(separatedBy: "\r\n\r\n").first)
        let names = headers.components(separatedBy: "\r\n").filter { !$0.hasPrefix(" ") }
            .map { String($0.prefix { $0 != ":" }) }
        #expect(
            names == [
                "From", "To", "Subject", "Date", "Message-ID", "MIME-Version", "Content-Language", "Auto-Submitted",
                "Content-Type",
            ])
        #expect(!mail.contains("\r\n.\r\n"))
        #expect(try #require(Post.rendered(message).html).contains("<script>") == false)
        #expect(mail.replacingOccurrences(of: "\r\n", with: "").allSatisfy { $0 != "\r" && $0 != "\n" })
        #expect(mail.components(separatedBy: "\r\n").allSatisfy { $0.utf8.count <= 78 })
    }

    @Test func `the same message is the same mail to the last byte`() throws {
        let from = try #require(Mailbox("no-reply@example.com"))
        let to = try #require(MailAddress("andy@example.com"))
        let first = Mail(from: from, to: to, message: try Post.rendered()).bytes
        #expect(first == Mail(from: from, to: to, message: try Post.rendered()).bytes)
        let id = MessageID(idempotencyKey: "one").text
        #expect(String(decoding: first, as: UTF8.self).contains("\r\nMessage-ID: <\(id)@example.com>\r\n"))
        #expect(MessageID(idempotencyKey: "two").text != id)
    }
}
