import Foundation
import KeyturnBase
import Security
import Testing

@testable import Keyturn

extension AppleTests {
    @Suite("A closed keychain")
    struct ClosedKeychainTests {
        let keychain = emptyKeychain()
        let store = KeychainStore()

        @Test(arguments: [false, true], [false, true])
        func `before the first unlock nothing is absent`(hides: Bool, hadCanary: Bool) async throws {
            try await store.write(record(1), for: "a")
            if hadCanary { #expect(await store.read("other").isAbsent) }
            keychain.wasUnlocked = false
            keychain.hidesLockedItems = hides
            #expect(await store.read("a").error?.code == .storeUnavailable)
            #expect(await store.read("other").error?.code == .storeUnavailable)
            keychain.wasUnlocked = true
            #expect(await store.read("a").record == record(1))
            #expect(await store.read("other").isAbsent)
        }

        @Test(arguments: [false, true])
        func `a locked device hides what needs it unlocked, and nothing else`(hides: Bool) async throws {
            var options = KeychainStore.Options()
            options.accessibility = .whenUnlocked()
            let strict = KeychainStore(options)
            try await strict.write(record(1), for: "strict")
            try await store.write(record(2), for: "usual")
            #expect(await strict.read("nobody").isAbsent)
            #expect(await store.read("nobody").isAbsent)
            keychain.isUnlocked = false
            keychain.hidesLockedItems = hides
            #expect(await strict.read("strict").error != nil)
            #expect(await store.read("usual").record == record(2))
            #expect(await store.read("nobody").isAbsent)
        }

        @Test func `a keychain that opens between two looks does not turn a session into nothing`() async throws {
            try await store.write(record(1), for: "a")
            #expect(await store.read("other").isAbsent)
            keychain.wasUnlocked = false
            keychain.hidesLockedItems = true
            keychain.forgetCalls()
            keychain.before { _ in
                if StandInKeychain.shared.calls.count == 1 { StandInKeychain.shared.wasUnlocked = true }
            }
            #expect(await store.read("a").record == record(1))
        }

        @Test func `a keychain that closes between two looks does not turn a session into nothing`() async throws {
            #expect(await store.read("a").isAbsent)
            keychain.forgetCalls()
            keychain.hidesLockedItems = true
            keychain.before { _ in
                // After the first proof; whatever somebody else writes now is hidden.
                guard StandInKeychain.shared.calls.count == 2 else { return }
                StandInKeychain.shared.before(nil)
                StandInKeychain.shared.wasUnlocked = false
            }
            #expect(await store.read("a").error?.code == .storeUnavailable)
        }

        @Test func `on a new device, where preferences came along and items did not, nobody is signed in`() async throws
        {
            try await store.write(record(1), for: "a")
            #expect(await store.read("other").isAbsent)
            keychain.reset()
            #expect(await store.read("a").isAbsent)
        }

        @Test func `a canary that another process adds first counts`() async throws {
            keychain.before { call in
                guard call == .add else { return }
                StandInKeychain.shared.before(nil)
                let accessibility = KeychainStore.Accessibility.afterFirstUnlock()
                let group = AccessGroup(nil, service: "keyturn", accessibility: accessibility)
                let canary = KeychainCanary(
                    keychain: SystemKeychain(group: group, accessibility: accessibility), item: group.canary)
                try? canary.prove()
            }
            #expect(await store.read("a").isAbsent)
        }

        @Test func `a canary that is there and cannot be seen makes everything unavailable`() async throws {
            #expect(await store.read("a").isAbsent)
            for _ in 0..<3 { keychain.fail(.copy, -25_300) }
            #expect(await store.read("a").error?.code == .storeUnavailable)
        }

        @Test func `a session is not removed from a keychain that hides it`() async throws {
            try await store.write(record(1), for: "a")
            #expect(await store.read("other").isAbsent)
            keychain.wasUnlocked = false
            keychain.hidesLockedItems = true
            keychain.fail(.delete, -25_300)
            await #expect(throws: AuthError(.storeUnavailable, "")) { try await store.remove("a") }
            keychain.wasUnlocked = true
            #expect(await store.read("a").record == record(1))
        }
    }
}
