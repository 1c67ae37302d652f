import Foundation
import Keyturn
import KeyturnBase
import KeyturnVerify
import Model
import ServerTesting
import SignIn
import Testing

@Suite("End to end: an update from DescopeKit signs nobody out")
struct SessionImportEndToEndTests {
    private let directory = NSTemporaryDirectory() + "keyturn-import-" + Ambient.live.randomToken(byteCount: 9)

    /// The updated app, started once more.
    private func app(_ server: TestServer, _ items: DescopeKitFile, losing: LossyTransport? = nil) -> Keyturn {
        let locations = SealedFileStore.Locations(
            stateRoot: directory + "/state", configurationRoot: directory + "/config")
        return Keyturn(
            Service.descope(projectID: "test", baseURL: server.issuer)
                .importing(.descopeKit(projectID: "test", items: items)),
            storage: .custom(SealedFileStore(locations, ambient: server.clock.ambient)),
            transport: losing ?? DatedTransport(server.clock), ambient: server.clock.ambient)
    }

    /// A user signs in with the app as it was: what DescopeKit then keeps.
    private func oldSession(_ server: TestServer) async throws -> (item: DescopeKitFile, session: ManagedSession) {
        let auth = Keyturn(
            .descope(projectID: "test", baseURL: server.issuer), storage: .memory,
            transport: DatedTransport(server.clock), ambient: server.clock.ambient)
        _ = try await auth.password.signIn(loginId: TestServer.username, password: TestServer.password)
        let session = try #require(try await auth.sessionManager.loadSession())
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        return (try DescopeKitFile(directory + "/item", session), session)
    }

    private func eventually(_ condition: () async -> Bool) async -> Bool {
        for _ in 0..<500 {
            if await condition() { return true }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return false
    }

    @Test func `the session is there at launch, is renewed by our server, and goes on`() async throws {
        let server = try await TestServer.start()
        let (item, old) = try await oldSession(server)
        let auth = app(server, item)
        #expect(auth.sessionManager.session?.accessToken == old.accessToken)
        #expect(try await auth.start().isSignedIn)
        #expect(await eventually { !item.exists })
        let token = try await auth.accessToken()
        #expect(token != old.accessToken)
        let verified = try await server.sessionTokens.verify(token, at: server.clock.now)
        #expect(verified.subject == TestServer.subject.rawValue)
        #expect(try await auth.profile.me().userId == TestServer.subject.rawValue)

        server.clock.advance(3_600)
        let next = app(server, item)
        #expect(next.sessionManager.session != nil)
        #expect(try await next.start().isSignedIn)
        #expect(try await next.accessToken() != token)
        try await next.logout()
        #expect(try await app(server, item).start() == .signedOut)
        await server.stop()
        try FileManager.default.removeItem(atPath: directory)
    }

    @Test func `an app that ends before it hears of its first renewal is signed in at the next start`() async throws {
        let server = try await TestServer.start()
        let (item, old) = try await oldSession(server)
        let lossy = LossyTransport(server.clock)
        let auth = app(server, item, losing: lossy)
        #expect(try await auth.start().isSignedIn)
        #expect(await eventually { await lossy.lost > 0 })
        #expect(item.exists)
        server.clock.advance(30)
        let next = app(server, item)
        #expect(try await next.start().isSignedIn)
        #expect(await eventually { !item.exists })
        #expect(try await next.accessToken() != old.accessToken)
        server.clock.advance(601)
        _ = try await app(server, item).accessToken()
        await server.stop()
        try FileManager.default.removeItem(atPath: directory)
    }

    @Test func `tokens that the app hands over by itself are renewed as well`() async throws {
        let server = try await TestServer.start()
        let (_, old) = try await oldSession(server)
        let auth = Keyturn(
            .descope(projectID: "test", baseURL: server.issuer), storage: .memory,
            transport: DatedTransport(server.clock), ambient: server.clock.ambient)
        try await auth.sessionManager.storeSession(
            ManagedSession(accessToken: old.accessToken, refreshToken: old.refreshToken))
        #expect(try await auth.accessToken() == old.accessToken)
        for _ in 0..<3 {
            server.clock.advance(601)
            let token = try await auth.accessToken()
            let verified = try await server.sessionTokens.verify(token, at: server.clock.now)
            #expect(verified.subject == TestServer.subject.rawValue)
        }
        await server.stop()
        try FileManager.default.removeItem(atPath: directory)
    }
}

/// DescopeKit's item, in a file: the bytes that its encoder writes.
private struct DescopeKitFile: LegacySessionItems {
    private struct Contents: Encodable {
        struct User: Encodable {
            let userId: String
            let loginIds: [String]
            let createdAt: Date
            let status = "enabled"
            let isVerifiedEmail = true
            let customAttributes = "{}"
        }
        let sessionJwt: String
        let refreshJwt: String
        let user: User
    }

    let path: String

    init(_ path: String, _ session: ManagedSession) throws {
        self.path = path
        let user = Contents.User(
            userId: session.subject ?? "", loginIds: [TestServer.username],
            createdAt: Date(timeIntervalSince1970: 1_700_000_000.5))
        let contents = Contents(
            sessionJwt: session.accessToken, refreshJwt: session.refreshToken ?? "", user: user)
        try JSONEncoder().encode(contents).write(to: URL(fileURLWithPath: path))
    }

    var exists: Bool { FileManager.default.fileExists(atPath: path) }

    func item(_ item: LegacySessionItem) throws(AuthError) -> [UInt8]? {
        guard item == LegacySessionItem(service: "com.descope.DescopeKit", account: "test") else { return nil }
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        return Array(data)
    }

    func removeItem(_ item: LegacySessionItem) throws(AuthError) {
        try? FileManager.default.removeItem(atPath: path)
    }
}

/// Brings requests to the server, and loses every answer.
private actor LossyTransport: HTTPTransport {
    private let inner: DatedTransport
    private(set) var lost = 0

    init(_ clock: VirtualClock) {
        inner = DatedTransport(clock)
    }

    func send(_ request: HTTPRequest) async throws(AuthError) -> HTTPResponse {
        _ = try await inner.send(request)
        lost += 1
        throw AuthError(.unavailable, "the app has ended")
    }
}
