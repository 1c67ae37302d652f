import KeyturnBase
import KeyturnVerify
import Testing

@testable import Keyturn

@Suite("A session in the vault")
struct VaultSessionTests {
    @Test func `what is stored lies in the vault alone, goes on, and opens with the password again`() async throws {
        let world = try VaultWorld()
        let auth = try await world.stored()
        let token = try await auth.accessToken()
        #expect(await world.store.read("default").isAbsent)
        #expect(await auth.vault.unlockedUser == "andy")
        #expect(try await auth.vault.users == ["andy"])
        #expect(try await auth.vault.hasStoredSession("andy"))
        try await auth.vault.lock()
        #expect(await auth.state == .signedOut)
        #expect(auth.cachedAccessToken() == nil)
        await #expect(throws: AuthError.code(.signedOut)) { try await auth.accessToken() }
        #expect(await world.provider.revoked.isEmpty)
        let after = world.container()
        #expect(try await after.start() == .signedOut)
        var changes = after.changes.makeAsyncIterator()
        try await after.vault.unlock("andy", password: "1234")
        #expect(await changes.next() == SessionChange(.signedIn(.fresh), .unlocked))
        #expect(try await after.accessToken() == token)
        #expect(await after.idToken?.subject == "andy")
        #expect(await world.provider.count("/token") == 1)
    }

    @Test func `every renewal is sealed, so that the next unlock has what is good`() async throws {
        let world = try VaultWorld()
        let auth = try await world.stored()
        for _ in 0..<3 { try await auth.forceRefresh() }
        let newest = await world.provider.refreshToken
        #expect(await world.store.read("default").isAbsent)
        let after = world.container()
        try await after.vault.unlock("andy", password: "1234")
        #expect(await after.keeper.machine.record?.refreshToken == newest)
        world.clock.advance(600)
        #expect(try await after.fetchAPI() == 200)
        #expect(try await auth.vault.refreshToken("andy", password: "1234")?.exposed() == world.provider.refreshToken)
    }

    @Test func `an unlock that asks the service opens nothing that has ended there`() async throws {
        let world = try VaultWorld()
        let auth = try await world.locked()
        try await auth.vault.unlock("andy", password: "1234", renews: true)
        #expect(await world.provider.count("/token") == 2)
        try await auth.vault.lock()
        await world.provider.fail("/token", .unreachable)
        await #expect(throws: AuthError.code(.unavailable)) {
            try await auth.vault.unlock("andy", password: "1234", renews: true)
        }
        #expect(await auth.vault.unlockedUser == nil)
        #expect(try await auth.vault.hasStoredSession("andy"), "it opens once the service can be reached")
        try await auth.vault.unlock("andy", password: "1234", renews: true)
        try await auth.vault.lock()
        await world.provider.fail("/token", .answer(FakeService.invalidGrant))
        await #expect(throws: AuthError.code(.sessionEnded)) {
            try await auth.vault.unlock("andy", password: "1234", renews: true)
        }
        #expect(await auth.vault.unlockedUser == nil)
    }

    @Test func `an unlock that fails to ask the service leaves another user's session open`() async throws {
        let world = try VaultWorld()
        let auth = try await world.stored("bert")
        try await auth.vault.lock()
        try await world.stored("andy", in: auth)
        try await auth.vault.lock()
        let gate = Gate()
        await world.provider.fail("/token", .held(gate))
        let first = Task { try await auth.vault.unlock("andy", password: "1234", renews: true) }
        await gate.someoneArrives()
        try await auth.vault.unlock("bert", password: "1234")
        await gate.open()
        await #expect(throws: AuthError.self) { try await first.value }
        #expect(await auth.vault.unlockedUser == "bert")
    }

    @Test func `a wrong password opens nothing and says what is left; the third locks`() async throws {
        let world = try VaultWorld()
        let auth = try await world.locked()
        for left in [2, 1] {
            let error = await #expect(throws: AuthError.self) { try await auth.vault.unlock("andy", password: "0") }
            #expect(error?.isWrongPassword == true && error?.remainingAttempts == left)
        }
        for password in ["0", "1234"] {
            let error = await #expect(throws: AuthError.self) {
                try await auth.vault.unlock("andy", password: password)
            }
            #expect(error?.isKeyLocked == true)
        }
        #expect(await auth.vault.unlockedUser == nil)
        // The way back: a sign-in, and a new password.
        try await world.stored("andy", password: "5678", in: auth)
        try await auth.vault.lock()
        try await auth.vault.unlock("andy", password: "5678")
    }

    @Test func `signing out revokes and removes the session, and keeps key and data`() async throws {
        for isForced in [false, true] {
            let world = try VaultWorld()
            let auth = try await world.stored()
            try await auth.vault.put([1, 2, 3], named: "a")
            try await auth.logout(force: isForced)
            #expect(await world.provider.revoked.count == 1)
            #expect(await auth.state == .signedOut)
            #expect(await auth.vault.unlockedUser == nil)
            #expect(try await auth.vault.users == ["andy"])
            #expect(try await auth.vault.hasStoredSession("andy") == false)
            await #expect(throws: AuthError.code(.vaultIncomplete)) {
                try await auth.vault.unlock("andy", password: "1234")
            }
            try await auth.authorize(redirectURI: World.redirectURI)
            try await auth.vault.store(existingPassword: "1234")
            #expect(try await auth.vault.data(named: "a") == [1, 2, 3])
            #expect(await world.keys.keys.count == 1)
        }
    }

    @Test func `somebody who signs in leaves the vault as it is, and goes to the plain store`() async throws {
        let world = try VaultWorld()
        await world.provider.set { $0.parallel = [:] }
        let auth = try await world.stored()
        await world.provider.set { $0.subject = "bert" }
        try await auth.authorize(redirectURI: World.redirectURI)
        #expect(await auth.idToken?.subject == "bert")
        #expect(await auth.vault.unlockedUser == nil)
        #expect(await world.store.read("default").record != nil)
        #expect(try await world.container().start() == .signedIn(.fresh))
        try await auth.vault.unlock("andy", password: "1234")
        #expect(await auth.idToken?.subject == "andy")
        #expect(await world.store.read("default").isAbsent)
    }

    @Test func `a sign-in that cannot be stored leaves the unlocked session as it is`() async throws {
        let world = try VaultWorld()
        let auth = try await world.stored()
        await world.provider.set { $0.subject = "bert" }
        let url = try await auth.startAuthorization(SignInOptions(redirectURI: World.redirectURI))
        let callback = try await world.provider.follow(url)
        await world.store.set(writable: false)
        await #expect(throws: AuthError.code(.storeUnavailable)) {
            try await auth.finishAuthorization(callbackURL: callback)
        }
        #expect(await auth.idToken?.subject == "andy")
        #expect(await auth.vault.unlockedUser == "andy")
    }

    @Test func `without storing, the vault stays as it was and renewals live in memory`() async throws {
        let world = try VaultWorld()
        let auth = try await world.locked()
        let before = try await world.record()?.session?.generation
        try await auth.vault.unlock("andy", password: "1234", storeNewRefreshToken: false)
        try await auth.forceRefresh()
        #expect(try await auth.fetchAPI() == 200)
        #expect(try await world.record()?.session?.generation == before)
        world.clock.advance(1)
        #expect(try await auth.fetchAPI() == 200)
        // This service has used up what is stored: the reason why nobody should do so.
        let after = world.container()
        try await after.vault.unlock("andy", password: "1234")
        let error = await #expect(throws: AuthError.self) { try await after.forceRefresh() }
        #expect(error?.isRefreshTokenExpired == true)
        try await auth.logout()
        #expect(try await auth.vault.hasStoredSession("andy") == false)
    }

    @Test func `the end of a session ends it in the vault`() async throws {
        let world = try VaultWorld()
        let auth = try await world.stored()
        await world.provider.forgetSession()
        let error = await #expect(throws: AuthError.self) { try await auth.forceRefresh() }
        #expect(error?.isRefreshTokenExpired == true)
        #expect(await auth.state == .ended(.refused))
        #expect(try await auth.vault.hasStoredSession("andy") == false)
    }

    @Test func `nobody who is signed out stores anything, and no service without keys`() async throws {
        let world = try VaultWorld()
        let auth = world.container()
        await #expect(throws: AuthError.code(.signedOut)) { try await auth.vault.store(newPassword: "1234") }
        await #expect(throws: AuthError.code(.vaultIncomplete)) { try await auth.vault.unlock("andy", password: "1") }
        await #expect(throws: AuthError.code(.vaultLocked)) { try await auth.vault.put([1], named: "a") }
        let other = try await world.world.signedIn("other")
        await #expect(throws: AuthError.code(.unsupported)) { try await other.vault.store(newPassword: "1234") }
        for password in ["", String(repeating: "x", count: 1_025)] {
            await #expect(throws: AuthError.code(.misconfigured)) {
                try await auth.vault.unlock("andy", password: password)
            }
        }
        #expect(await world.keys.requests.isEmpty)
    }
}
