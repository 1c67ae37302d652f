import KeyturnBase
import KeyturnWire
import Testing

@testable import Keyturn

@Suite("A session that DescopeKit left")
struct TakeoverTests {
    @Test func `is taken over, renewed as any other, and then removed there`() async throws {
        let world = try DescopeWorld()
        let old = try await world.leaveSession()
        let auth = world.app()
        var changes = auth.changes.makeAsyncIterator()
        #expect(try await auth.start().isSignedIn)
        #expect(await changes.next() == SessionChange(.signedIn(.fresh), .imported))
        #expect(await changes.next()?.reason == .refreshed)
        #expect(await world.isFinished())
        let requests = await world.service.requests.map { FakeMethods.Recorded($0) }
        let refresh = try #require(requests.last { $0.line == "POST /v1/auth/refresh" })
        #expect(refresh.bearer == "Bearer P1:" + (old.refreshToken ?? ""))
        let session = try #require(auth.sessionManager.session)
        #expect(session.accessToken != old.accessToken)
        #expect(session.refreshToken == (await world.service.refreshToken))
        #expect(session.subject == "U1" && session.userClaims["name"] == "Andy")

        let next = world.app()
        #expect(try await next.start().isSignedIn)
        #expect(try await next.accessToken() == session.accessToken)
        world.clock.advance(601)
        #expect(try await next.accessToken() != session.accessToken)
        #expect(await world.refreshes == 2)
    }

    @Test func `is there at the launch of the session manager, before anything was waited for`() async throws {
        let world = try DescopeWorld()
        let old = try await world.leaveSession()
        let storage = SessionStorage.simple(Shelf())
        let manager = world.app(storage: storage).sessionManager
        let session = try #require(manager.session)
        #expect(session.accessToken == old.accessToken && session.refreshToken == old.refreshToken)
        #expect(session.user?.subject == "U1")
        #expect(try await manager.loadSession() != nil)
        #expect(await eventually { !world.items.has(world.item) })
        #expect(world.app(storage: storage).sessionManager.session != nil)
        let auth = world.app(storage: storage)
        try await auth.logout()
        try world.put(old)
        #expect(world.app(storage: storage).sessionManager.session == nil, "what was signed out of does not come back")
    }

    @Test func `is not shown at launch while it cannot be read, or if it is turned off`() async throws {
        let world = try DescopeWorld()
        try await world.leaveSession()
        #expect(world.app(importing: false, storage: .simple(Shelf())).sessionManager.session == nil)
        world.items.isLocked = true
        #expect(world.app(storage: .simple(Shelf())).sessionManager.session == nil)
    }

    @Test func `keeps the user signed in without a network, and is left there until it was renewed`() async throws {
        let world = try DescopeWorld()
        let old = try await world.leaveSession()
        await world.service.fail("/v1/auth/refresh", .unreachable)
        let auth = world.app()
        #expect(try await auth.start().isSignedIn)
        #expect(await eventually { await world.refreshes == 1 })
        #expect(await eventually { await auth.state == .signedIn(.fresh) })
        #expect(try await auth.accessToken() == old.accessToken)
        #expect(world.items.has(world.item))
        #expect(await world.mark == .taking)
        world.clock.advance(100)
        let next = world.app()
        #expect(try await next.start().isSignedIn)
        #expect(await world.isFinished())
        #expect(try await next.accessToken() != old.accessToken)
    }

    @Test func `that cannot be read now signs no user out, and is taken over later`() async throws {
        let world = try DescopeWorld()
        try await world.leaveSession()
        world.items.isLocked = true
        let auth = world.app()
        await #expect(throws: AuthError(.storeUnavailable, "")) { try await auth.start() }
        #expect(await auth.state == .unknown)
        #expect(await world.mark == nil)
        world.items.isLocked = false
        #expect(try await auth.start().isSignedIn)
        #expect(await world.isFinished())
    }

    @Test func `is looked for until a user has signed in or out`() async throws {
        let world = try DescopeWorld()
        #expect(try await world.app().start() == .signedOut)
        #expect(await world.mark == nil, "the keychain may have hidden what was locked")
        try await world.leaveSession()
        #expect(try await world.app().start().isSignedIn)
        #expect(await world.isFinished())
        let other = try DescopeWorld()
        try await other.app().logout()
        try await other.leaveSession()
        let reads = other.items.reads
        #expect(try await other.app().start() == .signedOut)
        #expect(other.items.reads == reads && other.items.has(other.item))
    }

    @Test(arguments: ["{", #"{"sessionJwt":"a","refreshJwt":"b"}"#])
    func `that is damaged is reported and left alone`(_ text: String) async throws {
        let world = try DescopeWorld()
        try world.items.put(world.item, Array(text.utf8))
        let auth = world.app()
        var changes = auth.changes.makeAsyncIterator()
        #expect(try await auth.start() == .signedOut)
        let change = await changes.next()
        #expect(change?.reason == .notImported && change?.error?.code == .importDamaged && change?.state == .signedOut)
        #expect(world.items.has(world.item))
        #expect(await world.mark == nil, "a later release may know it")
        try await auth.otp.verify(with: .email, loginId: "a@example.com", code: "123456")
        #expect(await world.mark == .done)
        #expect(world.items.has(world.item))
    }

    @Test func `does not come back after a sign-in and a sign-out`() async throws {
        let world = try DescopeWorld()
        let old = try await world.leaveSession()
        world.items.isLocked = true
        let auth = world.app()
        await #expect(throws: AuthError(.storeUnavailable, "")) { try await auth.start() }
        try await auth.otp.verify(with: .email, loginId: "b@example.com", code: "123456")
        world.items.isLocked = false
        #expect(try await world.app().accessToken() != old.accessToken)
        try await auth.logout()
        #expect(try await world.app().start() == .signedOut)
        #expect(world.items.has(world.item), "it was never taken over")
    }

    @Test func `makes way for a user who signs in before it was renewed`() async throws {
        let world = try DescopeWorld()
        try await world.leaveSession()
        let gate = Gate()
        await world.service.fail("/v1/auth/refresh", .held(gate))
        let auth = world.app()
        try await auth.start()
        await gate.someoneArrives()
        await gate.open()
        try await auth.otp.verify(with: .email, loginId: "b@example.com", code: "123456")
        #expect(await world.isFinished())
        #expect(try await world.app().start().isSignedIn)
    }

    @Test func `is given up with a sign-out before anything else, at the service as well`() async throws {
        let world = try DescopeWorld()
        let old = try await world.leaveSession()
        try await world.app().logout()
        #expect(await world.service.ended == [old.refreshToken ?? ""])
        #expect(!world.items.has(world.item))
        #expect(await world.mark == .done)
        #expect(try await world.app().start() == .signedOut)
    }

    @Test func `stays if the sign-out cannot be told to the service`() async throws {
        let world = try DescopeWorld()
        let old = try await world.leaveSession()
        await world.service.fail("/v1/auth/logout", .unreachable)
        let auth = world.app()
        await #expect(throws: AuthError(.unavailable, "")) { try await auth.logout() }
        #expect(world.items.has(world.item))
        #expect(await world.mark == .removing)
        let next = world.app()
        #expect(try await next.accessToken() == old.accessToken)
        #expect(await world.isFinished())
    }

    @Test func `is not taken over after a forced sign-out that could not read it`() async throws {
        let world = try DescopeWorld()
        try await world.leaveSession()
        world.items.isLocked = true
        let auth = world.app()
        await #expect(throws: AuthError(.storeUnavailable, "")) { try await auth.logout() }
        #expect(await world.mark == nil)
        try await auth.logout(force: true)
        world.items.isLocked = false
        #expect(try await world.app().start() == .signedOut)
        #expect(world.items.has(world.item))
    }

    @Test func `is removed later if it was locked when the user signed out`() async throws {
        let world = try DescopeWorld()
        try await world.leaveSession()
        await world.service.fail("/v1/auth/refresh", .unreachable)
        let auth = world.app()
        try await auth.start()
        #expect(await eventually { await auth.state == .signedIn(.fresh) })
        world.items.isLocked = true
        try await auth.logout()
        #expect(await world.mark == .removing)
        world.items.isLocked = false
        #expect(world.items.has(world.item))
        #expect(try await world.app().start() == .signedOut)
        #expect(await world.isFinished())
    }

    @Test func `is forgotten with the container's own session`() async throws {
        let world = try DescopeWorld()
        try await world.leaveSession()
        try await world.app().sessionManager.removeSession()
        #expect(!world.items.has(world.item))
        #expect(await world.service.ended.isEmpty)
        #expect(try await world.app().start() == .signedOut)
    }
}
