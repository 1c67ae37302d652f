import Foundation
import KeyturnBase

@testable import Keyturn

/// Other libraries' items, each in a file of its own, that are locked when told to.
final class FolderItems: LegacySessionItems {
    private let directory: TemporaryDirectory
    private let locked = Locked(false)
    private let looks = Locked(0)
    /// What stops with the process that uses these items; `nil`: nothing does.
    private let power: Power?

    init() throws {
        directory = try TemporaryDirectory()
        power = nil
    }

    private init(_ other: FolderItems, _ power: Power) {
        directory = other.directory
        self.power = power
    }

    /// The same items, as a process uses them that ends at some step.
    func used(with power: Power) -> FolderItems { FolderItems(self, power) }

    var isLocked: Bool {
        get { locked.withLock { $0 } }
        set { locked.withLock { $0 = newValue } }
    }

    /// How often an item was read.
    var reads: Int { looks.withLock { $0 } }

    var count: Int { directory.contents.count }

    func put(_ item: LegacySessionItem, _ data: [UInt8]) throws {
        try Data(data).write(to: file(item))
    }

    func has(_ item: LegacySessionItem) -> Bool { FileManager.default.fileExists(atPath: file(item).path) }

    func item(_ item: LegacySessionItem) throws(AuthError) -> [UInt8]? {
        looks.withLock { $0 += 1 }
        try checkUnlocked()
        guard has(item) else { return nil }
        do {
            return Array(try Data(contentsOf: file(item)))
        } catch {
            throw AuthError(.storeUnavailable, "cannot be read", cause: error)
        }
    }

    func removeItem(_ item: LegacySessionItem) throws(AuthError) {
        try checkUnlocked()
        try power?.spend("remove their item")
        guard has(item) else { return }
        do {
            try FileManager.default.removeItem(at: file(item))
        } catch {
            throw AuthError(.storeUnavailable, "cannot be removed", cause: error)
        }
    }

    private func checkUnlocked() throws(AuthError) {
        guard !isLocked else { throw AuthError(.storeUnavailable, "the keychain is locked") }
    }

    private func file(_ item: LegacySessionItem) -> URL {
        let name = Base64URL.encode(Array("\(item.service ?? "-") \(item.account)".utf8))
        return URL(fileURLWithPath: directory.path + "/" + name)
    }
}

/// How many steps a process takes before it ends. Everything that it does afterwards comes to nothing.
final class Power: Sendable {
    private let state: Locked<(left: Int, steps: [String])>

    init(steps: Int) {
        state = Locked((steps, []))
    }

    /// The steps that were taken.
    var steps: [String] { state.withLock { $0.steps } }
    var isGone: Bool { state.withLock { $0.left <= 0 } }

    /// - Throws: `store.unavailable` if there is no power left.
    func spend(_ step: String) throws(AuthError) {
        let isOn = state.withLock { state in
            guard state.left > 0 else { return false }
            state.left -= 1
            state.steps.append(step)
            return true
        }
        guard isOn else { throw AuthError(.storeUnavailable, "the process has ended") }
    }
}

/// A store as a process uses it that ends at some step.
struct PoweredStore: SessionStore {
    let inner: any SessionStore
    let power: Power

    func read(_ container: String) async -> StoreReading { await inner.read(container) }

    func write(
        _ record: StoredRecord, for container: String, when condition: StoreCondition
    ) async throws(AuthError) -> StoreOutcome {
        try power.spend("write " + (container.hasSuffix("/takeover") ? "mark" : "session"))
        return try await inner.write(record, for: container, when: condition)
    }

    func remove(_ container: String, when condition: StoreCondition) async throws(AuthError) -> StoreOutcome {
        try power.spend("remove session")
        return try await inner.remove(container, when: condition)
    }

    /// Of its own: the real one is released with its process.
    func lock(_ container: String, timeoutSeconds: Int64) async throws(AuthError) -> (any StoreLock)? { NoLock() }

    func changeMark(_ container: String) async -> ChangeMark? { await inner.changeMark(container) }

    private struct NoLock: StoreLock {
        func unlock() async {}
    }
}

/// A network as a process uses it that ends at some step.
struct PoweredTransport: HTTPTransport {
    let inner: any HTTPTransport
    let power: Power

    func send(_ request: HTTPRequest) async throws(AuthError) -> HTTPResponse {
        try power.spend("send")
        return try await inner.send(request)
    }
}
