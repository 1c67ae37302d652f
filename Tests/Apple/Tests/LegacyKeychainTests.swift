import Foundation
import KeyturnBase
import LocalAuthentication
import Security
import Testing

@testable import Keyturn

extension AppleTests {
    @Suite("Another library's items in the keychain")
    struct LegacyKeychainTests {
        let keychain = emptyKeychain()
        let items = LegacyKeychain()
        let person = StandInPerson.shared
        static let prompt = BiometricPrompt(reason: "Unlock")

        init() {
            person.reset()
        }

        /// As that library stores them: an account, no service, the keychain's own protection.
        private func add(_ account: String, _ data: [UInt8]) -> OSStatus {
            let attributes: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: account,
                kSecValueData as String: Data(data), kSecUseDataProtectionKeychain as String: true,
                kSecAttrAccessible as String: kSecAttrAccessibleWhenUnlocked,
            ]
            return SecItemAdd(attributes as CFDictionary, nil)
        }

        @Test func `items are found by their account, replaced, and removed`() async throws {
            #expect(add("keyId_andy", Array("k".utf8)) == 0)
            #expect(add("availableUserIds", Array("[]".utf8)) == 0)
            #expect(try await items.item("keyId_andy") == Array("k".utf8))
            #expect(try await items.item("keyId_bert") == nil)
            try await items.replaceItem("availableUserIds", with: Array(#"["zoe"]"#.utf8))
            #expect(try await items.item("availableUserIds") == Array(#"["zoe"]"#.utf8))
            try await items.removeItem("keyId_andy")
            try await items.removeItem("keyId_andy")
            #expect(try await items.item("keyId_andy") == nil)
            #expect(keychain.contents.count == 1)
        }

        @Test func `an item of ours under the same account is not that library's`() async throws {
            let record = StoredRecord(generation: Generation(signIn: "s", number: 1), contents: [1])
            _ = try await KeychainStore().write(record, for: "keyId_andy", when: .always)
            #expect(try await items.item("keyId_andy") == nil)
        }

        @Test func `whether a touch opens something is seen without a touch`() async throws {
            let name = "TIMEncryptedStorage.longSecret.k"
            #expect(try await items.hasProtectedItem(name) == false)
            #expect(add(name, Array("long".utf8)) == 0)
            #expect(try await items.hasProtectedItem(name))
            let query = try #require(keychain.queries.last)
            #expect(query[kSecReturnData as String] == nil)
            keychain.fail(.copy, -25_308)
            #expect(try await items.hasProtectedItem(name))
            #expect(person.questions.isEmpty)
            #expect(try await items.protectedItem(name, Self.prompt) == Array("long".utf8))
            #expect(person.questions.map(\.reason) == ["Unlock"])
        }

        @Test(arguments: [
            (OSStatus(-128), AuthError.Code.cancelled), (-25_293, .biometricFailed), (-25_308, .storeUnavailable),
            (-34_018, .storeUnavailable),
        ])
        func `a touch that does not happen is no missing item`(_ status: OSStatus, _ code: AuthError.Code) async throws
        {
            #expect(add("a", [1]) == 0)
            keychain.fail(.copy, status)
            await #expect(throws: AuthError(code, "")) { try await items.protectedItem("a", Self.prompt) }
            #expect(keychain.contents.count == 1)
        }
    }
}
