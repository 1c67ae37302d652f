import KeyturnAuthenticator
import KeyturnBase
import KeyturnWebAuthn
import KeyturnWire
import ServerTesting
import SignIn
import Testing

@testable import Web

@Suite("The page that performs a ceremony for a program")
struct PasskeyCeremonyTests {
    private static let target = "http://127.0.0.1:49152/done"

    private func start(
        _ server: TestServer, _ path: String = "signin", _ loginID: String = TestServer.username, refresh: String? = nil
    ) async throws -> (id: String, page: String) {
        let answer = try await server.call(
            "webauthn/\(path)/start", ["loginId": .string(loginID), "origin": .string(server.issuer)], refresh: refresh)
        return (
            try #require(answer.json["transactionId"]?.stringValue, "\(answer.body)"),
            try #require(answer.json["page"]?.stringValue)
        )
    }

    private func open(
        _ server: TestServer, _ transaction: String, _ redirectURI: String? = target, state: String? = nil
    ) async throws -> ScriptedBrowser.Screen {
        var query = FormParameters()
        query.append("transaction", transaction)
        if let redirectURI { query.append("redirect_uri", redirectURI) }
        if let state { query.append("state", state) }
        return try await server.browser().open("/passkey?" + query.encoded)
    }

    @Test func `a program's sign-in is performed, and its answer ends the transaction`() async throws {
        let server = try await TestServer.startWithPasskeys()
        var device = PasskeyDevice(server)
        try await server.givePasskey(on: &device)
        let transaction = try await start(server)
        let page = try await open(server, transaction.page, state: "a b&c=1#é")
        #expect(page.page == "passkey" && page.body.contains(TestServer.username) && page.body.contains("Test"))
        #expect(page.header("content-security-policy")?.contains("form-action 'self'") == true)
        #expect(page.header("x-frame-options") == "DENY")
        let prefix = "data-return=\"\(Self.target)?state=a%20b%26c%3D1%23%C3%A9&amp;\""
        #expect(page.body.contains(prefix), "\(page.body)")
        let answer = try device.answer(page)
        let done = try await server.call(
            "webauthn/signin/finish", ["transactionId": .string(transaction.id), "response": .string(answer)])
        #expect(done.status == 200 && done.refreshJWT != nil, "\(done.body)")
        await server.stop()
    }

    @Test func `what stands in the address ends nothing, and the transaction opens no page`() async throws {
        let server = try await TestServer.startWithPasskeys()
        var device = PasskeyDevice(server)
        let transaction = try await start(server, "signup", "new@example.com")
        let answer = try device.answer(try await open(server, transaction.page))
        let stolen = try await server.call(
            "webauthn/signup/finish", ["transactionId": .string(transaction.page), "response": .string(answer)])
        #expect(stolen.status == 401)
        #expect(try await open(server, transaction.id, state: "s").status == 303)
        let body: JSONValue = ["transactionId": .string(transaction.id), "response": .string(answer)]
        #expect(try await server.call("webauthn/signup/finish", body).status == 200)
        #expect(try await server.call("webauthn/signup/finish", body).status == 401, "answered once")
        await server.stop()
    }

    @Test func `a passkey is made for a program, and the page says for whom`() async throws {
        let server = try await TestServer.startWithPasskeys()
        var device = PasskeyDevice(server)
        let transaction = try await start(server, "signup", "new@example.com")
        let page = try await open(server, transaction.page, "http://[::1]:80/?x=1")
        #expect(page.page == "passkey" && page.body.contains("new@example.com"))
        #expect(page.body.contains("data-return=\"http://[::1]:80/?x=1&amp;\""), "no state, none comes back")
        let done = try await server.call(
            "webauthn/signup/finish",
            ["transactionId": .string(transaction.id), "response": .string(try device.answer(page))])
        #expect(done.status == 200, "\(done.body)")
        await server.stop()
    }

    @Test(arguments: [
        "", "https://127.0.0.1:8080/", "http://127.0.0.1/", "http://127.0.0.1:8080", "http://127.0.0.1:0/",
        "http://127.0.0.1:65536/", "http://localhost:8080/", "http://evil.test:80/", "http://127.0.0.1:80@evil.test/",
        "http://user@127.0.0.1:8080/", "http://127.0.0.1.evil.test:80/", "http://127.0.0.2:8080/", "http://[::2]:80/",
        "http://127.0.0.1:8080/#there", "http://127.0.0.1:8080/\\evil.test", "javascript:alert(1)//http://127.0.0.1:1/",
        "http://127.0.0.1:8080/\"onclick=", "http://127.0.0.1:8080/ x", " http://127.0.0.1:8080/",
        "http://127.0.0.1:8080/\n", "HTTP://127.0.0.1:8080/", "//127.0.0.1:8080/", "http://[::ffff:127.0.0.1]:80/",
        "http://127.0.0.1:8080/" + String(repeating: "a", count: 2_048),
    ])
    func `111: nothing comes back to any other address`(_ address: String) async throws {
        #expect(LoopbackReturn(address) == nil)
    }

    @Test func `111: a page with a wrong address sends nobody anywhere`() async throws {
        let server = try await TestServer.startWithPasskeys()
        let transaction = try await start(server)
        for address in [nil, "https://evil.test/", "http://localhost:8080/"] {
            let refused = try await open(server, transaction.page, address)
            #expect(refused.status == 400 && refused.page == "error" && refused.header("location") == nil)
            #expect(!refused.body.contains("evil.test"))
        }
        let long = try await open(server, transaction.page, state: String(repeating: "x", count: 2_049))
        #expect(long.status == 400 && long.page == "error")
        let longest = try await open(server, transaction.page, state: String(repeating: "x", count: 2_048))
        #expect(longest.page == "passkey")
        await server.stop()
    }

    @Test func `what cannot be performed comes back as an error`() async throws {
        let other = RelyingParty(
            policy: try WebAuthnPolicy(rpID: "example.com", rpName: "Other", origins: ["https://example.com"]))
        let server = try await TestServer.startWithPasskeys(relyingParties: [other])
        let begun = try await server.call(
            "webauthn/signin/start", ["loginId": .string(TestServer.username), "origin": "https://example.com"])
        let foreign = try #require(begun.json["page"]?.stringValue, "\(begun.body)")
        let late = try await start(server).page
        let cases = [
            ("invalid_domain", foreign), ("unexpected", ""), ("unexpected", "nonsense"), ("unexpected", late),
        ]
        for (code, transaction) in cases {
            if transaction == late { server.clock.advance(331) }
            let refused = try await open(server, transaction, state: "s")
            #expect(refused.status == 303 && refused.header("location") == "\(Self.target)?state=s&error=\(code)")
        }
        await server.stop()
    }
}
