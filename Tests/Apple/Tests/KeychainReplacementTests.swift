import Foundation
import KeyturnBase
import Security
import Testing

@testable import Keyturn

extension AppleTests {
    @Suite("What nobody can read in the keychain")
    struct KeychainReplacementTests {
        let keychain = emptyKeychain()
        let store = KeychainStore()

        /// An item in the session's place that this library did not write.
        private func placeForeignItem() {
            let item: [String: Any] = [
                "class": "genp", "svce": "keyturn", "acct": "a", "nleg": true, "gena": Data([2]), "v_Data": Data(),
                "pdmn": "cku",
            ]
            #expect(SecItemAdd(item as NSDictionary, nil) == 0)
        }

        @Test func `somebody else's item gives way to a write without a condition, and to no other`() async throws {
            placeForeignItem()
            #expect(await store.read("a").error?.code == .storeUnavailable)
            let conditions: [StoreCondition] = [.absent, .generation(record(1).generation)]
            for condition in conditions {
                #expect(try await store.write(record(2), for: "a", when: condition) == .overtaken)
                #expect(try await store.remove("a", when: condition) == .overtaken)
            }
            #expect(keychain.contents.contains { $0["gena"] as? Data == Data([2]) })
            #expect(try await store.write(record(2), for: "a", when: .always) == .done)
            #expect(await store.read("a").record == record(2))
        }

        @Test func `a damaged item gives way to a write without a condition, and to no other`() async throws {
            try await store.write(record(1), for: "a")
            keychain.fail(.update, -26_275)
            await #expect(throws: AuthError(.storeUnavailable, "")) {
                _ = try await store.write(record(2), for: "a", when: .generation(record(1).generation))
            }
            #expect(await store.read("a").record == record(1))
            keychain.fail(.update, -26_275)
            #expect(try await store.write(record(2), for: "a", when: .always) == .done)
            #expect(await store.read("a").record == record(2))
        }

        @Test func `an item that is there and never seen gives way in an open keychain`() async throws {
            try await store.write(record(1), for: "a")
            for _ in 0..<2 { keychain.fail(.update, -25_300) }
            #expect(try await store.write(record(2), for: "a", when: .always) == .done)
            #expect(await store.read("a").record == record(2))
            #expect(keychain.calls.contains(.delete))
        }

        @Test func `an item that may only be locked is not removed`() async throws {
            try await store.write(record(1), for: "a")
            for _ in 0..<2 { keychain.fail(.update, -25_300) }
            keychain.fail(.copy, -25_308)
            await #expect(throws: AuthError(.storeUnavailable, "")) {
                _ = try await store.write(record(2), for: "a", when: .always)
            }
            #expect(await store.read("a").record == record(1))
        }
    }
}
