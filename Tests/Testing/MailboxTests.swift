import Keyturn
import KeyturnTesting
import Testing

@Suite("KeyturnTesting: the mailbox")
struct MailboxTests {
    @Test func `a code and a link are read from the messages, and each is given once`() async throws {
        let client = TestClient("app", redirectURIs: ["https://app.example/link"])
        try await withTestServer(clients: [client]) { server in
            let auth = server.makeKeyturn()
            for address in ["bea@example.com", "bea@example.com"] {
                _ = try await auth.otp.signUpOrIn(with: .email, loginId: address)
                let code = try await server.mailbox.code(to: address)
                let answer = try await auth.otp.verify(with: .email, loginId: address, code: code)
                #expect(answer.user.email == address)
                await server.clock.advance(by: .seconds(60))
            }
            _ = try await auth.magicLink.signIn(
                with: .email, loginId: "bea@example.com", redirectURL: "https://app.example/link")
            let link = try await server.mailbox.link(to: "bea@example.com")
            #expect(link.hasPrefix("https://app.example/link?"))
            let messages = try await server.mailbox.messages(to: "bea@example.com")
            #expect(messages.count >= 3 && messages.allSatisfy { $0.channel == "email" && !$0.subject.isEmpty })
            #expect(messages.compactMap(\.code).count >= 2 && messages.last?.links.first == link)
        }
    }

    @Test func `a text message counts as well`() async throws {
        try await withTestServer { server in
            let auth = server.makeKeyturn()
            _ = try await auth.otp.signIn(with: .sms, loginId: "+15551234567")
            let code = try await server.mailbox.code(to: "+15551234567")
            #expect(try await server.mailbox.messages(to: "+15551234567").last?.body.contains(code) == true)
        }
    }

    @Test func `it waits for a message that comes later`() async throws {
        try await withTestServer { server in
            let auth = server.makeKeyturn()
            async let code = server.mailbox.code(to: "andy@example.com", within: .seconds(20))
            try await Task.sleep(for: .milliseconds(200))
            _ = try await auth.otp.signIn(with: .email, loginId: "andy@example.com")
            #expect(try await code.count == 6)
        }
    }

    @Test func `what does not come is an error that says what did`() async throws {
        try await withTestServer { server in
            let brief = Duration.milliseconds(50)
            let none = await #expect(throws: TestProblem.self) {
                try await server.mailbox.code(to: "andy@example.com", within: brief)
            }
            #expect(none?.description.contains("no new message with a code came to andy@example.com") == true)
            #expect(none?.description.hasSuffix("there are no messages at all") == true)
            let auth = server.makeKeyturn()
            _ = try await auth.otp.signIn(with: .email, loginId: "andy@example.com")
            let code = try await server.mailbox.code(to: "andy@example.com")
            for address in ["andy@example.com", "bea@example.com"] {
                let problem = await #expect(throws: TestProblem.self) {
                    try await server.mailbox.code(to: address, within: brief)
                }
                let text = try #require(problem?.description)
                #expect(text.contains("to andy@example.com, with a code") && text.hasSuffix("taken before"), "\(text)")
                #expect(!text.contains(code), "a code is no part of an error")
            }
        }
    }
}
