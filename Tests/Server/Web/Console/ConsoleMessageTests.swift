import Authority
import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@testable import Web

@Suite("Console: messages")
struct ConsoleMessageTests {
    /// A message that failed once, and waits.
    private func failed(_ server: TestServer) async throws -> MessageID {
        let (queue, now) = (server.services.messages, server.clock.now)
        try await queue.enqueue(
            .test(to: "secret@example.com", by: .email, in: nil, ambient: server.services.ambient), at: now)
        let claims = try await queue.store.claim(limit: 100, leaseSeconds: 60, at: now)
        let claim = try #require(claims.last)
        _ = try await queue.store.postpone(claim, until: now + 300, reason: "smtp <450>")
        return claim.message.id
    }

    @Test func `what waits shows its reason and not its recipient, and is tried again`() async throws {
        let server = try await TestServer.start()
        let browser = try await server.operatorsBrowser(.support)
        let id = try await failed(server)
        let page = try await browser.open("/admin/messages")
        #expect(page.status == 200 && page.body.contains("smtp &lt;450&gt;") && !page.body.contains("secret@"))
        let done = try await server.send(page, in: browser, ["action": "retry", "id": id.text])
        #expect(done.hasNotice && done.url.hasSuffix("done=retried"))
        #expect(try await server.services.messages.store.hasDue(at: server.clock.now))
        #expect(try await server.wasRecorded(.messageRetried))
        let again = try await server.send(page, in: browser, ["action": "retry", "id": id.text])
        #expect(again.url.hasSuffix("done=gone"))
        #expect(try await server.send(page, in: browser, ["action": "retry", "id": "x"]).url.hasSuffix("done=gone"))
        await server.stop()
    }

    @Test func `what was given up shows why`() async throws {
        let server = try await TestServer.start()
        let browser = try await server.operatorsBrowser(.viewer)
        let queue = server.services.messages
        try await queue.enqueue(
            .test(to: "+4915112345678", by: .sms, in: nil, ambient: server.services.ambient), at: server.clock.now)
        for claim in try await queue.store.claim(limit: 100, leaseSeconds: 60, at: server.clock.now) {
            _ = try await queue.store.finish(
                claim, .dead(reason: "gateway 404"), keepsContent: false, at: server.clock.now)
        }
        let page = try await browser.open("/admin/messages")
        #expect(page.body.contains("gateway 404") && !page.body.contains("+4915112345678"))
        await server.stop()
    }

    @Test func `a test goes to the address, in the language`() async throws {
        let server = try await TestServer.start()
        let browser = try await server.operatorsBrowser(.support)
        let page = try await browser.open("/admin/messages")
        #expect(page.body.contains("value=\"sms\"") && !page.body.contains("value=\"voice\""), "only what is set up")
        let wrong = try await server.send(
            page, in: browser, ["action": "test", "channel": "sms", "to": "\"a@example.com", "locale": "de"])
        #expect(wrong.status == 422 && wrong.hasProblem && wrong.body.contains("&quot;a@example.com"))
        let done = try await server.send(
            page, in: browser, ["action": "test", "channel": "email", "to": "a@example.com", "locale": "de"])
        #expect(done.hasNotice)
        let sent = try #require(try await server.services.messages.newest(limit: 1).first?.message)
        #expect(sent.to == "a@example.com" && sent.locale == "de" && sent.kind == .code && sent.code == "000000")
        #expect(try await server.wasRecorded(.messageTested))
        await server.stop()
    }

    @Test func `a preview shows the text, and the page of a mail in a frame without rights`() async throws {
        let server = try await TestServer.start()
        let browser = try await server.operatorsBrowser(.viewer)
        let page = try await browser.open("/admin/messages/preview?kind=invitation&channel=email&locale=de")
        #expect(page.body.contains("invitation by email in de") && page.body.contains("&lt;p&gt;invitation"))
        #expect(page.header("content-security-policy")?.contains("frame-src 'self'") == true)
        #expect(page.body.contains("src=\"/admin/messages/mail?kind=invitation&amp;locale=de\""))
        #expect(page.body.contains("sandbox"))
        let mail = try await browser.open("/admin/messages/mail?kind=invitation&locale=de")
        #expect(mail.body == "<p>invitation by email in de</p>")
        let policy = mail.header("content-security-policy") ?? ""
        #expect(policy.hasPrefix("sandbox;") && policy.contains("frame-ancestors 'self'"))
        #expect(!policy.contains("script-src") && policy.contains("default-src 'none'"))
        let text = try await browser.open("/admin/messages/preview?kind=code&channel=sms&locale=xx")
        #expect(text.body.contains("code by sms in en") && !text.body.contains("<iframe"))
        #expect(try await server.browser().open("/admin/messages/mail?kind=code").page == "login")
        await server.stop()
    }

    @Test func `viewers see messages and send none`() async throws {
        let server = try await TestServer.start()
        let browser = try await server.operatorsBrowser(.viewer)
        let id = try await failed(server)
        let page = try await browser.open("/admin/messages")
        #expect(page.status == 200 && !page.body.contains("<form"))
        for action in ["test", "retry"] {
            var form = FormParameters()
            form.append("action", action)
            form.append("id", id.text)
            #expect(try await browser.post("/admin/messages", form).status == 403)
        }
        await server.stop()
    }

    @Test func `management sees the queue, sends tests and previews`() async throws {
        let server = try await TestServer.start()
        let id = try await failed(server)
        let waiting = try await server.manage("message/waiting", nil, method: "GET")
        let message = try #require(waiting.json["messages"]?.arrayValue?.first { $0["id"]?.stringValue == id.text })
        #expect(message["state"] == "failed" && message["reason"] == "smtp <450>" && message["to"] == nil)
        #expect(try await server.manage("message/retry", ["id": .string(id.text)]).json["retried"] == true)
        #expect(try await server.manage("message/test", ["to": "a@example.com", "channel": "email"]).status == 200)
        #expect(try await server.manage("message/test", ["to": "a@example.com", "channel": "fax"]).status == 400)
        #expect(try await server.manage("message/dead", nil, method: "GET").json["messages"] == [])
        let shown = try await server.manage("message/preview?kind=code&channel=email&locale=de", nil, method: "GET")
        #expect(shown.json["text"] == "code by email in de" && shown.json["html"] != nil)
        await server.stop()
    }
}
