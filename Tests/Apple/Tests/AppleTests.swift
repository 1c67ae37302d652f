import Foundation
import Keyturn
import KeyturnBase
import Security
import Testing

/// The stand-ins are one keychain and one browser, as the system's are, so one test uses them at a time.
@Suite("On Apple platforms", .serialized)
struct AppleTests {}

/// A keychain without anything in it.
func emptyKeychain() -> StandInKeychain {
    StandInKeychain.shared.reset()
    return .shared
}

func record(_ number: UInt64, _ text: String = "secret") -> StoredRecord {
    StoredRecord(generation: Generation(signIn: "sign-in", number: number), contents: Array(text.utf8))
}

extension SessionStore {
    /// Writes whatever was there.
    func write(_ record: StoredRecord, for container: String) async throws {
        #expect(try await write(record, for: container, when: .always) == .done)
    }

    /// Removes whatever is there.
    func remove(_ container: String) async throws {
        #expect(try await remove(container, when: .always) == .done)
    }
}

extension StoreReading {
    var record: StoredRecord? {
        if case .found(let record) = self { record } else { nil }
    }

    var isAbsent: Bool {
        if case .absent = self { true } else { false }
    }

    var error: AuthError? {
        if case .unavailable(let error) = self { error } else { nil }
    }
}

/// A directory that goes with the test.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        let name = "keyturn-apple-\(ProcessInfo.processInfo.globallyUniqueString)"
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        path = url.path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}
