import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@testable import Delivery

@Suite("RFC 5321: a mail server that has its own ideas", .timeLimit(.minutes(5)))
struct SMTPTransportTests {
    private func send(
        _ script: [String: ScriptedMailServer.Answer], security: SMTPSettings.Security = .none, to: String? = nil,
        totalSeconds: Int64 = 20
    ) async throws -> (outcome: DeliveryOutcome, server: ScriptedMailServer) {
        let server = try await ScriptedMailServer.start(script)
        let from = try #require(Mailbox("Example <no-reply@example.com>"))
        let transport = try SMTPTransport(
            SMTPSettings(host: "127.0.0.1", port: server.port, from: from, security: security),
            totalSeconds: totalSeconds)
        var message = Post.message()
        if let to { message.to = to }
        let outcome = await transport.send(try Post.rendered(message))
        await server.stop()
        return (outcome, server)
    }

    @Test func `a mail arrives as it was written`() async throws {
        let (outcome, server) = try await send([:])
        #expect(outcome == .sent)
        let expected = Mail(
            from: try #require(Mailbox("Example <no-reply@example.com>")),
            to: try #require(MailAddress("andy@example.com")), message: try Post.rendered()
        ).bytes
        #expect(server.mails == [String(decoding: expected, as: UTF8.self)])
        #expect(
            server.lines.prefix(4) == [
                "EHLO [127.0.0.1]", "MAIL FROM:<no-reply@example.com> SIZE=\(expected.count)",
                "RCPT TO:<andy@example.com>", "DATA",
            ])
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let script: [String: ScriptedMailServer.Answer]
        let outcome: DeliveryOutcome

        init(_ name: String, _ script: [String: ScriptedMailServer.Answer], _ outcome: DeliveryOutcome) {
            self.name = name
            self.script = script
            self.outcome = outcome
        }

        var testDescription: String { name }
    }

    static let cases = [
        Case("busy", ["": .say("421 busy")], .temporary(reason: "smtp 421 as greeting")),
        Case("closed shop", ["": .say("554 no")], .temporary(reason: "smtp 554 as greeting")),
        Case("greylisting", ["RCPT": .say("451 later")], .temporary(reason: "smtp 451 after RCPT TO")),
        Case("full mailbox", ["RCPT": .say("452 full")], .temporary(reason: "smtp 452 after RCPT TO")),
        Case("unknown person", ["RCPT": .say("550 who?")], .permanent(reason: "smtp 550 after RCPT TO")),
        Case("sender refused", ["MAIL": .say("553 no")], .permanent(reason: "smtp 553 after MAIL FROM")),
        Case("account wanted", ["MAIL": .say("530 log in")], .temporary(reason: "smtp 530 after MAIL FROM")),
        Case("no data", ["DATA": .say("554 no")], .permanent(reason: "smtp 554 after DATA")),
        Case("spam", [".": .say("554 spam")], .permanent(reason: "smtp 554 after the mail")),
        Case("out of disk", [".": .say("452 disk")], .temporary(reason: "smtp 452 after the mail")),
        Case("gone at once", ["": .hangUp], .unreachable(reason: "smtp connection lost")),
        Case("gone before the mail", ["DATA": .hangUp], .unreachable(reason: "smtp connection lost")),
        Case("gone after the mail", [".": .hangUp], .unreachable(reason: "smtp connection lost")),
        Case("endless answer", ["EHLO": .flood], .unreachable(reason: "smtp answer is not one: tooMuch")),
        Case("web server", ["": .say("HTTP/1.1 400 Bad")], .unreachable(reason: "smtp answer is not one: notAReply")),
        Case("talkative", ["RCPT": .say("250 ok\r\n250 ok")], .unreachable(reason: "smtp 250 unasked")),
        Case("rude at the end", ["QUIT": .hangUp], .sent),
        Case("old", ["EHLO": .say("502 what?"), "HELO": .say("250 hello")], .sent),
    ]

    @Test(arguments: cases)
    func `each has its class`(_ c: Case) async throws {
        #expect(try await send(c.script).outcome == c.outcome)
    }

    @Test func `a server that says nothing is left when its time is over`() async throws {
        let (outcome, _) = try await send(["RCPT": .silence], totalSeconds: 1)
        #expect(outcome == .unreachable(reason: "smtp connection lost"))
    }

    @Test func `nobody listens`() async throws {
        let server = try await ScriptedMailServer.start()
        await server.stop()
        let from = try #require(Mailbox("no-reply@example.com"))
        let transport = try SMTPTransport(
            SMTPSettings(host: "127.0.0.1", port: server.port, from: from, security: .none))
        #expect(await transport.send(try Post.rendered()) == .unreachable(reason: "smtp does not answer"))
    }

    @Test func `without STARTTLS, where it is asked for, there is no mail`() async throws {
        let (outcome, server) = try await send([:], security: .startTLS)
        #expect(outcome == .temporary(reason: "smtp without STARTTLS"))
        #expect(server.lines == ["EHLO [127.0.0.1]"])
    }

    @Test func `what is slipped in before TLS begins is not taken for the server's word`() async throws {
        let (outcome, server) = try await send(
            [
                "EHLO": .say("250-mail.example\r\n250 STARTTLS"),
                "STARTTLS": .say("220 go\r\n250-mail.example\r\n250 AUTH PLAIN"),
            ], security: .startTLS)
        guard case .unreachable = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(server.mails.isEmpty)
    }

    @Test func `a password needs TLS`() throws {
        let from = try #require(Mailbox("no-reply@example.com"))
        let settings = SMTPSettings(
            host: "127.0.0.1", port: 25, from: from, security: .none, username: "u", password: Secret("p"))
        #expect(throws: SMTPTransport.SettingsProblem.passwordWithoutTLS) { try SMTPTransport(settings) }
        let file = SMTPSettings(
            host: "127.0.0.1", port: 25, from: from, security: .startTLS, authoritiesFile: "/nowhere.pem")
        #expect(throws: SMTPTransport.SettingsProblem.authorities(.init(path: "/nowhere.pem"))) {
            try SMTPTransport(file)
        }
    }

    @Test func `names beyond ASCII need SMTPUTF8`() async throws {
        let to = "jürgen@bücher.example"
        #expect(try await send([:], to: to).outcome == .permanent(reason: "smtp without SMTPUTF8"))
        let (outcome, server) = try await send(
            ["EHLO": .say("250-m\r\n250-8BITMIME\r\n250 SMTPUTF8")], to: to)
        #expect(outcome == .sent)
        #expect(server.lines.contains("MAIL FROM:<no-reply@example.com> BODY=8BITMIME SMTPUTF8"))
        #expect(server.lines.contains("RCPT TO:<\(to)>"))
    }

    @Test func `113: an address cannot bring a command of its own`() async throws {
        let (outcome, server) = try await send([:], to: "a@b.example>\r\nRCPT TO:<victim@example.com")
        #expect(outcome == .permanent(reason: "not an address of a mail"))
        #expect(server.lines.isEmpty)
    }

    @Test func `a mail whose fate is unknown is sent again under the same Message-ID`() async throws {
        let post = try Post()
        try await post.enqueue()
        let from = try #require(Mailbox("no-reply@example.com"))
        var mails: [String] = []
        for answer in [ScriptedMailServer.Answer.hangUp, .say("250 queued")] {
            let server = try await ScriptedMailServer.start([".": answer])
            let transport = try SMTPTransport(
                SMTPSettings(host: "127.0.0.1", port: server.port, from: from, security: .none))
            #expect(await post.courier(transport).deliverDue() == 1)
            mails += server.mails
            await server.stop()
            post.clock.advance(5)
        }
        #expect(mails.count == 2)
        #expect(mails[0] == mails[1])
        #expect(mails[0].contains("Message-ID: <\(MessageID(idempotencyKey: "one").text)@example.com>"))
    }
}
