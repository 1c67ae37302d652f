import KeyturnBase
import KeyturnClientAuthenticator
import KeyturnVerify
import Testing

@testable import Keyturn

/// What containers share and what they do not, with a key behind a touch in it.
@Suite("Keys behind a touch, container by container")
struct BiometricContainerTests {
    @Test func `scenario 14: a sign-out without network changes nothing, a forced one everything but the key`()
        async throws
    {
        let world = try World()
        let device = SoftwareBiometrics()
        let auth = try await world.enabled(device)
        await world.service.fail("/revoke", .unreachable, .unreachable)
        await #expect(throws: AuthError(.unavailable, "")) { try await auth.logout() }
        #expect(await auth.state == .signedIn(.fresh))
        #expect(try await auth.biometrics.isEnabled())
        try await auth.logout(force: true)
        #expect(await auth.state == .signedOut)
        #expect(try await auth.biometrics.isEnabled())
        try await auth.biometrics.authenticate(World.prompt)
    }

    @Test func `scenario 15: names share nothing, and a name shares all`() async throws {
        let world = try World()
        let device = SoftwareBiometrics()
        let first = try await world.enabled(device, "first")
        let second = world.touchable(device, "second")
        #expect(try await !second.biometrics.isEnabled())
        await #expect(throws: AuthError(.biometricKeyNotFound, "")) {
            try await second.biometrics.authenticate(World.prompt)
        }
        try await second.authorize(redirectURI: World.redirectURI)
        try await second.biometrics.enable(World.prompt)
        #expect(await device.keyNames.count == 2)
        try await second.biometrics.disable()
        #expect(try await first.biometrics.isEnabled())
        #expect(await device.keyNames.count == 1)
        let twin = world.touchable(device, "first")
        #expect(try await twin.biometrics.isEnabled())
        try await twin.biometrics.authenticate(World.prompt)
        try await twin.biometrics.disable()
        #expect(try await !first.biometrics.isEnabled())
    }

    @Test func `scenario 16: memory alone remembers no key in the next process, so none is left there`() async throws {
        let world = try World()
        let device = SoftwareBiometrics(outlivesProcess: true)
        for storage in [SessionStorage.memory, .custom(MemoryStore())] {
            let auth = world.touchable(device, storage: storage)
            try await auth.authorize(redirectURI: World.redirectURI)
            await #expect(throws: AuthError(.misconfigured, "")) { try await auth.biometrics.enable(World.prompt) }
            #expect(try await !auth.biometrics.isEnabled())
        }
        #expect(await device.keyNames.isEmpty)
        #expect(await world.service.biometrics.requests.isEmpty)
        let next = world.touchable(device, storage: .memory)
        #expect(try await next.start() == .signedOut)
    }

    @Test func `with a lasting place for the key, the session ends with the process and a touch begins the next`()
        async throws
    {
        let world = try World()
        let device = SoftwareBiometrics()
        let container = { world.touchable(device, storage: .memory, vaultStorage: .custom(world.store)) }
        let auth = container()
        try await auth.authorize(redirectURI: World.redirectURI)
        try await auth.biometrics.enable(World.prompt)
        guard case .absent = await world.store.read("default") else { throw AuthError(.storeUnavailable, "stored") }
        let next = container()
        #expect(try await next.start() == .signedOut)
        #expect(try await next.biometrics.isEnabled())
        try await next.biometrics.authenticate(World.prompt)
        #expect(try await next.fetchAPI() == 200)
        guard case .absent = await world.store.read("default") else { throw AuthError(.storeUnavailable, "stored") }
        try await next.biometrics.disable()
        #expect(await device.keyNames.isEmpty)
    }

    @Test func `a session cannot pass for the record of a key, nor the other way round`() async throws {
        let world = try World()
        let device = SoftwareBiometrics()
        _ = try await world.enabled(device)
        let odd = world.touchable(device, "default/biometric-key")
        await #expect(throws: AuthError(.storeKeyLost, "")) { try await odd.start() }
        try await odd.authorize(redirectURI: World.redirectURI)
        #expect(try await !world.touchable(device).biometrics.isEnabled())
    }

    @Test func `a record of a later release is left alone`() async throws {
        let world = try World()
        let device = SoftwareBiometrics()
        let auth = try await world.enabled(device)
        let record = try await auth.biometricMemory.read()
        let later = StoredRecord(generation: record.generation.next, contents: Array(#"{"version":2}"#.utf8))
        _ = try await world.store.write(later, for: "default/biometric-key", when: .always)
        await #expect(throws: AuthError(.storeUnavailable, "")) { try await auth.biometrics.isEnabled() }
        await #expect(throws: AuthError(.storeUnavailable, "")) { try await auth.biometrics.disable() }
        #expect(await device.keyNames.count == 1)
    }

    @Test func `a damaged record counts as no key, and enabling mends it`() async throws {
        let world = try World()
        let device = SoftwareBiometrics()
        let auth = try await world.enabled(device)
        let record = try await auth.biometricMemory.read()
        for contents in ["", "[]", "{", #"{"version":1,"key_id":7}"#] {
            let damaged = StoredRecord(generation: record.generation.next, contents: Array(contents.utf8))
            _ = try await world.store.write(damaged, for: "default/biometric-key", when: .always)
            #expect(try await !auth.biometrics.isEnabled())
            try await auth.biometrics.enable(World.prompt)
            try await auth.biometrics.authenticate(World.prompt)
        }
    }
}
