import KeyturnBase
import KeyturnWire
import Model
import Testing

@testable import Web

@Suite("Development: the outbox")
struct OutboxPageTests {
    @Test func `web addresses are links, and an app's own addresses are text`() throws {
        let message = OutboxMessage(
            id: MessageID(idempotencyKey: "1"), kind: .magicLink, channel: .email, to: "maria@example.test",
            subject: "Sign in", body: "Open the link.", code: nil,
            links: ["https://id.example.test/link", "com.example.app:/link"],
            createdAt: UnixTime(rawValue: 1_700_000_000))
        let html = PageRenderer().html(
            OutboxPage(messages: [message]),
            look: PageLook(language: .english, colorScheme: .system, projectName: "Harbour"))
        #expect(html.contains("<a href=\"https://id.example.test/link\">https://id.example.test/link</a>"))
        #expect(html.contains("<p><code>com.example.app:/link</code></p>"))
    }
}
