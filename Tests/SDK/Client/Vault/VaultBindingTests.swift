import KeyturnBase
import KeyturnVerify
import Testing

@testable import Keyturn

@Suite("Vaults of sessions that are bound to this device")
struct VaultBindingTests {
    @Test func `the users of one container are bound to one key, and nobody's end takes it from the others`()
        async throws
    {
        let world = try VaultWorld(
            service: .keyturn(issuer: FakeService.issuer, clientID: FakeService.clientID, binding: .refreshToken))
        await world.provider.set {
            $0.parallel = [:]
            $0.metadata = ["dpop_signing_alg_values_supported": ["ES256"]]
        }
        let auth = try await world.locked("andy", password: "1111")
        try await world.locked("bert", password: "2222")
        try await auth.vault.unlock("andy", password: "1111")
        let andys = try #require(await auth.keeper.machine.record?.keyThumbprint)
        try await auth.vault.unlock("bert", password: "2222")
        #expect(await auth.keeper.machine.record?.keyThumbprint == andys)
        try await auth.forceRefresh()
        try await auth.logout()
        try await auth.vault.clear("bert")
        let after = world.container()
        try await after.vault.unlock("andy", password: "1111")
        try await after.forceRefresh()
        #expect(await after.keeper.machine.record?.keyThumbprint == andys)
        #expect(try await after.fetchAPI() == 200)
    }
}
