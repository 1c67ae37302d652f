import Keyturn
import KeyturnBase
import KeyturnWire
import ServerTesting
import Testing

@Suite("End to end: a program without an authenticator signs in with the browser's passkeys")
struct BrowserPasskeyEndToEndTests {
    private func program(_ server: TestServer, _ page: PasskeyPage) -> Keyturn {
        Keyturn(
            .keyturn(issuer: server.issuer, clientID: "tool", projectID: "test"), storage: .memory, browser: page,
            authenticator: BrowserPasskeys(page, ambient: server.clock.ambient),
            transport: RehousedTransport(server), ambient: server.clock.ambient)
    }

    @Test func `the page says for whom, and its answer signs the program in`() async throws {
        let server = try await TestServer.start(issuer: "http://localhost:8080")
        let page = PasskeyPage(server)
        let auth = program(server, page)
        let first = try await auth.passkeys.signUpOrIn(loginId: "bea@example.com")
        #expect(first.isFirstAuthentication)
        #expect(await page.pages[0].contains("bea@example.com"))
        for name in ["bea@example.com", nil] {
            #expect(try await auth.passkeys.signIn(loginId: name).user.userId == first.user.userId)
        }
        #expect(try await auth.profile.me().userId == first.user.userId)
        #expect(await page.pages.count == 3)
        await server.stop()
    }

    @Test func `whoever cancels on the page has cancelled, and may try again`() async throws {
        let server = try await TestServer.start(issuer: "http://localhost:8080")
        let page = PasskeyPage(server)
        let auth = program(server, page)
        await page.cancel(true)
        let error = await #expect(throws: AuthError.self) { try await auth.passkeys.signUp(loginId: "bea@example.com") }
        #expect(error?.code == .cancelled && error?.passkeyCode == .canceledByUser)
        #expect(try await auth.start() == .signedOut)
        await page.cancel(false)
        _ = try await auth.passkeys.signUp(loginId: "bea@example.com")
        await server.stop()
    }
}
