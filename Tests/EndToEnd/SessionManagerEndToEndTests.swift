import Foundation
import Identity
import Keyturn
import KeyturnBase
import KeyturnVerify
import Model
import ServerTesting
import SignIn
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("End to end: sessions in the manner of DescopeKit, with our SDK at our server")
struct SessionManagerEndToEndTests {
    /// Remembers what it was told.
    private final class Delegate: SessionManagerDelegate {
        let told = Locked<[String]>([])

        func sessionManagerDidUpdateTokens(_ manager: SessionManager, session: ManagedSession) async {
            told.withLock { $0.append("tokens") }
        }

        func sessionManagerDidFail(_ manager: SessionManager, error: AuthError) async {
            told.withLock { $0.append(error.code.rawValue) }
        }

        func hears(_ what: String) async throws {
            for _ in 0..<500 {
                if told.withLock({ $0.contains(what) }) { return }
                try await Task.sleep(for: .milliseconds(10))
            }
            throw TestFailure("the delegate did not hear \(what), but \(told.withLock { $0 })")
        }
    }

    private func app(_ server: TestServer, _ store: MemoryStore) -> Keyturn {
        Keyturn(
            .keyturn(issuer: server.issuer, clientID: "tool", projectID: "test"), name: "app",
            storage: .custom(store), browser: PersonAtBrowser(browser: server.browser()),
            transport: DatedTransport(server.clock), ambient: server.clock.ambient)
    }

    /// Signs in with a code that came by email, and has the manager take the session up, as the document's app does.
    private func signIn(_ auth: Keyturn, _ server: TestServer) async throws {
        try await auth.otp.signIn(with: .email, loginId: TestServer.username)
        let code = try #require(try await server.newestMessage(to: TestServer.username).code)
        let answer = try await auth.otp.verify(with: .email, loginId: TestServer.username, code: code)
        try await auth.sessionManager.storeSession(ManagedSession(from: answer))
    }

    /// The header that a request would have.
    private func header(_ auth: Keyturn, _ server: TestServer) async throws -> String? {
        var request = URLRequest(url: try #require(URL(string: server.issuer + "/api")))
        try await request.setAuthorizationHTTPHeaderField(from: auth.sessionManager)
        return request.value(forHTTPHeaderField: "Authorization")
    }

    @Test func `a session is taken up, presented, renewed, found at the next launch and cleared`() async throws {
        let server = try await TestServer.start()
        let store = MemoryStore()
        let auth = app(server, store)
        let delegate = Delegate()
        auth.sessionManager.addDelegate(delegate)
        try await signIn(auth, server)
        #expect(auth.sessionManager.session?.user?.email == TestServer.username)
        let first = try #require(try await header(auth, server))
        #expect(first.hasPrefix("Bearer "))
        let verified = try await server.sessionTokens.verify(String(first.dropFirst(7)), at: server.clock.now)
        #expect(verified.subject == TestServer.subject.rawValue)
        #expect(try await auth.sessionManager.refreshSessionIfNeeded() == false)
        server.clock.advance(601)
        #expect(try await auth.sessionManager.refreshSessionIfNeeded())
        try await delegate.hears("tokens")
        #expect(try await header(auth, server) != first)

        let next = app(server, store)
        #expect(next.sessionManager.isLoaded && next.sessionManager.session?.subject == TestServer.subject.rawValue)
        server.clock.advance(601)
        #expect(try await next.sessionManager.refreshSessionIfNeeded())
        try await next.sessionManager.removeSession()
        #expect(next.sessionManager.session == nil)
        #expect(try await header(next, server) == nil)
        #expect(app(server, store).sessionManager.session == nil)
        await server.stop()
    }

    @Test func `a session that the server ended is gone, and the delegate hears why`() async throws {
        let server = try await TestServer.start()
        let auth = app(server, MemoryStore())
        let delegate = Delegate()
        auth.sessionManager.addDelegate(delegate)
        try await signIn(auth, server)
        _ = try await server.services.stores.grants.endEverything(
            of: TestServer.subject, reason: .logout, at: server.clock.now)
        server.clock.advance(601)
        await #expect(throws: AuthError(.sessionEnded, "")) { try await auth.sessionManager.refreshSessionIfNeeded() }
        #expect(auth.sessionManager.session == nil)
        try await delegate.hears(AuthError.Code.sessionEnded.rawValue)
        await server.stop()
    }

    @Test func `the manager shows the session of a page, too`() async throws {
        let server = try await TestServer.start()
        server.clock.advance(11)
        let auth = app(server, MemoryStore())
        try await auth.authorize(SignInOptions(redirectURI: "http://127.0.0.1:49152/callback"))
        #expect(auth.sessionManager.session?.subject == TestServer.subject.rawValue)
        let first = try await header(auth, server)
        server.clock.advance(601)
        #expect(try await header(auth, server) != first)
        await server.stop()
    }
}
