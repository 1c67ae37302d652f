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
        private func add(_ account: String, _ data: [UInt8], service: String? = nil, inFile: Bool = false) -> OSStatus {
            var attributes: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: account,
                kSecValueData as String: Data(data), kSecAttrGeneric as String: Data(),
                kSecAttrAccessible as String: kSecAttrAccessibleWhenUnlocked,
            ]
            if let service { attributes[kSecAttrService as String] = service }
            if !inFile { attributes[kSecUseDataProtectionKeychain as String] = true }
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

        @Test func `items of other programs under the same account are neither read nor touched`() async throws {
            #expect(add("a", [1], service: "com.example.other") == 0)
            #expect(try await items.item("a") == nil)
            await #expect(throws: AuthError(.storeUnavailable, "")) { try await items.replaceItem("a", with: [9]) }
            #expect(add("a", [2]) == 0)
            #expect(try await items.item("a") == [2])
            try await items.replaceItem("a", with: [3])
            #expect(try await items.item("a") == [3])
            try await items.removeItem("a")
            #expect(keychain.contents.map { $0["v_Data"] as? Data } == [Data([1])])
        }

        @Test func `the Mac's older keychain is searched when asked for, and there too for that library's items`()
            async throws
        {
            keychain.hasFileKeychain = true
            #expect(add("a", [1], service: "com.example.other", inFile: true) == 0)
            #expect(add("a", [2], inFile: true) == 0)
            #expect(try await items.item("a") == nil)
            let both = LegacyKeychain(searchesFileKeychain: true)
            #expect(try await both.item("a") == [2])
            try await both.replaceItem("a", with: [3])
            #expect(try await both.item("a") == [3])
            #expect(add("a", [4]) == 0)
            #expect(try await both.item("a") == [4])
            try await both.removeItem("a")
            #expect(try await both.item("a") == nil)
            #expect(keychain.contents.map { $0["v_Data"] as? Data } == [Data([1])])
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
