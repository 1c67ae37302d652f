import Foundation
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Synchronization
import Testing

@testable import StoreSQL
@testable import keyturn

@Suite("Copying a database: the program")
struct CopyProgramTests {
    let place: Place
    private var source: String { "sqlite:\(place.database)" }

    init() throws {
        place = try Place()
    }

    private func copy(_ arguments: String...) throws -> Place.Run {
        let (process, output, errors) = try place.start(["database", "copy"] + arguments, namesDatabase: false)
        process.waitUntilExit()
        return Place.Run(
            status: process.terminationStatus, output: try String(contentsOf: output, encoding: .utf8),
            errors: try String(contentsOf: errors, encoding: .utf8))
    }

    private func fill(events: Int) async throws {
        let database = try SQLiteDatabase(path: place.database)
        defer { database.close() }
        for start in stride(from: 0, to: events, by: 1_000) {
            try await database.stores().audit.append(
                (start..<min(start + 1_000, events)).map { number in
                    AuditEvent(.signedIn, at: UnixTime(rawValue: Int64(number)), clientID: "client \(number % 7)")
                })
        }
    }

    @Test func `a copy says how much it was, what to do with the secrets, and can be compared again`() async throws {
        try await fill(events: 2_500)
        _ = try place.makeSecrets()
        let target = try PostgreSQLServer.shared().makeEmptyDatabase()
        let run = try copy(source, target)
        #expect(run.status == 0, "\(run.errors)")
        // The revision is a row as well.
        #expect(run.output.contains("copied 2502 rows (") && run.output.contains("compared 2502 rows ("))
        #expect(run.output.contains("a second)") && run.output.contains("all the same"))
        #expect(run.output.contains("KEYTURN_SECRETS=\"$(paste -sd, '\(place.database).secrets')\""))
        #expect(run.output.contains("are not in it"))

        let again = try copy(source, target, "--verify-only", "--json")
        let json = try JSONValue(parsing: again.output.utf8)
        #expect(again.status == 0 && json["complete"] == true && json["compared"] == 2502 && json["copied"] == 0)
        #expect(json["tables"]?["audit_event"] == 2500)

        #expect(try place.run("user", "create", "a@b.cd", "--no-password").status == 0)
        let differs = try copy(source, target, "--verify-only")
        #expect(
            differs.status == 1 && differs.errors.contains("identifier (kind = 'email', value = 'a@b.cd') is missing"))
        let json2 = try JSONValue(parsing: copy(source, target, "--verify-only", "--json").output.utf8)
        #expect(json2["complete"] == false && json2["difference_count"]?.integerValue ?? 0 >= 2)
        let refused = try copy(source, target)
        #expect(refused.status == 2 && refused.errors.contains("TO is not empty"))
    }

    @Test func `a copy that is killed again and again is run again, and no server starts on it before`() async throws {
        try await fill(events: 20_000)
        let target = try PostgreSQLServer.shared().makeEmptyDatabase()
        for rows in [1, 5_000, 12_000] {
            let hold = Hold()
            // The program is not told that so many rows are there, and waits.
            let proxy = try CuttingProxy(cutting: "COMMIT") { _ in
                guard let copied = try? Self.rowsCopied(to: target), copied >= rows else { return false }
                hold.wait()
                return true
            }
            let address = target.replacing(try PostgreSQLServer.shared().folder, with: proxy.folder)
            let (process, _, _) = try place.start(["database", "copy", source, address], namesDatabase: false)
            while !hold.isReached, process.isRunning { try await Task.sleep(for: .milliseconds(2)) }
            #expect(process.isRunning)
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            hold.end()
            #expect(throws: OpenProblem.unfinishedCopy) { try PostgreSQLDatabase(target) }
            let list = try place.run("key", "list", "--database", target, namesDatabase: false)
            #expect(list.status == 1 && list.errors.contains("run the same `keyturn database copy` again"))
        }
        let run = try copy(source, target, "--json")
        #expect(run.status == 0, "\(run.errors)")
        let json = try JSONValue(parsing: run.output.utf8)
        let earlier = json["copied_earlier"]?.integerValue ?? 0
        #expect(earlier > 0 && earlier + (json["copied"]?.integerValue ?? 0) == 20_002)
        #expect(json["compared"] == 20_002 && json["complete"] == true)
        try PostgreSQLDatabase(target).close()
        // As after an answer to the last step that was lost.
        let again = try JSONValue(parsing: copy(source, target, "--json").output.utf8)
        #expect(again["copied"] == 0 && again["compared"] == 20_002 && again["complete"] == true)
    }

    private static func rowsCopied(to target: String) throws -> Int {
        let session = SQLSession(try PostgreSQLConnection(target, defaults: []))
        let journal = "SELECT 1 FROM pg_tables WHERE tablename = 'database_copy'"
        guard try session.search(journal, []).first != nil else { return 0 }
        return try session.search("SELECT sum(row_count)::bigint AS n FROM database_copy", []).first?["n"] ?? 0
    }

    /// A place where a thread waits until a test lets it go on.
    private final class Hold: Sendable {
        private let reached = Mutex(false)
        private let gate = DispatchSemaphore(value: 0)

        var isReached: Bool { reached.withLock { $0 } }

        func wait() {
            reached.withLock { $0 = true }
            gate.wait()
        }

        func end() { gate.signal() }
    }

    @Test func `wrong addresses are refused, and a password is never shown`() throws {
        let password = "very-secret-word"
        for address in [
            "postgres://keyturn:\(password)@127.0.0.1:1/x", "postgres://keyturn:\(password)@wrong@host/x",
            "mysql://keyturn:\(password)@host/x",
        ] {
            for run in [try copy(source, address), try copy(address, source), try copy(source, address, "--json")] {
                #expect(run.status == 1 || run.status == 2)
                #expect(!run.errors.isEmpty && !(run.errors + run.output).contains(password), "\(run.errors)")
            }
        }
        #expect(try copy(source, "sqlite::memory:").status == 2)
        #expect(try copy(source, source).errors.contains("the same file"))
        let missing = try copy("sqlite:\(place.path("none.db"))", "sqlite:\(place.path("copy.db"))")
        #expect(missing.status == 2 && missing.errors.contains("there is no file"))
    }

    @Test func `sessions go on after a move to PostgreSQL, and after the way back`() async throws {
        let original = try SQLiteDatabase(path: place.database)
        let old = try await TestServer.start(on: original, contents: .usual)
        let signedIn = try await old.tokens(TestClients.web)
        let refreshed = try await old.refresh(signedIn.refreshToken, TestClients.web)
        #expect(refreshed.status == 200)
        let issuer = old.issuer
        await old.stop()
        original.close()

        let target = try PostgreSQLServer.shared().makeEmptyDatabase()
        let there = try copy(source, target)
        #expect(there.status == 0, "\(there.errors)")
        let moved = try PostgreSQLDatabase(target)
        let server = try await TestServer.start(on: moved, issuer: issuer)
        let next = try await server.refresh(refreshed.json["refresh_token"]?.stringValue, TestClients.web)
        #expect(next.status == 200, "\(next.body)")
        #expect(next.json["access_token"]?.stringValue != nil)
        await server.stop()
        moved.close()

        let back = try copy(target, "sqlite:\(place.path("back.db"))")
        #expect(back.status == 0, "\(back.errors)")
        let returned = try SQLiteDatabase(path: place.path("back.db"))
        let last = try await TestServer.start(on: returned, issuer: issuer)
        let answer = try await last.refresh(next.json["refresh_token"]?.stringValue, TestClients.web)
        #expect(answer.status == 200, "\(answer.body)")
        #expect(try await last.tokens(TestClients.portal).accessToken.isEmpty == false, "and so does signing in")
        await last.stop()
        returned.close()
    }
}
