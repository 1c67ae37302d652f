import KeyturnBase
import KeyturnVerify
import Testing

@testable import Keyturn

@Suite("Users of a vault")
struct VaultUserTests {
    static let prompt = BiometricPrompt(reason: "Unlock")

    @Test func `9: two users have keys, touches and sessions of their own, and clearing one leaves the other`()
        async throws
    {
        let world = try VaultWorld()
        await world.provider.set { $0.parallel = [:] }
        let auth = try await world.locked("andy", password: "1111")
        try await world.locked("bert", password: "2222")
        #expect(try await auth.vault.users == ["andy", "bert"])
        #expect(await world.keys.keys.count == 2)
        try await auth.vault.enableBiometrics("bert", password: "2222")
        #expect(try await auth.vault.hasBiometrics("andy") == false)
        #expect(try await auth.vault.hasBiometrics("bert"))
        await #expect(throws: AuthError.code(.vaultWrongPassword)) {
            try await auth.vault.unlock("andy", password: "2222")
        }
        for (user, password) in [("andy", "1111"), ("bert", "2222"), ("andy", "1111")] {
            try await auth.vault.unlock(user, password: password)
            try await auth.forceRefresh()
            #expect(await auth.idToken?.subject == user)
            #expect(try await auth.fetchAPI() == 200)
        }
        try await auth.vault.clear("bert")
        #expect(try await auth.vault.users == ["andy"])
        #expect(await world.device.secrets.isEmpty)
        #expect(await auth.vault.unlockedUser == "andy")
        try await auth.forceRefresh()
        try await auth.vault.lock()
        try await auth.vault.unlock("andy", password: "1111")
        #expect(try await auth.fetchAPI() == 200)
        await #expect(throws: AuthError.code(.vaultIncomplete)) {
            try await auth.vault.unlock("bert", password: "2222")
        }
    }

    @Test func `10: a user who is cleared while the unlock is under way stays cleared`() async throws {
        let world = try VaultWorld()
        let auth = try await world.locked()
        let gate = Gate()
        await world.keys.fail("key", .answerHeld(gate))
        let unlocking = Task { try await auth.vault.unlock("andy", password: "1234") }
        await gate.someoneArrives()
        try await auth.vault.clear("andy")
        await gate.open()
        await #expect(throws: AuthError.code(.vaultIncomplete)) { try await unlocking.value }
        #expect(try await auth.vault.users.isEmpty)
        #expect(try await world.record() == nil)
        #expect(await auth.state == .signedOut)
        await #expect(throws: AuthError.code(.vaultIncomplete)) {
            try await auth.vault.enableBiometrics("andy", password: "1234")
        }
    }

    @Test func `10: a user who is cleared while they are unlocked is signed out, and no renewal brings them back`()
        async throws
    {
        let world = try VaultWorld()
        let auth = try await world.stored()
        let gate = Gate()
        await world.provider.fail("/token", .answerHeld(gate))
        let renewing = Task { try await auth.forceRefresh() }
        await gate.someoneArrives()
        try await auth.vault.clear("andy")
        await gate.open()
        _ = await renewing.result
        #expect(try await world.record() == nil)
        #expect(try await auth.vault.users.isEmpty)
        #expect(await auth.state == .signedOut)
    }

    @Test func `11: a new password drops the touches, and has the old key removed`() async throws {
        let world = try VaultWorld()
        let auth = try await world.stored()
        try await auth.vault.enableBiometrics("andy", password: "1234")
        try await auth.vault.put([7], named: "a")
        let old = try #require(try await world.record()?.keyID)
        let key = try await auth.vault.store(newPassword: "5678")
        #expect(try await auth.vault.hasBiometrics("andy") == false)
        #expect(await world.device.secrets.isEmpty)
        #expect(await world.keys.keys.keys.sorted() == [key.keyID])
        #expect(key.keyID != old)
        // The vault was unlocked, so what the app keeps has moved along.
        #expect(try await auth.vault.data(named: "a") == [7])
        try await auth.vault.enableBiometrics("andy", longSecret: key.longSecret)
        try await auth.vault.lock()
        try await auth.vault.unlockWithBiometrics("andy", prompt: Self.prompt)
        #expect(try await auth.fetchAPI() == 200)
    }

    @Test func `the password is changed at the service: key, data, session and touches stay`() async throws {
        let world = try VaultWorld()
        let auth = try await world.stored()
        try await auth.vault.enableBiometrics("andy", password: "1234")
        let before = try await world.record()
        await #expect(throws: AuthError.code(.vaultWrongPassword)) {
            try await auth.vault.changePassword("andy", from: "0000", to: "5678")
        }
        try await auth.vault.changePassword("andy", from: "1234", to: "5678")
        #expect(try await world.record()?.serialized == before?.serialized)
        #expect(try await auth.vault.hasBiometrics("andy"))
        try await auth.vault.lock()
        await #expect(throws: AuthError.code(.vaultWrongPassword)) {
            try await auth.vault.unlock("andy", password: "1234")
        }
        try await auth.vault.unlock("andy", password: "5678")
    }

    @Test func `a service that cannot change a password gets a new key, and everything is sealed anew`() async throws {
        let world = try VaultWorld(isOurs: false)
        let auth = try await world.stored()
        try await auth.vault.put([7], named: "a")
        try await auth.vault.enableBiometrics("andy", password: "1234")
        let old = try await world.record()?.keyID
        try await auth.vault.changePassword("andy", from: "1234", to: "5678")
        #expect(try await world.record()?.keyID != old)
        #expect(try await auth.vault.hasBiometrics("andy") == false)
        // The session goes on in this process, under the new key.
        #expect(try await auth.vault.data(named: "a") == [7])
        try await auth.forceRefresh()
        try await auth.vault.lock()
        try await auth.vault.unlock("andy", password: "5678")
        #expect(try await auth.vault.data(named: "a") == [7])
        #expect(try await auth.fetchAPI() == 200)
        await #expect(throws: AuthError.code(.vaultKeyMissing)) {
            await world.keys.fail("key", .answer(HTTPResponse(status: 404)))
            try await auth.vault.changePassword("andy", from: "5678", to: "1")
        }
    }

    @Test func `clearing has the key removed for whoever is signed in, and goes on without the service`() async throws {
        let world = try VaultWorld()
        let auth = try await world.stored()
        await world.keys.fail("keys/key-1", .unreachable)
        try await auth.vault.clear("andy")
        #expect(await world.keys.keys.count == 1)
        #expect(try await auth.vault.users.isEmpty)
        try await world.stored("andy", in: auth)
        let authorization = await world.keys.header("Authorization", of: "createkey")
        #expect(authorization.count == 2 && authorization.allSatisfy { $0.hasPrefix("Bearer access-") })
        try await auth.vault.clear("andy")
        #expect(await world.keys.keys.isEmpty, "the one that could not be reached was removed later")
        // Nobody was signed out at the service.
        #expect(await world.provider.revoked.isEmpty)
    }

    @Test func `nothing is cleared because the store cannot be read`() async throws {
        let world = try VaultWorld()
        let auth = try await world.locked()
        await world.store.set(readable: false)
        await #expect(throws: AuthError.code(.storeUnavailable)) {
            try await auth.vault.unlock("andy", password: "1234")
        }
        await #expect(throws: AuthError.code(.storeUnavailable)) { try await auth.vault.clear("andy") }
        await world.store.set()
        #expect(try await auth.vault.users == ["andy"])
        try await auth.vault.unlock("andy", password: "1234")
    }

    @Test func `app data is the unlocked user's, by its name, and within its bounds`() async throws {
        let world = try VaultWorld()
        await world.provider.set { $0.parallel = [:] }
        let auth = try await world.locked("andy", password: "1111")
        try await world.stored("bert", password: "2222", in: auth)
        try await auth.vault.put(Array("bert's".utf8), named: "note")
        try await auth.vault.put([], named: "empty")
        #expect(try await auth.vault.dataNames == ["empty", "note"])
        try await auth.vault.unlock("andy", password: "1111")
        #expect(try await auth.vault.data(named: "note") == nil)
        try await auth.vault.unlock("bert", password: "2222")
        #expect(try await auth.vault.data(named: "note") == Array("bert's".utf8))
        try await auth.vault.removeData(named: "note")
        try await auth.vault.removeData(named: "note")
        #expect(try await auth.vault.dataNames == ["empty"])
        let tooLong = [UInt8](repeating: 0, count: Limits.vaultItemMaxBytes + 1)
        await #expect(throws: AuthError.code(.misconfigured)) { try await auth.vault.put(tooLong, named: "a") }
        await #expect(throws: AuthError.code(.misconfigured)) { try await auth.vault.put([1], named: "") }
        for number in 0..<2 { try await auth.vault.put(tooLong.dropLast(), named: "big \(number)") }
        await #expect(throws: AuthError.code(.misconfigured)) {
            try await auth.vault.put(tooLong.dropLast(), named: "one too many")
        }
        #expect(try await auth.vault.dataNames == ["big 0", "big 1", "empty"])
    }
}

extension Array<UInt8> {
    fileprivate func dropLast() -> [UInt8] { Array(self[..<(count - 1)]) }
}
