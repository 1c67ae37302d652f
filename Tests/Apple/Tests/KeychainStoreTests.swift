import Foundation
import KeyturnBase
import Security
import Testing

@testable import Keyturn

extension AppleTests {
    @Suite("The keychain store")
    struct KeychainStoreTests {
        let keychain = emptyKeychain()
        let store = KeychainStore()

        @Test func `what was written is read`() async throws {
            try await store.write(record(7), for: "a")
            #expect(await store.read("a").record == record(7))
            #expect(await store.read("b").isAbsent)
            try await store.remove("a")
            #expect(await store.read("a").isAbsent)
            try await store.remove("a")
        }

        @Test func `an empty name and empty contents are kept apart from nothing`() async throws {
            try await store.write(record(1, ""), for: "")
            #expect(await store.read("").record == record(1, ""))
            #expect(await store.read("a").isAbsent)
        }

        @Test func `a write replaces the one item in one step`() async throws {
            try await store.write(record(1), for: "a")
            keychain.forgetCalls()
            try await store.write(record(2), for: "a")
            #expect(keychain.calls == [.update])
            #expect(await store.read("a").record == record(2))
            #expect(keychain.contents.count { $0["svce"] as? String == "keyturn" } == 1)
        }

        @Test(arguments: [-25_308, -25_291, -34, -34_018] as [OSStatus])
        func `a failed write leaves the old session`(_ status: OSStatus) async throws {
            try await store.write(record(1), for: "a")
            keychain.fail(.update, status)
            await #expect(throws: AuthError(.storeUnavailable, "")) { try await store.write(record(2), for: "a") }
            #expect(await store.read("a").record == record(1))
        }

        @Test func `somebody else's item that appears between update and add is replaced`() async throws {
            try await store.write(record(1), for: "a")
            keychain.forgetCalls()
            keychain.fail(.update, -25_300)
            try await store.write(record(2), for: "a")
            #expect(await store.read("a").record == record(2))
            #expect(keychain.calls.filter { $0 != .copy } == [.update, .add, .update])
        }

        @Test func `an item that is there but hidden is not overwritten blindly`() async throws {
            try await store.write(record(1), for: "a")
            keychain.wasUnlocked = false
            keychain.hidesLockedItems = true
            await #expect(throws: AuthError(.storeUnavailable, "")) { try await store.write(record(2), for: "a") }
            keychain.wasUnlocked = true
            #expect(await store.read("a").record == record(1))
        }

        static let statuses: [OSStatus] = [
            -4, -50, -108, -25_291, -25_292, -25_293, -25_308, -25_315, -25_316, -26_275, -34_018, -36, -61, -128,
        ]

        @Test(arguments: statuses) func `no status but not found is absent`(_ status: OSStatus) async throws {
            keychain.fail(.copy, status)
            let error = try #require(await store.read("a").error)
            #expect(error.code == .storeUnavailable)
            #expect(error.detail.contains("OSStatus \(status)"))
            #expect(await store.read("a").isAbsent)
        }

        @Test(arguments: statuses) func `no status but not found is a removal of nothing`(_ status: OSStatus) async {
            keychain.fail(.delete, status)
            await #expect(throws: AuthError(.storeUnavailable, "")) { try await store.remove("a") }
        }

        @Test func `a missing entitlement is named, with what to do`() async throws {
            keychain.isEntitled = false
            let error = try #require(await store.read("a").error)
            #expect(error.detail.contains("keychain-access-groups"))
            #expect(error.detail.contains("-34018"))
            await #expect(throws: AuthError(.storeUnavailable, "")) { try await store.write(record(1), for: "a") }
            #expect(keychain.contents.isEmpty)
        }

        @Test func `every query is for the data-protection keychain, and none for one accessibility`() async throws {
            _ = await store.read("a")
            try await store.write(record(1), for: "a")
            try await store.remove("a")
            for (call, query) in zip(keychain.calls, keychain.queries) {
                #expect(query["nleg"] as? Bool == true)
                if call != .add { #expect(query["pdmn"] == nil) }
            }
        }

        @Test(arguments: [
            (KeychainStore.Accessibility.afterFirstUnlock(), "cku"), (.afterFirstUnlock(thisDeviceOnly: false), "ck"),
            (.whenUnlocked(), "aku"), (.whenUnlocked(thisDeviceOnly: false), "ak"), (.whenPasscodeSet, "akpu"),
        ])
        func `session and canary have the accessibility asked for`(
            _ accessibility: KeychainStore.Accessibility, _ domain: String
        ) async throws {
            // Written with the default first: the option may change between releases of an app.
            try await store.write(record(1), for: "a")
            let before = keychain.contents.count { $0["pdmn"] as? String == domain }
            #expect(before == (domain == "cku" ? 2 : 0))
            var options = KeychainStore.Options()
            options.accessibility = accessibility
            let changed = KeychainStore(options)
            #expect(await changed.read("a").record == record(1))
            try await changed.write(record(2), for: "a")
            #expect(await changed.read("nobody").isAbsent)
            #expect(keychain.contents.count { $0["pdmn"] as? String == domain } == 2)
        }

        @Test func `without a passcode what needs one is unavailable`() async throws {
            keychain.hasPasscode = false
            var options = KeychainStore.Options()
            options.accessibility = .whenPasscodeSet
            let store = KeychainStore(options)
            #expect(await store.read("a").error?.detail.contains("passcode") == true)
            await #expect(throws: AuthError(.storeUnavailable, "")) { try await store.write(record(1), for: "a") }
        }

        @Test func `an access group is shared, and a foreign one is refused`() async throws {
            keychain.accessGroups = ["TEAM.app", "TEAM.shared"]
            var options = KeychainStore.Options()
            options.accessGroup = "TEAM.shared"
            try await KeychainStore(options).write(record(1), for: "a")
            #expect(keychain.contents.map { $0["agrp"] as? String } == ["TEAM.shared"])
            options.accessGroup = "OTHER.shared"
            #expect(await KeychainStore(options).read("a").error?.detail.contains("-34018") == true)
        }

        @Test func `services are kept apart`() async throws {
            var options = KeychainStore.Options()
            options.service = "other"
            try await store.write(record(1), for: "a")
            #expect(await KeychainStore(options).read("a").isAbsent)
        }

        @Test(arguments: [
            [], [2] + [UInt8](repeating: 0, count: 8), [1, 0, 0], [1] + .init(repeating: 0, count: 8) + [0xFF],
        ])
        func `somebody else's item is not a session`(_ label: [UInt8]) async throws {
            try await store.write(record(1), for: "a")
            let query = ["class": "genp", "svce": "keyturn", "acct": "a", "nleg": true] as [String: Any]
            #expect(SecItemUpdate(query as NSDictionary, ["gena": Data(label)] as NSDictionary) == 0)
            #expect(await store.read("a").error?.code == .storeUnavailable)
            try await store.remove("a")
            #expect(await store.read("a").isAbsent)
        }
    }
}
