import KeyturnBase
import Testing

@testable import Keyturn

@Suite("Reauthentication and the ID token")
struct ReauthenticateTests {
    static let claim = "https://authgear.com/claims/user/can_reauthenticate"

    @Test func `reauthentication moves auth_time and keeps the session`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        var changes = auth.changes.makeAsyncIterator()
        let signIn = await auth.keeper.machine.record?.generation.signIn
        world.clock.advance(100)
        let result = try await auth.reauthenticate(redirectURI: World.redirectURI, state: "s")
        #expect(result.state == "s")
        #expect(result.idToken?.authTime == world.clock.now)
        #expect(await auth.authTime == world.clock.now)
        #expect(await auth.keeper.machine.record?.generation.signIn == signIn)
        #expect(await changes.next() == SessionChange(.signedIn(.fresh), .reauthenticated))
        #expect(try await world.container().start() == .signedIn(.fresh))
    }

    @Test(arguments: [true, false])
    func `scenario 11: an answer without a refresh token is about the session, where the service's wire says so`(
        _ isOfSession: Bool
    ) async throws {
        let world = try World()
        let service: Service =
            isOfSession
            ? .keyturn(issuer: FakeService.issuer, clientID: FakeService.clientID, binding: .none)
            : .openID(issuer: FakeService.issuer, clientID: FakeService.clientID)
        let auth = Keyturn(
            service, name: "work", storage: .custom(world.store), browser: FakeBrowser(service: world.service),
            transport: world.service, ambient: world.clock.ambient)
        try await auth.authorize(redirectURI: World.redirectURI)
        let before = try #require(await auth.keeper.machine.record)
        await world.service.set { $0.issuesRefreshTokens = false }
        world.clock.advance(100)
        try await auth.reauthenticate(redirectURI: World.redirectURI)
        let after = try #require(await auth.keeper.machine.record)
        #expect(after.refreshToken == before.refreshToken)
        #expect((after.accessToken == before.accessToken) == isOfSession)
        #expect(after.idToken?.authTime == world.clock.now && after.idToken != before.idToken)
        let stored = try #require(
            try await Keyturn.stored(name: "work", storage: .custom(world.store), ambient: world.clock.ambient))
        #expect(try await stored.start().isSignedIn)
        #expect(await stored.authTime == world.clock.now, "and it is stored")
    }

    @Test func `a recent sign-in is enough, to the second`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        let visits = await world.service.count("/token")
        world.clock.advance(300)
        try await auth.reauthenticate(redirectURI: World.redirectURI, maxAge: 300)
        #expect(await world.service.count("/token") == visits)
        world.clock.advance(1)
        try await auth.reauthenticate(redirectURI: World.redirectURI, maxAge: 300)
        #expect(await world.service.count("/token") == visits + 1)
    }

    @Test func `somebody else cannot reauthenticate for the person`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        await world.service.set { $0.subject = "mallory" }
        await #expect(throws: AuthError(.differentPerson, "")) {
            try await auth.reauthenticate(redirectURI: World.redirectURI)
        }
        #expect(await auth.idToken?.subject == "andy")
    }

    @Test func `a reauthentication does not land in the session of whoever signed in meanwhile`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        let gate = Gate()
        await world.service.fail("/token", .held(gate))
        let late = Task { try await auth.reauthenticate(redirectURI: World.redirectURI) }
        await gate.someoneArrives()
        await world.service.set { $0.subject = "mallory" }
        try await world.container().authorize(redirectURI: World.redirectURI)
        await world.service.set { $0.subject = "andy" }
        await gate.open()
        await #expect(throws: AuthError(.differentPerson, "")) { try await late.value }
        world.clock.advance(1)
        _ = try await auth.accessToken()
        #expect(await auth.idToken?.subject == "mallory")
    }

    @Test func `an old authentication does not pass for a fresh one`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        let old = world.clock.now.rawValue
        world.clock.advance(1_000)
        await world.service.set { $0.claims["auth_time"] = .integer(old) }
        await #expect(throws: AuthError(.tokenInsufficient, "")) {
            try await auth.reauthenticate(redirectURI: World.redirectURI)
        }
    }

    @Test func `a person who cannot reauthenticate is not sent to do it`() async throws {
        let world = try World()
        await world.service.set { $0.claims[Self.claim] = false }
        let auth = Keyturn(
            .keyturn(issuer: FakeService.issuer, clientID: FakeService.clientID), storage: .memory,
            browser: FakeBrowser(service: world.service), transport: world.service, ambient: world.clock.ambient)
        #expect(await !auth.canReauthenticate)
        try await auth.authorize(redirectURI: World.redirectURI)
        #expect(await !auth.canReauthenticate)
        await #expect(throws: AuthError(.cannotReauthenticate, "")) {
            try await auth.reauthenticate(redirectURI: World.redirectURI)
        }
    }

    @Test func `nobody signed in means nobody to reauthenticate`() async throws {
        let auth = try World().container()
        await #expect(throws: AuthError(.signedOut, "")) {
            try await auth.reauthenticate(redirectURI: World.redirectURI)
        }
    }

    @Test func `the ID token is issued anew, and stored`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        await world.service.set { $0.renewsIDToken = true }
        world.clock.advance(10)
        let token = try await auth.refreshIDToken()
        #expect(token.issuedAt == world.clock.now)
        #expect(await auth.idToken == token)
        let other = world.container()
        try await other.start()
        #expect(await other.idToken == token)
    }

    @Test func `an ID token is renewed with one request, however old the session is`() async throws {
        let world = try World()
        _ = try await world.signedIn()
        await world.service.set { $0.renewsIDToken = true }
        world.clock.advance(10_000)
        let auth = world.container()
        let token = try await auth.refreshIDToken()
        #expect(token.issuedAt == world.clock.now)
        #expect(await world.service.count("/token") == 2)
    }

    @Test func `a service that renews no ID token says so`() async throws {
        let auth = try await World().signedIn()
        await #expect(throws: AuthError(.unsupported, "")) { try await auth.refreshIDToken() }
        #expect(await auth.state == .signedIn(.fresh))
    }

    @Test func `an ID token of somebody else at renewal is not taken, and the session stays`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        await world.service.set {
            $0.renewsIDToken = true
            $0.subject = "mallory"
        }
        await #expect(throws: AuthError(.tokenMisdirected, "")) { try await auth.refreshIDToken() }
        #expect(await auth.idToken?.subject == "andy")
        #expect(await auth.state == .signedIn(.fresh))
    }

    @Test func `userinfo about somebody else is refused`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        #expect(try await auth.userInfo()["shoe_size"] == 44)
        await world.service.set { $0.userInfoSubject = "mallory" }
        await #expect(throws: AuthError(.userInfoMismatch, "")) { try await auth.userInfo() }
        #expect(await auth.state == .signedIn(.fresh))
        #expect(await auth.idToken?.subject == "andy")
    }

    @Test func `userinfo about another sub after a reauthentication is an error, and the session goes on`() async throws
    {
        let world = try World()
        let auth = try await world.signedIn()
        await world.service.set { $0.userInfoSubject = "mallory" }
        await #expect(throws: AuthError(.userInfoMismatch, "")) {
            try await auth.reauthenticate(redirectURI: World.redirectURI)
        }
        #expect(await auth.state == .signedIn(.fresh))
        #expect(await auth.idToken?.subject == "andy")
        await world.service.set { $0.userInfoSubject = nil }
        #expect(try await auth.userInfo().subject == "andy")
    }

    @Test func `userinfo renews a token that was turned down`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        await world.service.forgetAccessTokens()
        #expect(try await auth.userInfo().subject == "andy")
    }
}
