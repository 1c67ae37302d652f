import Foundation
import KeyturnBase
import Security
import Testing

@testable import Keyturn

extension AppleTests {
    @Suite("Changes and locks")
    struct KeychainSharingTests {
        let keychain = emptyKeychain()

        @Test func `the change mark follows every change, without reading the secret`() async throws {
            let store = KeychainStore()
            #expect(await store.changeMark("a") == nil)
            var seen: Set<ChangeMark> = []
            for number in [1, 2, 3, .max] as [UInt64] {
                try await store.write(record(number), for: "a")
                keychain.forgetCalls()
                let mark = try #require(await store.changeMark("a"))
                #expect(await KeychainStore().changeMark("a") == mark)
                #expect(seen.insert(mark).inserted)
                #expect(keychain.queries.allSatisfy { $0["r_Data"] == nil })
            }
            let other = StoredRecord(generation: Generation(signIn: "sign-im", number: .max), contents: [])
            try await store.write(other, for: "a")
            #expect(try seen.insert(#require(await store.changeMark("a"))).inserted)
            try await store.remove("a")
            #expect(await store.changeMark("a") == nil)
            keychain.isEntitled = false
            #expect(await store.changeMark("a") == nil)
        }

        @Test(arguments: ["", "a", "sign-in", "ä€", String(repeating: "x", count: 100)])
        func `a generation survives its label`(_ signIn: String) {
            for number in [0, 1, 255, 256, .max] as [UInt64] {
                let generation = Generation(signIn: signIn, number: number)
                #expect(GenerationLabel.generation(GenerationLabel.bytes(generation)) == generation)
            }
        }

        static func store(_ directory: String?, service: String = "keyturn") -> KeychainStore {
            var options = KeychainStore.Options()
            options.directory = directory
            options.service = service
            return KeychainStore(options)
        }

        @Test(arguments: [false, true])
        func `a lock keeps others out until it is released`(isShared: Bool) async throws {
            let directory = try TemporaryDirectory()
            let path = isShared ? directory.path : nil
            let held = try #require(try await Self.store(path).lock("a", timeoutSeconds: 1))
            #expect(try await Self.store(path).lock("a", timeoutSeconds: 0) == nil)
            let others = [("b", "keyturn"), ("a", "other")]
            for (name, service) in others {
                let lock = try await Self.store(path, service: service).lock(name, timeoutSeconds: 0)
                await (try #require(lock)).unlock()
            }
            await held.unlock()
            await held.unlock()
            await (try #require(try await Self.store(path).lock("a", timeoutSeconds: 1))).unlock()
        }

        @Test func `a folder that others may write to is refused`() async throws {
            let directory = try TemporaryDirectory()
            let folder = directory.path + "/keyturn"
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o777])
            try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder)
            await #expect(throws: AuthError(.storeUnavailable, "")) {
                _ = try await Self.store(directory.path).lock("a", timeoutSeconds: 0)
            }
        }

        @Test func `errors show no secret`() async throws {
            let store = KeychainStore()
            try await store.write(record(1, "very secret"), for: "a")
            keychain.fail(.update, -25_308)
            await #expect(
                performing: { try await store.write(record(2, "very secret"), for: "a") },
                throws: { error in
                    !String(reflecting: error).contains("very secret")
                })
        }
    }
}
