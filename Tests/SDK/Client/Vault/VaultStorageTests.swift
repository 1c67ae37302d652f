import KeyturnBase
import Testing

@testable import Keyturn

@Suite("A vault in a store of its own")
struct VaultStorageTests {
    @Test func `a plain session ends with the process, and what is in the vault does not`() async throws {
        let world = try VaultWorld()
        let lasting = FragileStore()
        let container = { world.container(storage: .memory, vaultStorage: .custom(lasting)) }
        let plain = container()
        try await plain.authorize(redirectURI: World.redirectURI)
        #expect(await lasting.writes == 0)
        #expect(try await container().start() == .signedOut)
        let auth = try await world.stored("andy", in: container())
        let key = try await auth.vault.store(newPassword: "1234")
        try await auth.vault.enableBiometrics("andy", longSecret: key.longSecret)
        let next = container()
        #expect(try await next.start() == .signedOut)
        #expect(try await next.vault.users == ["andy"])
        #expect(try await next.vault.hasBiometrics("andy"))
        // No sign-in page where a PIN or a touch is enough.
        await #expect(throws: AuthError(.vaultLocked, "")) {
            try await next.authorizeIfNeeded(redirectURI: World.redirectURI)
        }
        try await next.vault.unlock("andy", password: "1234")
        #expect(try await next.authorizeIfNeeded(redirectURI: World.redirectURI).accessToken == next.accessToken())
    }

    @Test func `memory alone leaves nothing on the device`() async throws {
        let world = try VaultWorld()
        let auth = try await world.stored("andy", in: world.container(storage: .memory))
        await #expect(throws: AuthError(.misconfigured, "")) {
            try await auth.vault.enableBiometrics("andy", password: "1234")
        }
        #expect(await world.device.secrets.isEmpty)
    }

    @Test func `two lasting stores keep what is theirs`() async throws {
        let world = try VaultWorld()
        let vault = FragileStore()
        let container = { world.container(storage: .custom(world.store), vaultStorage: .custom(vault)) }
        let auth = container()
        try await auth.authorize(redirectURI: World.redirectURI)
        #expect(await vault.writes == 0)
        try await auth.vault.store(newPassword: "1234")
        guard case .absent = await world.store.read("default") else { throw AuthError(.storeUnavailable, "stored") }
        let next = container()
        #expect(try await next.vault.users == ["andy"])
        try await next.vault.unlock("andy", password: "1234")
        #expect(try await next.fetchAPI() == 200)
    }

    @Test func `what is stored finds its service in the vault's store`() async throws {
        let world = try VaultWorld()
        let vault = FragileStore()
        let auth = try await world.stored("andy", in: world.container(storage: .memory, vaultStorage: .custom(vault)))
        try await auth.vault.lock()
        let found = try #require(
            try await Keyturn.stored(
                name: "default", storage: .memory, vaultStorage: .custom(vault), biometricDevice: world.device,
                transport: VaultNetwork(service: world.provider, keys: world.keys), ambient: world.clock.ambient))
        try await found.vault.unlock("andy", password: "1234")
        #expect(try await found.fetchAPI() == 200)
        // Still in memory: a lock forgets what is not in the vault.
        #expect(found.vault.access.isPlainInMemory)
    }
}
