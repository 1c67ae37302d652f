import Foundation
import GRDB
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@testable import StoreSQL
@testable import keyturn

@Suite("Backups: the program")
struct BackupProgramTests {
    let place: Place

    init() throws {
        place = try Place()
    }

    @Test func `a key file is private, is not overwritten, and shows its recipient`() throws {
        let made = try place.recipient()
        #expect(made.hasPrefix("ktbr_"))
        #expect(try place.mode("id") == 0o600)
        let text = try place.read("id")
        #expect(text.contains("# \(made)\nktbi_"))
        let again = try place.run("backup", "key", "create", place.path("id"), namesDatabase: false)
        #expect(again.status == 2 && again.errors.contains("is there already"))
        #expect(try place.read("id") == text)
        let shown = try place.run("backup", "key", "show", place.path("id"), namesDatabase: false)
        #expect(shown.output == "\(made)\n")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: place.path("id"))
        let open = try place.run("backup", "key", "show", place.path("id"), namesDatabase: false)
        #expect(open.status == 2 && open.errors.contains("chmod 600"))
    }

    @Test func `an encrypted backup with secrets restores to the same rows and secrets`() async throws {
        try await place.fill(events: 2_500)
        _ = try place.makeSecrets()
        let key = try place.recipient()
        let file = place.path("b.backup")
        let run = try place.run(
            "backup", file, "--recipient", key, "--identity", place.path("id"), "--with-secrets", "--json")
        #expect(run.status == 0, "\(run.errors)")
        let json = try JSONValue(parsing: run.output.utf8)
        #expect(json["verified"] == true && json["decrypted"] == true && json["secrets"] == true)
        #expect(json["recorded"] == true && json["tables"]?["audit_event"] == 2500)
        #expect(json["compared"] == json["rows"], "\(run.output)")
        #expect(try place.mode("b.backup") == 0o600)
        let secrets = try place.read("users.db.secrets")
        let container = try Data(contentsOf: URL(fileURLWithPath: file))
        for plain in ["SQLite format", "client 3", secrets] { #expect(container.range(of: Data(plain.utf8)) == nil) }
        let recorded = try place.events(.databaseBackedUp, in: place.database)
        #expect(recorded.count == 1 && recorded.first?["reason"] == "encrypted_with_secrets")
        #expect(recorded.first?["target"] == json["sha256"]?.stringValue)

        let verified = try place.run(
            "backup", "verify", file, "--identity", place.path("id"), "--json", environment: place.apart,
            namesDatabase: false)
        let checked = try JSONValue(parsing: verified.output.utf8)
        #expect(verified.status == 0 && checked["sha256"] == json["sha256"] && checked["rows"] == json["rows"])

        let target = place.path("back.db")
        let back = try place.restore(file, "--identity", place.path("id"), database: "sqlite:\(target)")
        #expect(back.status == 0, "\(back.errors)")
        #expect(back.output.contains("sessions that began later are gone") && back.output.contains("refresh.ahead"))
        #expect(try place.read("back.db.secrets") == secrets)
        #expect(try place.mode("back.db.secrets") == 0o600)
        #expect(try place.mode("back.db") == 0o600)
        #expect(try place.events(.databaseRestored, in: target).count == 1)
        #expect(try place.events(.signedIn, in: target).count == 2_500)
        #expect(try place.names() == ["id", "b.backup", "users.db", "users.db.secrets", "back.db", "back.db.secrets"])
    }

    @Test func `what a backup may not do is refused, and leaves nothing`() throws {
        let key = try place.recipient()
        let before = try place.names()
        let cases: [(arguments: [String], words: String)] = [
            (["backup", place.path("a"), "--with-secrets"], "name a --recipient"),
            (["backup", place.path("a"), "--with-secrets", "--recipient", key], "no secrets to put"),
            (["backup", place.path("a"), "--recipient", "ktbr_AAAA"], "is no recipient"),
            (["backup", place.path("a"), "--recipient", "ktbi_AAAA"], "not the private one"),
            (["backup", place.path("id"), "--recipient", key], "is there already"),
            (["backup", place.path("a"), "--identity", place.path("none")], "cannot be read"),
            (["backup", place.path("no/folder/a")], "cannot be made"),
            (["backup", "verify", place.path("none")], "cannot be read"),
            (["backup", "verify", place.path("id")], "no backup of Keyturn"),
        ]
        for each in cases {
            let (process, _, errors) = try place.start(
                each.arguments, environment: place.apart, namesDatabase: each.arguments[1] != "verify")
            process.waitUntilExit()
            let text = try String(contentsOf: errors, encoding: .utf8)
            #expect(process.terminationStatus != 0 && text.contains(each.words), "\(each.arguments): \(text)")
        }
        #expect(try place.names() == before)
    }

    @Test func `Ctrl-C ends a backup, and what it made so far is removed`() async throws {
        try await place.fill(events: 60_000)
        let before = try place.names()
        var (process, errors) = try interruptedBackup()
        // On a busy machine a backup may be over before this process looks again.
        for _ in 0..<9 where process.terminationStatus == 0 {
            try FileManager.default.removeItem(atPath: place.path("b.db"))
            (process, errors) = try interruptedBackup()
        }
        #expect(process.terminationStatus == 1)
        #expect(try String(contentsOf: errors, encoding: .utf8).contains("interrupted"))
        #expect(try place.names() == before)
    }

    /// Blocks its thread: a task may wait longer than the backup takes.
    private func interruptedBackup() throws -> (process: Process, errors: URL) {
        let (process, _, errors) = try place.start(["backup", place.path("b.db")])
        while process.isRunning, try !place.names().contains("users.db.scratch") {
            Thread.sleep(forTimeInterval: 0.001)
        }
        kill(process.processIdentifier, SIGINT)
        process.waitUntilExit()
        return (process, errors)
    }

    @Test func `a database of an older release is copied and restored as it is, one of a later release is not`() throws
    {
        let steps = Array(Migrations.all.dropLast(2))
        func make(_ name: String, _ body: (Database) throws -> Void) throws -> String {
            let queue = try DatabaseQueue(path: place.path(name))
            defer { try? queue.close() }
            try queue.writeWithoutTransaction { database in
                try Migrations.apply(steps, to: database)
                try body(database)
            }
            return "sqlite:\(place.path(name))"
        }
        func schema(_ name: String) throws -> Int? {
            try DatabaseQueue(path: place.path(name)).read { try Int.fetchOne($0, sql: "PRAGMA user_version") }
        }
        let old = try make("old.db") { try $0.execute(sql: "INSERT INTO project (only, id) VALUES (1, 'P')") }
        let number = try #require(steps.last).number
        let run = try place.run("backup", place.path("b.db"), "--database", old, namesDatabase: false)
        #expect(run.status == 0 && run.errors.contains("older release"), "\(run.errors)")
        #expect(run.output.contains("schema \(number)") && run.output.contains("all the same"))
        let back = try place.restore(place.path("b.db"), database: "sqlite:\(place.path("back.db"))")
        #expect(back.status == 0 && back.output.contains("older release"), "\(back.errors)")
        #expect(try schema("old.db") == number && schema("back.db") == number)
        try SQLiteDatabase(path: place.path("back.db")).close()
        #expect(SQLiteDatabase.projectID(path: place.path("back.db")) == "P")

        let new = try make("new.db") { try $0.execute(sql: "PRAGMA user_version = 9000") }
        let refused = try place.run("backup", place.path("c.db"), "--database", new, namesDatabase: false)
        #expect(refused.status == 2 && refused.errors.contains("newer release"), "\(refused.errors)")
    }

    @Test func `PostgreSQL to a file, to SQLite, and to PostgreSQL again, with sessions that go on`() async throws {
        let original = try SQLiteDatabase(path: place.database)
        let old = try await TestServer.start(on: original, contents: .usual)
        let signedIn = try await old.tokens(TestClients.web)
        let issuer = old.issuer
        await old.stop()
        original.close()
        let key = try place.recipient()
        let first = place.path("first.backup")
        #expect(try place.run("backup", first, "--recipient", key).status == 0)

        let middle = try PostgreSQLServer.shared().makeEmptyDatabase()
        let there = try place.restore(first, "--identity", place.path("id"), database: middle)
        #expect(there.status == 0, "\(there.errors)")
        let again = try place.restore(first, "--identity", place.path("id"), database: middle)
        #expect(again.status == 0, "\(again.errors)")

        let moved = try PostgreSQLDatabase(middle)
        let server = try await TestServer.start(on: moved, issuer: issuer)
        let next = try await server.refresh(signedIn.refreshToken, TestClients.web)
        #expect(next.status == 200, "\(next.body)")
        let second = place.path("second.backup")
        let run = try place.run(
            "backup", second, "--recipient", key, "--json", "--database", middle, environment: place.apart,
            namesDatabase: false)
        #expect(run.status == 0, "\(run.errors)")
        #expect(try JSONValue(parsing: run.output.utf8)["engine"] == "postgresql")
        let later = try await server.refresh(next.json["refresh_token"]?.stringValue, TestClients.web)
        #expect(later.status == 200, "after the backup")
        await server.stop()
        moved.close()

        let back = try place.restore(
            second, "--identity", place.path("id"), database: "sqlite:\(place.path("back.db"))")
        #expect(back.status == 0, "\(back.errors)")
        let returned = try SQLiteDatabase(path: place.path("back.db"))
        let last = try await TestServer.start(on: returned, issuer: issuer)
        let answer = try await last.refresh(later.json["refresh_token"]?.stringValue, TestClients.web)
        #expect(answer.status == 200, "a token that is newer than the database: \(answer.body)")
        await last.stop()
        returned.close()

        let full = try place.restore(second, "--identity", place.path("id"), database: middle)
        #expect(full.status == 1 && full.errors.contains("just made (createdb)"), "\(full.errors)")
    }
}
