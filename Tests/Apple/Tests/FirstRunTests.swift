import Foundation
import KeyturnBase
import Security
import Testing

@testable import Keyturn

/// Marks in memory; unreadable when told to.
final class MemoryMarks: RunMarks, @unchecked Sendable {
    private let lock = NSLock()
    private var names: Set<String> = []
    private var error: AuthError?

    func fail(_ error: AuthError?) { lock.withLock { self.error = error } }

    func contains(_ name: String) throws(AuthError) -> Bool {
        if let error = lock.withLock({ error }) { throw error }
        return lock.withLock { names.contains(name) }
    }

    func insert(_ name: String) throws(AuthError) {
        if let error = lock.withLock({ error }) { throw error }
        lock.withLock { _ = names.insert(name) }
    }
}

extension AppleTests {
    @Suite("A first run")
    struct FirstRunTests {
        let keychain = emptyKeychain()

        static func store(_ marks: (any RunMarks)?, directory: String? = nil) -> KeychainStore {
            var options = KeychainStore.Options()
            options.firstRun = .removeLeftovers
            options.marks = marks
            options.directory = directory
            return KeychainStore(options)
        }

        @Test func `keeps the session unless the app says otherwise`() async throws {
            try await KeychainStore().write(record(1), for: "a")
            #expect(await KeychainStore().read("a").record == record(1))
        }

        @Test func `removes every session of an earlier installation, once`() async throws {
            try await KeychainStore().write(record(1), for: "a")
            try await KeychainStore().write(record(2), for: "b")
            var options = KeychainStore.Options()
            options.service = "other"
            try await KeychainStore(options).write(record(3), for: "a")
            let marks = MemoryMarks()
            #expect(await Self.store(marks).read("a").isAbsent)
            #expect(await Self.store(marks).read("b").isAbsent)
            #expect(await KeychainStore(options).read("a").record == record(3))
            try await Self.store(marks).write(record(4), for: "a")
            #expect(await Self.store(marks).read("a").record == record(4))
        }

        @Test func `a write comes after the removal, not before it`() async throws {
            try await KeychainStore().write(record(1), for: "old")
            let marks = MemoryMarks()
            try await Self.store(marks).write(record(2), for: "new")
            #expect(await Self.store(marks).read("new").record == record(2))
            #expect(await Self.store(marks).read("old").isAbsent)
        }

        @Test(arguments: [false, true])
        func `removes nothing while the keychain is closed, when marks may be hidden too`(hides: Bool) async throws {
            let marks = MemoryMarks()
            try await Self.store(marks).write(record(1), for: "a")
            keychain.wasUnlocked = false
            keychain.hidesLockedItems = hides
            // Preferences before the first unlock: empty, without an error.
            let empty = MemoryMarks()
            #expect(await Self.store(empty).read("a").error?.code == .storeUnavailable)
            #expect(try !empty.contains("keyturn"))
            #expect(keychain.contents.contains { $0["acct"] as? String == "a" })
            keychain.wasUnlocked = true
            #expect(await Self.store(marks).read("a").record == record(1))
        }

        @Test func `removes nothing when the mark comes to light with the keychain`() async throws {
            try await KeychainStore().write(record(1), for: "a")
            let marks = MemoryMarks()
            keychain.before { call in
                if call == .copy { try? marks.insert("keyturn") }
            }
            #expect(await Self.store(marks).read("a").record == record(1))
        }

        @Test func `waits while another process has its first run`() async throws {
            let directory = try TemporaryDirectory()
            let marks = MemoryMarks()
            try await KeychainStore().write(record(1), for: "a")
            let locks = KeychainLocks(directory: directory.path, place: "\0keyturn")
            let other = try #require(try await locks.take("first run", timeoutSeconds: 1))
            let reading = Task { await Self.store(marks, directory: directory.path).read("a") }
            try await Task.sleep(for: .milliseconds(50))
            try marks.insert("keyturn")
            await other.unlock()
            #expect(await reading.value.record == record(1))
        }

        @Test func `removes nothing while nobody can tell whether it is one`() async throws {
            try await KeychainStore().write(record(1), for: "a")
            let marks = MemoryMarks()
            marks.fail(AuthError(.storeUnavailable, "closed"))
            #expect(await Self.store(marks).read("a").error?.detail == "closed")
            #expect(await KeychainStore().read("a").record == record(1))
        }

        @Test func `is not over when the removal failed`() async throws {
            try await KeychainStore().write(record(1), for: "a")
            let marks = MemoryMarks()
            keychain.fail(.delete, -25_291)
            #expect(await Self.store(marks).read("a").error?.code == .storeUnavailable)
            #expect(await Self.store(marks).read("a").isAbsent)
        }

        @Test func `of many at a time removes once, before any of them writes`() async throws {
            try await KeychainStore().write(record(1), for: "old")
            let marks = MemoryMarks()
            await withTaskGroup { group in
                for number in 0..<20 {
                    group.addTask {
                        try? await Self.store(marks).write(record(UInt64(number)), for: "\(number)")
                    }
                }
            }
            for number in 0..<20 {
                #expect(await Self.store(marks).read("\(number)").record == record(UInt64(number)))
            }
            #expect(await Self.store(marks).read("old").isAbsent)
            #expect(keychain.calls.filter { $0 == .delete }.count == 1)
        }

        @Test func `is marked in the shared folder where there is one`() async throws {
            let directory = try TemporaryDirectory()
            try await KeychainStore().write(record(1), for: "a")
            #expect(await Self.store(nil, directory: directory.path).read("a").isAbsent)
            try await Self.store(nil, directory: directory.path).write(record(2), for: "a")
            #expect(await Self.store(nil, directory: directory.path).read("a").record == record(2))
            // Uninstalled, and installed again.
            try FileManager.default.removeItem(atPath: directory.path)
            #expect(await Self.store(nil, directory: directory.path).read("a").isAbsent)
        }

        @Test func `is marked in preferences`() throws {
            let suite = "keyturn-test-\(ProcessInfo.processInfo.globallyUniqueString)"
            defer { UserDefaults(suiteName: suite)?.removePersistentDomain(forName: suite) }
            let marks = UserDefaultsMarks(suiteName: suite)
            #expect(try !marks.contains("keyturn"))
            try marks.insert("keyturn")
            #expect(try UserDefaultsMarks(suiteName: suite).contains("keyturn"))
            #expect(try !marks.contains("other"))
        }

        @Test func `a file left aside by a killed process does not stop the mark`() throws {
            let directory = try TemporaryDirectory()
            let marks = FileMarks(directory: directory.path)
            try marks.insert("a")
            let file = "\(directory.path)/keyturn/ran-\(KeychainLocks.digest("b")).new"
            #expect(FileManager.default.createFile(atPath: file, contents: Data()))
            try marks.insert("b")
            #expect(try marks.contains("a") && marks.contains("b") && !marks.contains("c"))
        }
    }
}
