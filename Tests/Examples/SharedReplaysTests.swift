import Foundation
import KeyturnVerify
import Testing

@Suite("Backends that share a database of what they accepted")
struct SharedReplaysTests {
    private let path = FileManager.default.temporaryDirectory.appending(path: "replays-\(UUID().uuidString).sqlite")
        .path

    @Test func `two backends keep the promises of one store`() async throws {
        defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) } }
        let now = UnixTime(rawValue: 1_790_000_000)
        let (one, other) = (try SharedReplays(path: path, at: now), try SharedReplays(path: path, at: now + 9))
        #expect(try await ReplayStoreConformance.violations(of: [one, other], at: now) == [])
        // A clock that is ahead forgets early, and then says so.
        #expect(try await one.admit("a", evidence: now, until: now + 60, at: now) == .admitted)
        #expect(try await other.admit("b", evidence: now + 3_600, until: now + 3_660, at: now + 3_600) == .admitted)
        #expect(try await one.admit("a", evidence: now, until: now + 60, at: now + 1) == .tooOld)
    }

    @Test func `a file that is no database is refused when it is opened`() throws {
        try Data(repeating: 1, count: 4_096).write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(throws: (any Error).self) { try SharedReplays(path: path, at: UnixTime(rawValue: 1)) }
    }
}
