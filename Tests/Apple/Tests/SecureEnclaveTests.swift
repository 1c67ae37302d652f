import Foundation
import KeyturnBase
import Security
import Testing

@testable import Keyturn

extension DeviceKeyReading {
    var key: (any DeviceKey)? {
        if case .found(let key) = self { key } else { nil }
    }

    var isAbsent: Bool {
        if case .absent = self { true } else { false }
    }

    var error: AuthError? {
        if case .unavailable(let error) = self { error } else { nil }
    }
}

extension AppleTests {
    @Suite("Keys in the Secure Enclave")
    struct SecureEnclaveTests {
        let keychain = emptyKeychain()
        let keys = SecureEnclaveKeys()

        @Test func `a key signs, before and after it was found again`() async throws {
            #expect(await keys.key("a").isAbsent)
            let made = try await keys.makeKey("a")
            let found = try #require(await SecureEnclaveKeys().key("a").key)
            #expect(found.publicKey == made.publicKey)
            #expect(made.publicKey.count == 64)
            for key in [made, found] {
                for message in [[], Array("message".utf8), [UInt8](repeating: 7, count: 1_000)] {
                    let signature = try await key.signature(of: message)
                    #expect(P256.isValid(signature, of: message, publicKey: made.publicKey))
                    #expect(!P256.isValid(signature, of: message + [0], publicKey: made.publicKey))
                }
            }
        }

        @Test func `the stand-in's arithmetic is that of P-256 (RFC 6979 A.2.5)`() {
            let key = bytes(
                "60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6"
                    + "7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299")
            let signature = bytes(
                "EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716"
                    + "F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8")
            #expect(P256.isValid(signature, of: Array("sample".utf8), publicKey: key))
            #expect(!P256.isValid(signature, of: Array("simple".utf8), publicKey: key))
        }

        private func bytes(_ hexadecimal: String) -> [UInt8] {
            let digits = Array(hexadecimal)
            return stride(from: 0, to: digits.count, by: 2).compactMap {
                UInt8(String(digits[$0..<($0 + 2)]), radix: 16)
            }
        }

        @Test func `removing removes, and names are kept apart`() async throws {
            let first = try await keys.makeKey("a")
            let other = try await keys.makeKey("b")
            #expect(first.publicKey != other.publicKey)
            try await keys.removeKey("a")
            try await keys.removeKey("a")
            #expect(await keys.key("a").isAbsent)
            #expect(try await keys.makeKey("a").publicKey != first.publicKey)
            #expect(await keys.key("b").key?.publicKey == other.publicKey)
            #expect(await SecureEnclaveKeys(service: "other").key("b").isAbsent)
            // A key that lies elsewhere under the same tag is none of these.
            let queries = keychain.queries.filter { $0["class"] as? String == "keys" }
            #expect(queries.allSatisfy { $0["tkid"] as? String == "com.apple.setoken" })
        }

        @Test(arguments: [
            (KeychainStore.Accessibility.afterFirstUnlock(), "cku"), (.afterFirstUnlock(thisDeviceOnly: false), "cku"),
            (.whenUnlocked(thisDeviceOnly: false), "aku"), (.whenPasscodeSet, "akpu"),
        ])
        func `keys are this device's only`(
            _ accessibility: KeychainStore.Accessibility, _ domain: String
        ) async throws {
            keychain.accessGroups = ["TEAM.app", "TEAM.shared"]
            let keys = SecureEnclaveKeys(accessGroup: "TEAM.shared", accessibility: accessibility)
            _ = try await keys.makeKey("a")
            let item = try #require(keychain.contents.first { $0["class"] as? String == "keys" })
            #expect(item["pdmn"] as? String == domain)
            #expect(item["agrp"] as? String == "TEAM.shared")
            #expect(await keys.key("a").key != nil)
        }

        @Test(arguments: SecurityFailureTests.noEnclave)
        func `a machine without an Enclave says so`(_ failure: NSError) async throws {
            keychain.enclaveFailure = failure
            await #expect(throws: AuthError(.unsupported, "")) { _ = try await keys.makeKey("a") }
            #expect(await keys.key("a").isAbsent)
        }

        @Test(arguments: [false, true])
        func `a closed keychain hides keys and does not lose them`(hides: Bool) async throws {
            let made = try await keys.makeKey("a")
            keychain.wasUnlocked = false
            keychain.hidesLockedItems = hides
            #expect(await keys.key("a").error?.code == .storeUnavailable)
            await #expect(throws: AuthError(.storeUnavailable, "")) { _ = try await made.signature(of: [1]) }
            keychain.wasUnlocked = true
            #expect(await keys.key("a").key?.publicKey == made.publicKey)
        }

        @Test(arguments: [-25_308, -25_291, -34_018, -50] as [OSStatus])
        func `no status but not found is absent`(_ status: OSStatus) async throws {
            keychain.fail(.copy, status)
            #expect(await keys.key("a").error?.code == .storeUnavailable)
            keychain.fail(.delete, status)
            await #expect(throws: AuthError(.storeUnavailable, "")) { try await keys.removeKey("a") }
        }

        @Test func `something that is no signature is refused`() async throws {
            let key = try await keys.makeKey("a")
            keychain.forgedSignature = [0x30, 0x06, 0x02, 0x01, 0x00, 0x02, 0x01, 0x01]
            await #expect(throws: AuthError(.storeUnavailable, "")) { _ = try await key.signature(of: [1]) }
        }

        @Test func `without an entitlement there is no key`() async throws {
            keychain.isEntitled = false
            await #expect(throws: AuthError(.storeUnavailable, "")) { _ = try await keys.makeKey("a") }
            #expect(await keys.key("a").error?.detail.contains("-34018") == true)
        }
    }
}
