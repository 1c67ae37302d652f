import Foundation
import KeyturnBase
import Security
import Testing

@testable import Keyturn

extension AppleTests {
    @Suite("Sessions of other libraries in the keychain")
    struct LegacySessionKeychainTests {
        let keychain = emptyKeychain()
        let items = LegacySessionKeychain()
        let descope = LegacySessionItem(service: "com.descope.DescopeKit", account: "P1")
        let box = LegacySessionItem(service: "com.box.SwiftSDK", account: "TokenInfo")
        let authgear = LegacySessionItem(service: nil, account: "authgear_default_refreshToken")

        /// As those libraries add them: with the protection that each chose, and with a service or without one.
        private func add(
            _ item: LegacySessionItem, _ text: String, accessible: CFString = kSecAttrAccessibleWhenUnlocked,
            inFile: Bool = false
        ) -> OSStatus {
            var attributes: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: item.account,
                kSecValueData as String: Data(text.utf8), kSecAttrGeneric as String: Data(),
                kSecAttrAccessible as String: accessible,
            ]
            if let service = item.service { attributes[kSecAttrService as String] = service }
            if !inFile { attributes[kSecUseDataProtectionKeychain as String] = true }
            return SecItemAdd(attributes as CFDictionary, nil)
        }

        @Test func `are found whatever their protection, and removed alone`() throws {
            #expect(add(descope, "d", accessible: kSecAttrAccessibleAfterFirstUnlock) == 0)
            #expect(add(box, "b") == 0)
            #expect(add(authgear, "a") == 0)
            keychain.forgetCalls()
            #expect(try items.item(descope) == Array("d".utf8))
            #expect(try items.item(box) == Array("b".utf8))
            #expect(try items.item(authgear) == Array("a".utf8))
            #expect(try items.item(LegacySessionItem(service: descope.service, account: "P2")) == nil)
            for query in keychain.queries {
                #expect(query[kSecAttrAccessible as String] == nil && query[kSecAttrAccessGroup as String] == nil)
            }
            try items.removeItem(descope)
            try items.removeItem(descope)
            #expect(try items.item(descope) == nil)
            #expect(keychain.contents.count == 2)
        }

        @Test func `of one account are told apart by their service`() throws {
            let foreign = LegacySessionItem(service: "com.example.other", account: authgear.account)
            #expect(add(foreign, "f") == 0)
            #expect(try items.item(authgear) == nil)
            try items.removeItem(authgear)
            #expect(try items.item(foreign) == Array("f".utf8))
        }

        @Test func `are in the group that the app names, if it names one`() throws {
            #expect(add(descope, "d") == 0)
            let named = LegacySessionKeychain(accessGroup: "TEAM.group.elsewhere")
            _ = try? named.item(descope)
            #expect(keychain.queries.last?[kSecAttrAccessGroup as String] as? String == "TEAM.group.elsewhere")
        }

        @Test(arguments: [OSStatus(-25_308), -25_315, -25_291, -26_275, -128])
        func `that cannot be read are not absent`(_ status: OSStatus) throws {
            #expect(add(descope, "d") == 0)
            keychain.fail(.copy, status)
            #expect(throws: AuthError(.storeUnavailable, "")) { try items.item(descope) }
            #expect(try items.item(descope) == Array("d".utf8))
        }

        @Test func `are not there for a program without an entitlement`() throws {
            keychain.fail(.copy, -34_018)
            #expect(try items.item(descope) == nil)
        }

        @Test func `that cannot be removed are still there`() throws {
            #expect(add(box, "b") == 0)
            keychain.fail(.delete, -25_308)
            #expect(throws: AuthError(.storeUnavailable, "")) { try items.removeItem(box) }
            #expect(try items.item(box) == Array("b".utf8))
        }

        @Test func `are searched for in the Mac's older keychain when asked for`() throws {
            keychain.hasFileKeychain = true
            #expect(add(box, "b", inFile: true) == 0)
            #expect(add(LegacySessionItem(service: "x", account: box.account), "x", inFile: true) == 0)
            #expect(try items.item(box) == nil)
            let both = LegacySessionKeychain(searchesFileKeychain: true)
            #expect(try both.item(box) == Array("b".utf8))
            try both.removeItem(box)
            #expect(try both.item(box) == nil)
            #expect(keychain.contents.count == 1)
        }
    }
}
