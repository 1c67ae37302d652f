import KeyturnAuthenticator
import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("What a passkey signed before its user's sessions ended")
struct EndedPasskeyTests {
    /// A sign-in of the methods' wire, and its signed answer.
    private func signed(_ server: TestServer, _ device: inout PasskeyDevice, _ name: String) async throws -> JSONValue {
        let started = try await server.call(
            "webauthn/signin/start", ["loginId": .string(name), "origin": .string(server.issuer)])
        var query = FormParameters()
        query.append("transaction", try #require(started.json["page"]?.stringValue, "\(started.body)"))
        query.append("redirect_uri", "http://127.0.0.1:49152/done")
        let answer = try device.answer(try await server.browser().open("/passkey?" + query.encoded))
        return ["transactionId": started.json["transactionId"] ?? .null, "response": .string(answer)]
    }

    private func end(_ server: TestServer) async throws {
        _ = try await server.services.stores.grants.endEverything(
            of: TestServer.subject, reason: .logout, at: server.clock.now)
    }

    @Test(arguments: [(TestServer.username, 0), (TestServer.username, 5), ("", 1), ("", 5)] as [(String, Int64)])
    func `it opens nothing afterwards on the wire, within the second if the user was named`(
        name: String, seconds: Int64
    ) async throws {
        let server = try await TestServer.startWithPasskeys()
        var device = PasskeyDevice(server)
        try await server.givePasskey(on: &device)
        let control = try await signed(server, &device, name)
        #expect(try await server.call("webauthn/signin/finish", control).status == 200)
        let early = try await signed(server, &device, name)
        server.clock.advance(seconds)
        try await end(server)
        let refused = try await server.call("webauthn/signin/finish", early)
        #expect(refused.status == 401 && refused.refreshJWT == nil)
        server.clock.advance(1)
        let later = try await signed(server, &device, name)
        #expect(try await server.call("webauthn/signin/finish", later).status == 200)
        await server.stop()
    }

    @Test func `a sign-in that names its user after the end, within the second, goes on`() async throws {
        let server = try await TestServer.startWithPasskeys()
        var device = PasskeyDevice(server)
        try await server.givePasskey(on: &device)
        try await end(server)
        let answer = try await signed(server, &device, TestServer.username)
        #expect(try await server.call("webauthn/signin/finish", answer).status == 200)
        await server.stop()
    }

    @Test(arguments: [true, false])
    func `nor on the first page, which waited since before`(ends: Bool) async throws {
        let server = try await TestServer.startWithPasskeys()
        var device = PasskeyDevice(server)
        try await server.givePasskey(on: &device)
        let page = try await server.loginPage(device.browser)
        let answer = try device.answer(page)
        server.clock.advance(1)
        if ends { try await end(server) }
        let done = try await device.post(page, answer)
        #expect((done.status == 303) == !ends)
        #expect((device.browser.cookieJar["keyturn-session"] == nil) == ends)
        await server.stop()
    }
}
