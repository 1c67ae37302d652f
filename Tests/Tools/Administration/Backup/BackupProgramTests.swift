import Foundation
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@testable import StoreSQL
@testable import keyturn

@Suite("Backup and restore: the program")
struct BackupProgramTests {
    let place: Place

    init() throws {
        place = try Place()
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

    /// Makes an identity, and gives its recipient.
    private func recipient(_ name: String = "id") throws -> String {
        let run = try place.run("backup", "key", "create", place.path(name), namesDatabase: false)
        #expect(run.status == 0, "\(run.errors)")
        return run.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func restore(_ arguments: String..., database: String) throws -> Place.Run {
        let (process, output, errors) = try place.start(
            ["restore"] + arguments + ["--database", database], namesDatabase: false)
        process.waitUntilExit()
        return Place.Run(
            status: process.terminationStatus, output: try String(contentsOf: output, encoding: .utf8),
            errors: try String(contentsOf: errors, encoding: .utf8))
    }

    private func names() throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: place.folder.path))
            .filter { !$0.hasSuffix(".in") && !$0.hasSuffix(".out") && !$0.hasSuffix(".err") }
            .reduce(into: []) { $0.insert($1) }
    }

    /// Rows of the audit log, by what happened.
    private func events(_ kind: AuditEvent.Kind, in path: String) throws -> [SQLRow] {
        let database = try SQLiteDatabase(path: path)
        defer { database.close() }
        return try database.inspect {
            try $0.all("SELECT kind, actor, target, reason FROM audit_event WHERE kind = ?", [kind.rawValue])
        }
    }

    @Test func `a key file is private, is not overwritten, and shows its recipient`() throws {
        let made = try recipient()
        #expect(made.hasPrefix("ktbr_") && place.mode != nil)
        #expect(try place.mode("id") == 0o600)
        let text = try place.read("id")
        #expect(text.contains("# \(made)\nktbi_"))
        let again = try place.run("backup", "key", "create", place.path("id"), namesDatabase: false)
        #expect(again.status == 2 && again.errors.contains("is there already"))
        #expect(try place.read("id") == text)
        let shown = try place.run("backup", "key", "show", place.path("id"), namesDatabase: false)
        #expect(shown.output == "\(made)\n")
        #expect(chmod(place.path("id"), 0o644) == 0)
        let open = try place.run("backup", "key", "show", place.path("id"), namesDatabase: false)
        #expect(open.status == 2 && open.errors.contains("chmod 600"))
    }

    @Test func `an encrypted backup with secrets restores to the same rows and secrets`() async throws {
        try await fill(events: 2_500)
        _ = try place.makeSecrets()
        let key = try recipient()
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
        let recorded = try events(.databaseBackedUp, in: place.database)
        #expect(recorded.count == 1 && recorded.first?["reason"] == "encrypted_with_secrets")
        #expect(recorded.first?["target"] == json["sha256"]?.stringValue)

        let verified = try place.run(
            "backup", "verify", file, "--identity", place.path("id"), "--json", namesDatabase: false)
        let checked = try JSONValue(parsing: verified.output.utf8)
        #expect(verified.status == 0 && checked["sha256"] == json["sha256"] && checked["rows"] == json["rows"])

        let target = place.path("back.db")
        let back = try restore(file, "--identity", place.path("id"), database: "sqlite:\(target)")
        #expect(back.status == 0, "\(back.errors)")
        #expect(back.output.contains("sessions that began later are gone") && back.output.contains("refresh.ahead"))
        #expect(try place.read("back.db.secrets") == secrets)
        #expect(try place.mode("back.db.secrets") == 0o600)
        #expect(try place.mode("back.db") == 0o600)
        #expect(try events(.databaseRestored, in: target).count == 1)
        #expect(try events(.signedIn, in: target).count == 2_500)
        #expect(try names() == ["id", "b.backup", "users.db", "users.db.secrets", "back.db", "back.db.secrets"])
    }

    @Test func `what a backup may not do is refused, and leaves nothing`() throws {
        let key = try recipient()
        let before = try names()
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
            let (process, _, errors) = try place.start(each.arguments, namesDatabase: each.arguments[1] != "verify")
            process.waitUntilExit()
            let text = try String(contentsOf: errors, encoding: .utf8)
            #expect(process.terminationStatus != 0 && text.contains(each.words), "\(each.arguments): \(text)")
        }
        #expect(try names() == before)
    }

    @Test func `a database is replaced when asked to, kept aside, and only when no server has it`() async throws {
        try await fill(events: 10)
        _ = try place.makeSecrets()
        let file = place.path("plain.db")
        let backup = try place.run("backup", file)
        #expect(backup.status == 0 && backup.output.contains("not encrypted"), "\(backup.errors)")
        let address = "sqlite:\(place.database)"
        let refused = try restore(file, database: address)
        #expect(refused.status == 2 && refused.errors.contains("--replace"))

        let server = try SQLiteDatabase(path: place.database)
        try await server.stores().audit.append([AuditEvent(.signedOut, at: UnixTime(rawValue: 1))])
        let busy = try restore(file, "--replace", database: address)
        #expect(busy.status == 2 && busy.errors.contains("stop it first"), "\(busy.errors)")
        #expect(try await server.stores().audit.recent(limit: 1).isEmpty == false)
        server.close()

        let done = try restore(file, "--replace", "--json", database: address)
        #expect(done.status == 0, "\(done.errors)")
        let aside = try #require(try JSONValue(parsing: done.output.utf8)["kept_aside"]?.stringValue)
        #expect(try events(.signedOut, in: aside).count == 1, "its log was moved into it")
        #expect(try events(.signedOut, in: place.database).isEmpty)
        #expect(try events(.databaseRestored, in: place.database).count == 1)
    }

    @Test func `logs of a database that is gone are removed, and a damaged database is replaced`() async throws {
        try await fill(events: 10)
        let file = place.path("plain.db")
        #expect(try place.run("backup", file).status == 0)
        try place.write("a log of another database", "new.db-wal")
        try place.write("and its index", "new.db-shm")
        try place.write("", "new.db")
        let run = try restore(file, database: "sqlite:\(place.path("new.db"))")
        #expect(run.status == 0, "\(run.errors)")
        #expect(try events(.signedIn, in: place.path("new.db")).count == 10)

        try place.write(String(repeating: "no database at all", count: 1_000), "bad.db")
        try place.write("its log", "bad.db-wal")
        let bad = try restore(file, "--replace", "--json", database: "sqlite:\(place.path("bad.db"))")
        #expect(bad.status == 0, "\(bad.errors)")
        #expect(try events(.signedIn, in: place.path("bad.db")).count == 10)
        let aside = try #require(try JSONValue(parsing: bad.output.utf8)["kept_aside"]?.stringValue)
        #expect(try String(contentsOfFile: aside, encoding: .utf8).hasPrefix("no database at all"))
    }

    @Test func `damaged backups change nothing`() async throws {
        try await fill(events: 3_000)
        let key = try recipient()
        _ = try recipient("other")
        let file = place.path("b.backup")
        #expect(try place.run("backup", file, "--recipient", key).status == 0)
        let whole = try Array(Data(contentsOf: URL(fileURLWithPath: file)))
        let target = "sqlite:\(place.path("new.db"))"
        for damage in [40, 140, 70_000, whole.count - 1] {
            var changed = whole
            changed[damage] ^= 1
            try place.write(changed, "changed.backup")
            let run = try restore(place.path("changed.backup"), "--identity", place.path("id"), database: target)
            #expect(run.status != 0 && !run.errors.isEmpty, "byte \(damage): \(run.output)")
        }
        try place.write(Array(whole.dropLast(100)), "changed.backup")
        let cut = try restore(place.path("changed.backup"), "--identity", place.path("id"), database: target)
        #expect(cut.status == 1 && cut.errors.contains("damaged"))
        let wrong = try restore(file, "--identity", place.path("other"), database: target)
        #expect(wrong.status == 2 && wrong.errors.contains("other recipients"))
        #expect(try restore(file, database: target).errors.contains("--identity"))
        #expect(try names().isDisjoint(with: ["new.db", "new.db.restoring", "new.db.secrets"]))

        #expect(try place.run("backup", place.path("plain.db")).status == 0)
        var plain = try Array(Data(contentsOf: URL(fileURLWithPath: place.path("plain.db"))))
        for byte in 4_096..<8_192 { plain[byte] = 0xFF }
        try place.write(plain, "plain.db")
        let bad = try restore(place.path("plain.db"), database: target)
        #expect(bad.status == 1 && bad.errors.contains("damaged"), "\(bad.errors)")
        #expect(try names().isDisjoint(with: ["new.db", "new.db.restoring"]))
    }

    @Test func `other secrets beside the database are kept, or the restore is refused`() async throws {
        _ = try place.makeSecrets()
        let key = try recipient()
        let file = place.path("b.backup")
        #expect(try place.run("backup", file, "--recipient", key, "--with-secrets").status == 0)
        let text = "\(Data(Ambient.live.randomBytes(32)).base64EncodedString())\n"
        try place.write(text, "new.db.secrets")
        let target = "sqlite:\(place.path("new.db"))"
        let refused = try restore(file, "--identity", place.path("id"), database: target)
        #expect(refused.status == 2 && refused.errors.contains("other secrets"))
        #expect(try place.read("new.db.secrets") == text && !names().contains("new.db"))
        let done = try restore(file, "--identity", place.path("id"), "--replace", database: target)
        #expect(done.status == 0, "\(done.errors)")
        #expect(try place.read("new.db.secrets") == place.read("users.db.secrets"))
        let kept = try #require(try names().first { $0.hasPrefix("new.db.2") && $0.hasSuffix(".secrets") })
        #expect(try place.read(kept) == text)
    }

    @Test func `PostgreSQL to a file, to SQLite, and to PostgreSQL again, with sessions that go on`() async throws {
        let original = try SQLiteDatabase(path: place.database)
        let old = try await TestServer.start(on: original, contents: .usual)
        let signedIn = try await old.tokens(TestClients.web)
        let issuer = old.issuer
        await old.stop()
        original.close()
        let key = try recipient()
        let first = place.path("first.backup")
        #expect(try place.run("backup", first, "--recipient", key).status == 0)

        let middle = try PostgreSQLServer.shared().makeEmptyDatabase()
        let there = try restore(first, "--identity", place.path("id"), database: middle)
        #expect(there.status == 0, "\(there.errors)")
        let again = try restore(first, "--identity", place.path("id"), database: middle)
        #expect(again.status == 2 || again.status == 0, "\(again.errors)")

        let moved = try PostgreSQLDatabase(middle)
        let server = try await TestServer.start(on: moved, issuer: issuer)
        let next = try await server.refresh(signedIn.refreshToken, TestClients.web)
        #expect(next.status == 200, "\(next.body)")
        let second = place.path("second.backup")
        let run = try place.run(
            "backup", second, "--recipient", key, "--json", "--database", middle, namesDatabase: false)
        #expect(run.status == 0, "\(run.errors)")
        #expect(try JSONValue(parsing: run.output.utf8)["engine"] == "postgresql")
        let later = try await server.refresh(next.json["refresh_token"]?.stringValue, TestClients.web)
        #expect(later.status == 200, "after the backup")
        await server.stop()
        moved.close()

        let back = try restore(second, "--identity", place.path("id"), database: "sqlite:\(place.path("back.db"))")
        #expect(back.status == 0, "\(back.errors)")
        let returned = try SQLiteDatabase(path: place.path("back.db"))
        let last = try await TestServer.start(on: returned, issuer: issuer)
        let answer = try await last.refresh(later.json["refresh_token"]?.stringValue, TestClients.web)
        #expect(answer.status == 200, "a token that is newer than the database: \(answer.body)")
        await last.stop()
        returned.close()

        let full = try restore(second, "--identity", place.path("id"), database: middle)
        #expect(full.status == 2 && full.errors.contains("not empty"), "\(full.errors)")
    }
}
