import Foundation
import KeyturnBase
import Security
import Testing

@testable import Keyturn

extension AppleTests {
    @Suite("Making a device key")
    struct DeviceKeyMakingTests {
        let keychain = emptyKeychain()

        /// What another process does while it has the lock.
        private static func makeElsewhere(_ name: String) throws -> [UInt8] {
            let accessibility = KeychainStore.Accessibility.afterFirstUnlock()
            let group = AccessGroup(nil, service: "keyturn", accessibility: accessibility)
            return try SystemEnclave(
                tagPrefix: "keyturn.device-key.", group: group, accessibility: accessibility
            ).make(name).publicKey
        }

        private var keyCount: Int { keychain.contents.filter { $0["class"] as? String == "keys" }.count }

        @Test func `twice returns the same key`() async throws {
            let first = try await SecureEnclaveKeys().makeKey("a")
            let second = try await SecureEnclaveKeys().makeKey("a")
            #expect(first.publicKey == second.publicKey)
            #expect(keyCount == 1)
            #expect(!keychain.calls.contains(.delete))
            let signature = try await second.signature(of: [1])
            #expect(P256.isValid(signature, of: [1], publicKey: first.publicKey))
        }

        @Test(arguments: [false, true])
        func `a hundred times at once makes one`(isShared: Bool) async throws {
            let directory = try TemporaryDirectory()
            let path = isShared ? directory.path : nil
            let made = try await withThrowingTaskGroup(of: [UInt8].self) { group in
                for _ in 0..<100 {
                    group.addTask { try await SecureEnclaveKeys(directory: path).makeKey("a").publicKey }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(made.count == 1)
            #expect(keyCount == 1)
            #expect(await SecureEnclaveKeys().key("a").key?.publicKey == made.first)
        }

        @Test func `waits for another process, and returns the key that it made`() async throws {
            let directory = try TemporaryDirectory()
            let locks = KeychainLocks(directory: directory.path, place: "\0keyturn")
            let other = try #require(try await locks.take("device key a", timeoutSeconds: 1))
            let making = Task { try await SecureEnclaveKeys(directory: directory.path).makeKey("a").publicKey }
            try await Task.sleep(for: .milliseconds(50))
            let theirs = try Self.makeElsewhere("a")
            await other.unlock()
            #expect(try await making.value == theirs)
            #expect(keyCount == 1)
        }

        @Test func `makes no key without the lock`() async throws {
            let directory = try TemporaryDirectory()
            let locks = KeychainLocks(directory: directory.path, place: "\0keyturn")
            let other = try #require(try await locks.take("device key a", timeoutSeconds: 1))
            let making = Task { _ = try await SecureEnclaveKeys(directory: directory.path).makeKey("a") }
            try await Task.sleep(for: .milliseconds(50))
            #expect(keyCount == 0)
            making.cancel()
            await #expect(throws: AuthError(.cancelled, "")) { try await making.value }
            await other.unlock()
            #expect(keyCount == 0)
        }

        @Test func `keys of other names and services have locks of their own`() async throws {
            let directory = try TemporaryDirectory()
            let locks = KeychainLocks(directory: directory.path, place: "\0keyturn")
            let other = try #require(try await locks.take("device key a", timeoutSeconds: 1))
            _ = try await SecureEnclaveKeys(directory: directory.path).makeKey("b")
            _ = try await SecureEnclaveKeys(service: "other", directory: directory.path).makeKey("a")
            await other.unlock()
            #expect(keyCount == 2)
        }

        @Test(arguments: [false, true])
        func `makes none while the keychain may be hiding one`(hides: Bool) async throws {
            let keys = SecureEnclaveKeys()
            let made = try await keys.makeKey("a")
            keychain.wasUnlocked = false
            keychain.hidesLockedItems = hides
            await #expect(throws: AuthError(.storeUnavailable, "")) { _ = try await keys.makeKey("a") }
            keychain.wasUnlocked = true
            #expect(keyCount == 1)
            #expect(try await keys.makeKey("a").publicKey == made.publicKey)
        }

        @Test func `finds the key that came to light with the keychain`() async throws {
            let keys = SecureEnclaveKeys()
            let made = try await keys.makeKey("a")
            for _ in 0..<2 { keychain.fail(.copy, -25_300) }
            #expect(try await keys.makeKey("a").publicKey == made.publicKey)
            #expect(keyCount == 1)
        }

        @Test func `that fails lets the next one in`() async throws {
            let directory = try TemporaryDirectory()
            let keys = SecureEnclaveKeys(directory: directory.path)
            keychain.enclaveFailure = SecurityFailureTests.noEnclave[0]
            await #expect(throws: AuthError(.unsupported, "")) { _ = try await keys.makeKey("a") }
            keychain.enclaveFailure = nil
            _ = try await keys.makeKey("a")
            #expect(keyCount == 1)
        }
    }
}
