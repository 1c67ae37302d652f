import Foundation
import KeyturnBase
import LocalAuthentication
import Security
import Testing

@testable import Keyturn

extension AppleTests {
    @Suite("The access group")
    struct AccessGroupTests {
        let keychain = emptyKeychain()

        init() {
            keychain.accessGroups = ["TEAM.app", "TEAM.shared"]
            StandInPerson.shared.reset()
        }

        /// What another app of the team keeps in the group that both have.
        private func addTheirs(_ service: String, _ account: String) throws {
            let label = GenerationLabel.bytes(record(9).generation)
            let attributes: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
                kSecAttrAccount as String: account, kSecAttrAccessGroup as String: "TEAM.shared",
                kSecAttrGeneric as String: Data(label), kSecValueData as String: Data("theirs".utf8),
                kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
                kSecUseDataProtectionKeychain as String: true,
            ]
            #expect(SecItemAdd(attributes as CFDictionary, nil) == 0)
        }

        private var theirs: Int { keychain.contents.count { $0["v_Data"] as? Data == Data("theirs".utf8) } }

        private func groups(_ itemClass: String) -> [String?] {
            keychain.contents.filter { $0["class"] as? String == itemClass }.map { $0["agrp"] as? String }
        }

        @Test func `is the first that the program has, and other groups are not touched`() async throws {
            try addTheirs("keyturn", "a")
            let store = KeychainStore()
            #expect(await store.read("a").isAbsent)
            #expect(await store.changeMark("a") == nil)
            #expect(try await store.write(record(1), for: "a", when: .absent) == .done)
            #expect(try await store.write(record(2), for: "a", when: .generation(record(1).generation)) == .done)
            #expect(await KeychainStore().read("a").record == record(2))
            try await store.remove("a")
            #expect(await store.read("a").isAbsent)
            try await store.remove("a")
            #expect(theirs == 1)
        }

        @Test func `is named in every query, once it is known`() async throws {
            let store = KeychainStore()
            #expect(await store.read("a").isAbsent)
            keychain.forgetCalls()
            try await store.write(record(1), for: "a")
            _ = await store.read("a")
            _ = await store.changeMark("a")
            try await store.remove("a")
            #expect(keychain.queries.allSatisfy { $0["agrp"] as? String == "TEAM.app" })
            #expect(!keychain.queries.isEmpty)
        }

        @Test func `a first run leaves another app's sessions alone`() async throws {
            try addTheirs("keyturn", "theirs")
            try await KeychainStore().write(record(1), for: "ours")
            #expect(await FirstRunTests.store(MemoryMarks()).read("ours").isAbsent)
            #expect(theirs == 1)
        }

        @Test func `another program's canary does not tell it`() async throws {
            try addTheirs("keyturn.canary", "after-first-unlock-this-device com.example.other")
            try await KeychainStore().write(record(1), for: "a")
            let ours = keychain.contents.first { $0["acct"] as? String == "a" }
            #expect(ours?["agrp"] as? String == "TEAM.app")
        }

        @Test func `stays the same when an update of the app changes the order`() async throws {
            try await KeychainStore().write(record(1), for: "a")
            keychain.accessGroups = ["TEAM.new", "TEAM.shared", "TEAM.app"]
            #expect(await KeychainStore().read("a").record == record(1))
            try await KeychainStore().write(record(2), for: "a")
            #expect(Set(groups("genp")) == ["TEAM.app"])
        }

        @Test func `cannot be known while the keychain is closed`() async throws {
            try await KeychainStore().write(record(1), for: "a")
            keychain.wasUnlocked = false
            for hides in [false, true] {
                keychain.hidesLockedItems = hides
                #expect(await KeychainStore().read("a").error?.code == .storeUnavailable)
            }
            keychain.wasUnlocked = true
            #expect(await KeychainStore().read("a").record == record(1))
        }

        @Test func `of keys is kept apart as well`() async throws {
            let shared = SecureEnclaveKeys(accessGroup: "TEAM.shared")
            let theirs = try await shared.makeKey("a").publicKey
            let keys = SecureEnclaveKeys()
            #expect(await keys.key("a").isAbsent)
            #expect(try await keys.makeKey("a").publicKey != theirs)
            try await keys.removeKey("a")
            #expect(await shared.key("a").key?.publicKey == theirs)
        }

        @Test func `of keys and secrets that a fingerprint opens is kept apart as well`() async throws {
            let prompt = BiometricPrompt(reason: "to sign in")
            let shared = AppleBiometrics(accessGroup: "TEAM.shared")
            _ = try await shared.makeKey("a", prompt)
            try await shared.keepSecret([1], "s", .anyBiometry)
            let device = AppleBiometrics()
            #expect(try await device.key("a") == nil)
            #expect(try await !device.hasSecret("s"))
            try await device.removeKey("a")
            try await device.removeSecret("s")
            #expect(try await shared.key("a") != nil)
            #expect(try await shared.secret("s", prompt) == [1])
        }
    }
}
