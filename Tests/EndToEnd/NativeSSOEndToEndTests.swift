import Identity
import Keyturn
import KeyturnBase
import ServerTesting
import KeyturnVerify
import KeyturnWire
import Model
import Testing

@Suite("End to end: the apps of one vendor sign in once, OpenID Connect Native SSO")
struct NativeSSOEndToEndTests {
    private static let callback = "http://127.0.0.1:49152/callback"
    private let store = MemoryStore()
    private var group: SharedSignIn { SharedSignIn(storage: .custom(store)) }

    private static func client(_ id: String, _ configure: (inout ClientMetadata) -> Void = { _ in }) -> Client {
        TestClients.make(id, method: "none", secret: nil, firstParty: true, native: true) {
            $0.grantTypes = ["authorization_code", "refresh_token", GrantType.tokenExchange.rawValue]
            $0.scope = "openid profile email offline_access device_sso"
            configure(&$0)
        }
    }

    private func start() async throws -> TestServer {
        let clients = [
            Self.client("mail"), Self.client("calendar"),
            Self.client("safe") { $0.defaultACRValues = ["urn:keyturn:acr:mfa"] },
        ]
        let server = try await TestServer.start(clients: clients)
        server.clock.advance(11)
        return server
    }

    private func app(
        _ server: TestServer, _ clientID: String, storage: SessionStorage = .memory, shares: Bool = true
    ) -> Keyturn {
        let service = Service.keyturn(issuer: server.issuer, clientID: clientID)
        return Keyturn(
            shares ? service.sharingSignIn(in: group) : service, storage: storage,
            browser: PersonAtBrowser(browser: server.browser()), transport: DatedTransport(server.clock),
            ambient: server.clock.ambient)
    }

    @Test func `the second app needs no page, renews its own session, and ends with the first`() async throws {
        let server = try await start()
        let mail = app(server, "mail")
        let calendar = app(server, "calendar")
        #expect(try await calendar.nativeSSO.user() == nil)
        await #expect(throws: AuthError(.signedOut, "")) { try await calendar.nativeSSO.signIn() }
        let first = try await mail.authorize(SignInOptions(redirectURI: Self.callback))
        #expect(try await calendar.nativeSSO.user()?.subject == first.userInfo.subject)
        let second = try await calendar.nativeSSO.signIn()
        #expect(second.userInfo.email == TestServer.username)
        #expect(second.idToken?.authTime == first.idToken?.authTime)
        let token = try await calendar.accessToken()
        server.clock.advance(700)
        #expect(try await calendar.accessToken() != token)
        #expect(try await mail.userInfo().subject == second.userInfo.subject)
        try await mail.logout()
        #expect(try await calendar.nativeSSO.user() == nil)
        server.clock.advance(700)
        await #expect(throws: AuthError(.sessionEnded, "")) { try await calendar.accessToken() }
        await server.stop()
    }

    @Test func `signing out of the second app leaves the first one, and what is shared`() async throws {
        let server = try await start()
        let (mail, calendar) = (app(server, "mail"), app(server, "calendar"))
        try await mail.authorize(SignInOptions(redirectURI: Self.callback))
        try await calendar.nativeSSO.signIn()
        try await calendar.logout()
        server.clock.advance(700)
        _ = try await mail.accessToken()
        try await calendar.nativeSSO.signIn()
        #expect(await calendar.state == .signedIn(.fresh))
        await server.stop()
    }

    @Test func `a sign-in that is over at the server is taken out of the group`() async throws {
        let server = try await start()
        let (mail, calendar) = (app(server, "mail"), app(server, "calendar"))
        try await mail.authorize(SignInOptions(redirectURI: Self.callback))
        _ = try await server.services.stores.grants.endEverything(
            of: TestServer.subject, reason: .logout, at: server.clock.now)
        let error = await #expect(throws: AuthError.self) { try await calendar.nativeSSO.signIn() }
        #expect(error?.code == .signedOut && error?.server?.code == "invalid_grant")
        #expect(try await calendar.nativeSSO.user() == nil)
        #expect(await calendar.state.isSignedIn == false)
        await server.stop()
    }

    @Test func `an app that wants two factors is told to use the browser, and what is shared stays`() async throws {
        let server = try await start()
        try await app(server, "mail").authorize(SignInOptions(redirectURI: Self.callback))
        let safe = app(server, "safe")
        let error = await #expect(throws: AuthError.self) { try await safe.nativeSSO.signIn() }
        #expect(error?.server?.code == "interaction_required")
        #expect(try await safe.nativeSSO.user() != nil)
        await server.stop()
    }

    @Test func `what is shared is worth nothing without the key of the group`() async throws {
        let server = try await start()
        try await app(server, "mail").authorize(SignInOptions(redirectURI: Self.callback))
        let name = "native-sso/vendor/\(server.issuer)"
        guard case .found(let stolen) = await store.read(name) else { throw TestFailure("nothing is shared") }
        let elsewhere = MemoryStore()
        _ = try await elsewhere.write(stolen, for: name, when: .absent)
        let thief = Keyturn(
            .keyturn(issuer: server.issuer, clientID: "calendar")
                .sharingSignIn(in: SharedSignIn(storage: .custom(elsewhere))),
            storage: .memory, transport: DatedTransport(server.clock), ambient: server.clock.ambient)
        await #expect(throws: AuthError(.deviceKeyLost, "")) { try await thief.nativeSSO.signIn() }
        await server.stop()
    }

    @Test func `a session that began before the app joined the group goes on`() async throws {
        let server = try await start()
        let store = MemoryStore()
        let before = app(server, "mail", storage: .custom(store), shares: false)
        try await before.authorize(SignInOptions(redirectURI: Self.callback))
        let token = try await before.accessToken()
        server.clock.advance(700)
        let after = app(server, "mail", storage: .custom(store))
        #expect(try await after.accessToken() != token)
        try await after.logout()
        #expect(await after.state.isSignedIn == false)
        await server.stop()
    }

    /// Does something after the answer to a token exchange came, and before the app has it.
    private struct Interruption: HTTPTransport {
        let inner: DatedTransport
        let body = Locked<@Sendable () async -> Void>({})

        func send(_ request: HTTPRequest) async throws(AuthError) -> HTTPResponse {
            let response = try await inner.send(request)
            if String(decoding: request.body ?? [], as: UTF8.self).contains("token-exchange") {
                await body.withLock { $0 }()
            }
            return response
        }
    }

    @Test func `an answer that comes after a sign-out signs no user in, and its session is given back`() async throws {
        let server = try await start()
        try await app(server, "mail").authorize(SignInOptions(redirectURI: Self.callback))
        let transport = Interruption(inner: DatedTransport(server.clock))
        let calendar = Keyturn(
            .keyturn(issuer: server.issuer, clientID: "calendar").sharingSignIn(in: group), storage: .memory,
            transport: transport, ambient: server.clock.ambient)
        transport.body.withLock { $0 = { try? await calendar.logout(force: true) } }
        await #expect(throws: AuthError(.signedOut, "")) { try await calendar.nativeSSO.signIn() }
        #expect(await calendar.state.isSignedIn == false)
        let grants = try await server.services.stores.grants.grants(
            of: TestServer.subject, limit: 10, at: server.clock.now)
        #expect(grants.map(\.clientID) == ["mail"])
        await server.stop()
    }

    @Test func `another sign-in of the same app takes what it shared out of the group`() async throws {
        let server = try await start()
        let service = Service.keyturn(issuer: server.issuer, clientID: "mail", projectID: "test")
        let mail = Keyturn(
            service.sharingSignIn(in: group), storage: .memory, browser: PersonAtBrowser(browser: server.browser()),
            transport: DatedTransport(server.clock), ambient: server.clock.ambient)
        try await mail.authorize(SignInOptions(redirectURI: Self.callback))
        #expect(try await mail.nativeSSO.user() != nil)
        try await mail.otp.signIn(with: .email, loginId: TestServer.username)
        let code = try #require(try await server.newestMessage(to: TestServer.username).code)
        try await mail.otp.verify(with: .email, loginId: TestServer.username, code: code)
        #expect(try await app(server, "calendar").nativeSSO.user() == nil)
        await server.stop()
    }

    @Test func `an app without a group is told what to do`() async throws {
        let alone = Keyturn(.keyturn(issuer: "https://id.example", clientID: "a"), storage: .memory)
        let error = await #expect(throws: AuthError.self) { try await alone.nativeSSO.user() }
        #expect(error?.code == .misconfigured)
        let authgear = Service.authgear(clientID: "a", endpoint: "https://a.authgear.cloud").sharingSignIn(in: group)
        await #expect(throws: AuthError(.misconfigured, "")) {
            try await Keyturn(authgear, storage: .memory).nativeSSO.user()
        }
    }
}
