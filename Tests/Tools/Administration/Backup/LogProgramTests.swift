import Foundation
import KeyturnBase
import Model
import Testing

@testable import StoreSQL
@testable import keyturn

/// `keyturn backup follow`, its folder, and the way back.
@Suite("Backups: the log")
struct LogProgramTests {
    let place: Place

    init() throws {
        place = try Place()
    }

    private var log: String { place.path("log") }

    /// A process that follows.
    private final class Following {
        let process: Process
        private let output: URL
        private let errors: URL

        init(_ place: Place, _ key: String, _ more: [String] = []) throws {
            let arguments = ["backup", "follow", place.path("log"), "--recipient", key, "--json"] + more
            (process, output, errors) = try place.start(arguments, environment: place.apart)
        }

        func events() throws -> [String] {
            try String(contentsOf: output, encoding: .utf8).split(separator: "\n")
                .map { try JSONValue(parsing: $0.utf8)["event"]?.stringValue ?? "" }
        }

        func wait(for event: String) async throws {
            for _ in 0..<600 {
                if try events().contains(event) { return }
                guard process.isRunning else { break }
                try await Task.sleep(for: .milliseconds(50))
            }
            let (came, said) = (try events(), try String(contentsOf: errors, encoding: .utf8))
            Issue.record("\(event) did not come: \(came) \(said)")
        }

        func stop() {
            process.terminate()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
        }

        func kill() {
            Foundation.kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
    }

    /// A server has the database open for as long as the test.
    private func opened() throws -> SQLiteDatabase { try SQLiteDatabase(path: place.database) }

    private func append(_ count: Int, to database: SQLiteDatabase) async throws {
        for _ in 0..<count {
            try await database.stores().audit.append([AuditEvent(.signedIn, at: Ambient.live.now())])
        }
    }

    private func signIns(_ name: String, at moment: String? = nil) throws -> Int {
        let target = place.path(name)
        let at = moment.map { ["--at", $0] } ?? []
        let (process, output, errors) = try place.start(
            ["restore", log, "--identity", place.path("id"), "--json", "--database", "sqlite:\(target)"] + at,
            environment: place.apart, namesDatabase: false)
        process.waitUntilExit()
        let said = try String(contentsOf: errors, encoding: .utf8)
        #expect(process.terminationStatus == 0, "\(said)")
        let json = try JSONValue(parsing: String(contentsOf: output, encoding: .utf8).utf8)
        #expect(json["recorded"] == true && json["encrypted"] == true)
        return try place.events(.signedIn, in: target).count
    }

    @Test func `each moment comes back, through kills and a stop`() async throws {
        let key = try place.recipient()
        let database = try opened()
        defer { database.close() }
        var moments: [(text: String, count: Int)] = []
        var written = 0
        var following = try Following(place, key)
        try await following.wait(for: "snapshot_made")
        for round in 0..<4 {
            try await append(25, to: database)
            written += 25
            try await Task.sleep(for: .seconds(2.5))
            moments.append((Date().formatted(.iso8601), written))
            try await Task.sleep(for: .seconds(1.5))
            if round == 1 { following.kill() } else if round == 2 { following.stop() } else { continue }
            following = try Following(place, key)
            try await following.wait(for: "line_resumed")
        }
        following.stop()
        for (number, moment) in moments.enumerated() {
            let found = try signIns("moment-\(number).db", at: moment.text)
            #expect(found == moment.count, "\(moment.text)")
        }
        #expect(try signIns("newest.db") == written)
        let verified = try place.run(
            "backup", "verify", log, "--identity", place.path("id"), environment: place.apart, namesDatabase: false)
        #expect(verified.status == 0 && verified.output.contains("no part is missing"), "\(verified.errors)")
        let names = try place.names()
        #expect(names.allSatisfy { !$0.hasSuffix("scratch") && !$0.hasSuffix("restoring") }, "\(names)")
    }

    @Test func `a log that went on without a follower gets a new line, and both can be restored`() async throws {
        let key = try place.recipient()
        let database = try opened()
        defer { database.close() }
        let first = try Following(place, key)
        try await first.wait(for: "snapshot_made")
        try await append(10, to: database)
        first.stop()
        let moment = Date().formatted(.iso8601)
        try await Task.sleep(for: .seconds(1.5))
        let alone = try SQLiteConnection(place.database, .write)
        // Before that it does not know that there is a log.
        _ = try alone.number("PRAGMA user_version")
        #expect(alone.checkpoint(truncating))
        try await append(10, to: database)
        let second = try Following(place, key)
        try await second.wait(for: "snapshot_made")
        second.stop()
        #expect(try second.events().contains("line_began"))
        let list = try place.run("backup", "list", log, "--json", "--max-age", "1h", namesDatabase: false)
        #expect(list.status == 0)
        #expect(try JSONValue(parsing: list.output.utf8)["lines"]?.arrayValue?.count == 2)
        #expect(try signIns("old.db", at: moment) == 10)
        #expect(try signIns("new.db") == 20)
    }

    @Test func `a part that is missing, cut, changed or another's is found`() async throws {
        let key = try place.recipient()
        let database = try opened()
        defer { database.close() }
        for _ in 0..<3 {
            let isFirst = try !place.names().contains("log")
            let following = try Following(place, key)
            try await following.wait(for: isFirst ? "snapshot_made" : "line_resumed")
            try await append(5, to: database)
            try await Task.sleep(for: .seconds(1.2))
            following.stop()
        }
        let line = try #require(try LogFolder(path: log).lines().first)
        let parts = try line.parts()
        #expect(parts.count >= 3)
        let middle = line.part(parts[1])
        let whole = try Data(contentsOf: URL(fileURLWithPath: middle))
        func verify() throws -> Place.Run {
            try place.run(
                "backup", "verify", log, "--identity", place.path("id"), environment: place.apart,
                namesDatabase: false)
        }
        #expect(try verify().status == 0)
        for damage in [whole.dropLast(1), whole.dropLast(whole.count / 3), Data(), whole + [0, 0, 0, 0]] {
            try Data(damage).write(to: URL(fileURLWithPath: middle))
            let isHarmless = damage.count > whole.count
            let run = try verify()
            #expect(run.status == (isHarmless ? 0 : 1), "\(damage.count) \(run.output) \(run.errors)")
        }
        for index in stride(from: 30, to: whole.count, by: max(1, whole.count / 12)) {
            var changed = whole
            changed[index] ^= 1
            try changed.write(to: URL(fileURLWithPath: middle))
            #expect(try verify().status != 0, "byte \(index)")
        }
        try Data(contentsOf: URL(fileURLWithPath: line.part(parts[2]))).write(to: URL(fileURLWithPath: middle))
        #expect(try verify().status == 1)
        try whole.write(to: URL(fileURLWithPath: middle))
        #expect(try verify().status == 0)
        // Also encrypted to the recipient, and whole, but of another moment.
        let snapshot = line.snapshot(try #require(try line.snapshots().first))
        let (kept, other) = ("\(snapshot).kept", place.path("other.backup"))
        #expect(try place.run("backup", other, "--recipient", key).status == 0)
        try FileManager.default.moveItem(atPath: snapshot, toPath: kept)
        try FileManager.default.copyItem(atPath: other, toPath: snapshot)
        let swapped = try verify()
        #expect(swapped.status == 1 && swapped.errors.contains("is not the snapshot"), "\(swapped.errors)")
        try FileManager.default.removeItem(atPath: snapshot)
        try FileManager.default.moveItem(atPath: kept, toPath: snapshot)
        try FileManager.default.removeItem(atPath: middle)
        let missing = try verify()
        #expect(missing.status == 1 && missing.errors.contains("is missing"))
        let target = place.path("none.db")
        let restored = try place.restore(log, "--identity", place.path("id"), database: "sqlite:\(target)")
        #expect(restored.status == 1)
        #expect(!FileManager.default.fileExists(atPath: target))
    }

    @Test func `what cannot be followed or restored is refused in words that say what to do`() async throws {
        let key = try place.recipient()
        let none = try place.run("backup", "follow", log)
        #expect(none.status != 0 && none.errors.contains("--recipient"))
        let server = try place.run(
            "backup", "follow", log, "--recipient", key, "--database", "postgres://a@b/c", namesDatabase: false)
        #expect(server.status == 2 && server.errors.contains("archive_command"))
        let range = try place.run("backup", "follow", log, "--recipient", key, "--every", "0")
        #expect(range.status != 0 && range.errors.contains("1 to 60"))
        try FileManager.default.createDirectory(atPath: log, withIntermediateDirectories: false)
        let empty = try place.restore(log, "--identity", place.path("id"), database: "sqlite:\(place.path("x.db"))")
        #expect(empty.status == 2 && empty.errors.contains("no snapshot"))
        let list = try place.run("backup", "list", log, "--max-age", "5m", namesDatabase: false)
        #expect(list.status == 1 && list.errors.contains("backup follow"))

        let database = try opened()
        defer { database.close() }
        let following = try Following(place, key)
        try await following.wait(for: "snapshot_made")
        let second = try place.run("backup", "follow", log, "--recipient", key)
        #expect(second.status == 2 && second.errors.contains("stop it first"))
        let early = try place.restore(
            log, "--at", "2020-01-01", "--identity", place.path("id"), database: "sqlite:\(place.path("x.db"))")
        #expect(early.status == 2 && early.errors.contains("it begins with"))
        let open = try place.restore(
            log, "--replace", "--identity", place.path("id"), database: "sqlite:\(place.database)")
        #expect(open.status == 2 && open.errors.contains("has the database open"), "\(open.errors)")
        following.stop()
        let other = try place.recipient("other")
        #expect(other != key)
        let wrong = try place.restore(
            log, "--identity", place.path("other"), database: "sqlite:\(place.path("x.db"))")
        #expect(wrong.status == 2 && wrong.errors.contains("other recipients"))
        let file = try place.run("backup", place.path("b"), "--recipient", key)
        #expect(file.status == 0)
        let at = try place.restore(
            place.path("b"), "--at", "1m", "--identity", place.path("id"), database: "sqlite:\(place.path("x.db"))")
        #expect(at.status == 2 && at.errors.contains("--at"))
    }

    @Test func `moments older than they are kept go, and all later ones can be restored`() throws {
        let folder = LogFolder(path: log)
        _ = try folder.hold()
        let key = try #require(BackupRecipient(try place.recipient()))
        let position = LogPosition(salt: nil, frames: 0, checksum: 0)
        var lines: [LogLine] = []
        for number in 0..<2 {
            let time = UnixTime(rawValue: 1_000_000 + Int64(number) * 100)
            let line = try folder.newLine(Ambient(clock: { time }, entropy: Ambient.live.randomBytes))
            let writer = try LogLineWriter(line, to: [key], at: position, ambient: .live)
            for _ in 0..<2 {
                try writer.beat()
                try writer.beginPart()
                try Data("snapshot".utf8).write(to: URL(fileURLWithPath: line.snapshot(writer.number)))
                try writer.noteSnapshot([UInt8](repeating: 0, count: 32))
            }
            lines.append(line)
        }
        let now = Ambient.live.now()
        #expect(try LogRetention(folder: folder, seconds: 60).apply(at: now) == 0)
        // The newest snapshot is older than that: nothing before it is needed.
        #expect(try LogRetention(folder: folder, seconds: 60).apply(at: now + 120) > 0)
        #expect(try folder.lines().map(\.name) == [lines[1].name])
        #expect(try lines[1].snapshots() == [3])
        #expect(try lines[1].parts() == [3])
    }
}

/// `SQLITE_CHECKPOINT_TRUNCATE`.
private let truncating: Int32 = 3
