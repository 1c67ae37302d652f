import KeyturnBase
import KeyturnVerify
import Testing

@testable import Keyturn

/// Trifork's items on this device.
actor LegacyItems: LegacyVaultItems {
    var items: [String: [UInt8]] = [:]
    var protected: [String: [UInt8]] = [:]
    private(set) var prompts = 0
    var isReadable = true

    func set(_ change: @Sendable (isolated LegacyItems) -> Void) {
        change(self)
    }

    func item(_ name: String) throws(AuthError) -> [UInt8]? {
        guard isReadable else { throw AuthError(.storeUnavailable, "locked") }
        return items[name]
    }

    func replaceItem(_ name: String, with data: [UInt8]) { items[name] = data }

    func removeItem(_ name: String) {
        items[name] = nil
        protected[name] = nil
    }

    func hasProtectedItem(_ name: String) -> Bool { protected[name] != nil }

    func protectedItem(_ name: String, _ prompt: BiometricPrompt) -> [UInt8]? {
        prompts += 1
        return protected[name]
    }
}

@Suite("Trifork's own items, and their way into the vault")
struct LegacyVaultTests {
    static let prompt = BiometricPrompt(reason: "Unlock")

    /// A device on which Trifork's library has stored a session of andy's under the PIN 1234.
    static func device(_ method: LegacyVaultMethod) async throws -> (VaultWorld, LegacyItems, Keyturn) {
        let world = try VaultWorld.tim()
        let earlier = world.container("earlier")
        try await earlier.authorize(redirectURI: World.redirectURI)
        let token = try #require(await world.provider.refreshToken)
        let base64 = FakeKeyService.base64(Array(1...32))
        await world.keys.set { $0.add("legacy-key", secret: "1234", key: base64) }
        let sealed = try DataKey(base64: Secret(base64)).seal(
            Array(token.utf8), by: method, nonce: Array(repeating: 9, count: method == .aesGCM ? 12 : 16))
        let items = LegacyItems()
        await items.set {
            $0.items = [
                "keyId_andy": Array("legacy-key".utf8), "refreshToken_andy": sealed,
                "availableUserIds": Array(#"["andy","zoe"]"#.utf8),
            ]
            $0.protected = ["TIMEncryptedStorage.longSecret.legacy-key": Array("long".utf8)]
        }
        return (world, items, world.container())
    }

    @Test(arguments: [LegacyVaultMethod.aesGCM, .aesCBC])
    func `a PIN of Trifork's library opens, and its user has moved in then`(_ method: LegacyVaultMethod) async throws {
        let (world, items, auth) = try await Self.device(method)
        let vault = auth.vault.reading(items, sealedBy: method)
        #expect(try await vault.users == ["andy", "zoe"])
        #expect(try await auth.vault.users.isEmpty)
        #expect(try await vault.hasStoredSession("andy"))
        #expect(try await vault.hasBiometrics("andy"))
        await #expect(throws: AuthError.code(.vaultWrongPassword)) { try await vault.unlock("andy", password: "0") }
        try await vault.unlock("andy", password: "1234")
        #expect(try await auth.fetchAPI() == 200)
        #expect(await auth.vault.unlockedUser == "andy")
        // One user went, the other is still there; nothing of the first is left.
        #expect(await items.items == ["availableUserIds": Array(#"["zoe"]"#.utf8)])
        #expect(await items.protected.isEmpty)
        try await auth.vault.lock()
        // The touch has moved along.
        try await auth.vault.unlockWithBiometrics("andy", prompt: Self.prompt)
        let newest = await world.provider.refreshToken
        #expect(try await auth.vault.refreshToken("andy", password: "1234")?.exposed() == newest)
    }

    @Test func `a touch of Trifork's library opens as well`() async throws {
        let (world, items, auth) = try await Self.device(.aesGCM)
        let vault = auth.vault.reading(items, sealedBy: .aesGCM)
        let announced = Locked(0)
        try await vault.unlockWithBiometrics("andy", prompt: Self.prompt) { announced.withLock { $0 += 1 } }
        #expect(announced.withLock { $0 } == 1)
        #expect(await items.prompts == 1)
        #expect(try await auth.fetchAPI() == 200)
        #expect(await items.protected.isEmpty)
        #expect(await world.keys.bodies("key") == [#"{"longsecret":"long","keyid":"legacy-key"}"#])
        #expect(try await auth.vault.hasBiometrics("andy"))
    }

    @Test func `the method is the caller's to say: the wrong one opens nothing and touches nothing`() async throws {
        for (stored, said) in [(LegacyVaultMethod.aesGCM, LegacyVaultMethod.aesCBC), (.aesCBC, .aesGCM)] {
            let (_, items, auth) = try await Self.device(stored)
            let before = await items.items
            await #expect(throws: AuthError.code(.vaultDamaged)) {
                try await auth.vault.reading(items, sealedBy: said).unlock("andy", password: "1234")
            }
            #expect(await items.items == before)
            #expect(try await auth.vault.users.isEmpty)
            try await auth.vault.reading(items, sealedBy: stored).unlock("andy", password: "1234")
        }
    }

    @Test func `half a user is none, and what cannot be read now is not cleared`() async throws {
        let (_, items, auth) = try await Self.device(.aesGCM)
        let vault = auth.vault.reading(items, sealedBy: .aesGCM)
        await #expect(throws: AuthError.code(.vaultIncomplete)) { try await vault.unlock("zoe", password: "1234") }
        await items.set { $0.isReadable = false }
        await #expect(throws: AuthError.code(.storeUnavailable)) { try await vault.unlock("andy", password: "1234") }
        await items.set { $0.isReadable = true }
        #expect(await items.items.count == 3)
        try await vault.clear("andy")
        #expect(await items.items == ["availableUserIds": Array(#"["zoe"]"#.utf8)])
        await #expect(throws: AuthError.code(.vaultIncomplete)) { try await vault.unlock("andy", password: "1234") }
    }

    @Test func `a user whose first renewal fails has moved in all the same, and goes on later`() async throws {
        let (world, items, auth) = try await Self.device(.aesGCM)
        try await auth.vault.reading(items, sealedBy: .aesGCM).unlock("andy", password: "1234")
        await world.provider.fail("/token", .unreachable)
        await #expect(throws: AuthError.code(.unavailable)) { try await auth.accessToken() }
        #expect(await auth.state.isStale)
        let after = world.container()
        try await after.vault.unlock("andy", password: "1234")
        #expect(try await after.fetchAPI() == 200)
    }
}
