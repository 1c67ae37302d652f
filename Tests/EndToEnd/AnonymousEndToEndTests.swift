import Identity
import Keyturn
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("End to end: an app whose users begin without an account")
struct AnonymousEndToEndTests {
    private static let grants = [
        GrantType.authorizationCode.rawValue, GrantType.refreshToken.rawValue, GrantType.anonymousRequest.rawValue,
    ]
    private static let game = TestClients.make(
        "game", method: "none", secret: nil, firstParty: true, native: true
    ) { $0.grantTypes = grants }
    private static let harbour: Client = {
        let client = TestClients.make("harbour", method: "none", secret: nil, firstParty: true, native: true) {
            $0.grantTypes = grants
            $0.scope = ClientProfile.authgearScopes.joined(separator: " ")
        }
        return Client(
            id: client.id, metadata: client.metadata, secretDigests: [], isFirstParty: true, profile: .authgear)
    }()

    private let callback = "http://127.0.0.1:49152/callback"

    /// Which wire the app speaks.
    enum Wire: CaseIterable {
        case keyturn, keyturnUnbound, keyturnBound, authgear
    }

    private func start() async throws -> TestServer {
        try await TestServer.start(clients: [Self.game, Self.harbour])
    }

    private func app(
        _ server: TestServer, _ store: MemoryStore, _ wire: Wire = .keyturn, signsUpAs address: String? = nil,
        answers choice: String = "bring"
    ) -> Keyturn {
        let clock = server.clock
        let ambient = Ambient(
            clock: { clock.now }, uptime: { clock.now.rawValue }, entropy: { Ambient.live.randomBytes($0) })
        let service: Service =
            switch wire {
            case .keyturn: .keyturn(issuer: server.issuer, clientID: "game")
            case .keyturnUnbound: .keyturn(issuer: server.issuer, clientID: "game", binding: .none)
            case .keyturnBound: .keyturn(issuer: server.issuer, clientID: "game", binding: .allTokens)
            case .authgear: .authgear(clientID: "harbour", endpoint: server.issuer)
            }
        return Keyturn(
            service, storage: .custom(store),
            browser: GuestAtBrowser(server: server, address: address, choice: choice),
            transport: DatedTransport(clock), ambient: ambient)
    }

    @Test(arguments: Wire.allCases)
    func `a user begins without an account, and is the same after the app was started again`(_ wire: Wire)
        async throws
    {
        let server = try await start()
        let store = MemoryStore()
        let first = try await app(server, store, wire).anonymous.signIn()
        #expect(first.userInfo.isAnonymous == true && first.userInfo.canReauthenticate != true)
        server.clock.advance(3_600)
        let auth = app(server, store, wire)
        #expect(try await auth.anonymous.hasUser())
        #expect(try await auth.userInfo().subject == first.userInfo.subject, "the session renews itself")
        let again = try await auth.anonymous.signIn()
        #expect(again.userInfo.subject == first.userInfo.subject)
        // A user who signs out leaves nothing behind, and the next user is another one.
        try await auth.logout()
        #expect(try await !auth.anonymous.hasUser())
        let next = try await app(server, store, wire).anonymous.signIn()
        #expect(next.userInfo.subject != first.userInfo.subject)
        await server.stop()
    }

    @Test(arguments: Wire.allCases)
    func `a user who signs up keeps who they were`(_ wire: Wire) async throws {
        let server = try await start()
        let store = MemoryStore()
        let auth = app(server, store, wire, signsUpAs: "new@example.com")
        let guest = try await auth.anonymous.signIn()
        let result = try await auth.anonymous.promote(SignInOptions(redirectURI: callback))
        #expect(result.userInfo.subject == guest.userInfo.subject)
        #expect(result.userInfo.isAnonymous == false)
        #expect(try await !auth.anonymous.hasUser())
        server.clock.advance(3_600)
        #expect(try await app(server, store, wire).userInfo().subject == guest.userInfo.subject)
        await #expect(throws: AuthError(.anonymousUserNotFound, "")) {
            try await auth.anonymous.promote(SignInOptions(redirectURI: callback))
        }
        await server.stop()
    }

    @Test func `a user who has an account goes on with it, with what they had`() async throws {
        let server = try await start()
        let auth = app(server, MemoryStore())
        let guest = try await auth.anonymous.signIn()
        let id = UserID(rawValue: guest.userInfo.subject)
        _ = try await server.services.stores.users.change(id, at: server.clock.now) {
            $0.user.attributes = ["level": 7]
        }
        server.clock.advance(60)
        let result = try await auth.anonymous.promote(SignInOptions(redirectURI: callback))
        #expect(result.userInfo.subject == TestServer.subject.rawValue)
        let account = try await server.services.stores.users.account(TestServer.subject)
        #expect(account?.user.attributes == ["level": 7])
        #expect(try await server.services.stores.users.account(id) == nil)
        await server.stop()
    }

    @Test func `a user who cancels is who they were, in the app as well`() async throws {
        let server = try await start()
        let auth = app(server, MemoryStore(), answers: "deny")
        let guest = try await auth.anonymous.signIn()
        server.clock.advance(60)
        await #expect(throws: AuthError.self) {
            try await auth.anonymous.promote(SignInOptions(redirectURI: callback))
        }
        #expect(try await auth.userInfo().subject == guest.userInfo.subject)
        #expect(try await auth.anonymous.signIn().userInfo.subject == guest.userInfo.subject)
        await server.stop()
    }

    @Test func `users are removed ninety days after their last session is over, and others stay`() async throws {
        let server = try await start()
        let (idle, busy) = (app(server, MemoryStore()), app(server, MemoryStore()))
        let gone = UserID(rawValue: try await idle.anonymous.signIn().userInfo.subject)
        let kept = UserID(rawValue: try await busy.anonymous.signIn().userInfo.subject)
        let upkeep = Upkeep(server.services) { _ in }
        let users = server.services.stores.users
        // The session lives for thirty days without use, its row for one more; then the ninety days begin.
        for _ in 0..<11 {
            server.clock.advance(11 * 86_400)
            await upkeep.maintainKeys()
            _ = try await busy.userInfo()
            await upkeep.removeExpired()
        }
        #expect(try await users.account(gone) != nil, "121 days")
        #expect(try await users.account(kept) != nil)
        for _ in 0..<2 {
            server.clock.advance(11 * 86_400)
            await upkeep.maintainKeys()
            _ = try await busy.userInfo()
            await upkeep.removeExpired()
        }
        #expect(try await users.account(gone) == nil)
        #expect(try await users.account(kept)?.user.isAnonymous == true)
        #expect(try await users.account(TestServer.subject) != nil)
        _ = try await server.services.auditLog.flush()
        let events = try await server.services.stores.audit.newest(limit: 1_000).filter { $0.userID == gone }
        #expect(events.contains { $0.kind == .userDeleted && $0.reason == "anonymous_unseen" })
        // The app finds out, and the next call makes a new user.
        await #expect(throws: AuthError(.anonymousUserNotFound, "")) { try await idle.anonymous.signIn() }
        #expect(try await idle.anonymous.signIn().userInfo.subject != gone.rawValue)
        await server.stop()
    }
}

/// A person who used an app without an account, and now signs up, or signs in to an account that is there.
struct GuestAtBrowser: BrowserAgent {
    let server: TestServer
    /// Of the new account; `nil`: signs in to the one that every test server has.
    let address: String?
    /// What the person presses where the page asks.
    let choice: String

    func prepare(redirectURI: String) async throws(AuthError) -> any WebAuthenticationSession {
        Window(redirectURI: redirectURI, guest: self)
    }

    private struct Window: WebAuthenticationSession {
        let redirectURI: String
        let guest: GuestAtBrowser

        func open(_ url: String, state: String) async throws(AuthError) -> String {
            do {
                return try await guest.walk(url)
            } catch {
                throw AuthError(.cancelled, "the browser did not come back: \(error)")
            }
        }

        func close() async {}
    }

    private func walk(_ url: String) async throws -> String {
        let browser = server.browser()
        var screen = try await browser.open(url)
        if let address {
            let transaction = screen.hiddenFields.first { $0.name == "transaction" }?.value ?? ""
            let form = try await browser.open("/signup?transaction=\(transaction)")
            screen = try await browser.submit(form, ["name": "New", "identifier": address, "action": "code"])
            let sent = try await server.services.messages.newest(limit: 10).map(\.message).last { $0.to == address }
            guard let code = sent?.code else { throw TestFailure("no code was sent") }
            screen = try await browser.submit(screen, ["code": code])
        } else {
            screen = try await server.complete(screen, in: browser)
        }
        if screen.page == "promotion" { screen = try await browser.submit(screen, ["action": choice]) }
        guard let location = screen.header("location") else {
            throw TestFailure("the sign-in ended on page \(screen.page ?? "none"), status \(screen.status)")
        }
        return location
    }
}
