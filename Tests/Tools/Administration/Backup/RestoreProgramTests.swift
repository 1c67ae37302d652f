import Foundation
import KeyturnBase
import Model
import Testing

@testable import StoreSQL
@testable import keyturn

@Suite("Restores: the program")
struct RestoreProgramTests {
    let place: Place

    init() throws {
        place = try Place()
    }

    @Test func `a database is replaced when asked to, kept aside, and only when no server has it`() async throws {
        try await place.fill(events: 10)
        _ = try place.makeSecrets()
        let file = place.path("plain.db")
        let backup = try place.run("backup", file)
        #expect(backup.status == 0 && backup.output.contains("not encrypted"), "\(backup.errors)")
        let address = "sqlite:\(place.database)"
        let refused = try place.restore(file, database: address)
        #expect(refused.status == 2 && refused.errors.contains("--replace"))

        let server = try SQLiteDatabase(path: place.database)
        try await server.stores().audit.append([AuditEvent(.signedOut, at: UnixTime(rawValue: 1))])
        let busy = try place.restore(file, "--replace", database: address)
        #expect(busy.status == 2 && busy.errors.contains("stop it first"), "\(busy.errors)")
        try await server.stores().audit.append([AuditEvent(.signedOut, at: UnixTime(rawValue: 2))])
        server.close()

        let done = try place.restore(file, "--replace", "--json", database: address)
        #expect(done.status == 0, "\(done.errors)")
        let aside = try #require(try JSONValue(parsing: done.output.utf8)["kept_aside"]?.stringValue)
        #expect(try place.events(.signedOut, in: aside).count == 2, "its log was moved into it")
        #expect(try place.events(.signedOut, in: place.database).isEmpty)
        #expect(try place.events(.databaseRestored, in: place.database).count == 1)
    }

    @Test func `logs of a database that is gone are removed, and a damaged database is replaced`() async throws {
        try await place.fill(events: 10)
        let file = place.path("plain.db")
        #expect(try place.run("backup", file).status == 0)
        try place.write("a log of another database", "new.db-wal")
        try place.write("and its index", "new.db-shm")
        try place.write("", "new.db")
        let run = try place.restore(file, database: "sqlite:\(place.path("new.db"))")
        #expect(run.status == 0, "\(run.errors)")
        #expect(try place.events(.signedIn, in: place.path("new.db")).count == 10)

        try place.write(String(repeating: "no database at all", count: 1_000), "bad.db")
        try place.write("its log", "bad.db-wal")
        let bad = try place.restore(file, "--replace", "--json", database: "sqlite:\(place.path("bad.db"))")
        #expect(bad.status == 0, "\(bad.errors)")
        #expect(try place.events(.signedIn, in: place.path("bad.db")).count == 10)
        let aside = try #require(try JSONValue(parsing: bad.output.utf8)["kept_aside"]?.stringValue)
        #expect(try String(contentsOfFile: aside, encoding: .utf8).hasPrefix("no database at all"))
    }

    @Test func `damaged backups change nothing`() async throws {
        try await place.fill(events: 3_000)
        let key = try place.recipient()
        _ = try place.recipient("other")
        let file = place.path("b.backup")
        #expect(try place.run("backup", file, "--recipient", key).status == 0)
        let whole = try Array(Data(contentsOf: URL(fileURLWithPath: file)))
        let target = "sqlite:\(place.path("new.db"))"
        for damage in [40, 140, 70_000, whole.count - 1] {
            var changed = whole
            changed[damage] ^= 1
            try place.write(changed, "changed.backup")
            let run = try place.restore(place.path("changed.backup"), "--identity", place.path("id"), database: target)
            #expect(run.status != 0 && !run.errors.isEmpty, "byte \(damage): \(run.output)")
        }
        try place.write(Array(whole.dropLast(100)), "changed.backup")
        let cut = try place.restore(place.path("changed.backup"), "--identity", place.path("id"), database: target)
        #expect(cut.status == 1 && cut.errors.contains("damaged"))
        let wrong = try place.restore(file, "--identity", place.path("other"), database: target)
        #expect(wrong.status == 2 && wrong.errors.contains("other recipients"))
        #expect(try place.restore(file, database: target).errors.contains("--identity"))
        #expect(try place.names().isDisjoint(with: ["new.db", "new.db.restoring", "new.db.secrets"]))

        #expect(try place.run("backup", place.path("plain.db")).status == 0)
        var plain = try Array(Data(contentsOf: URL(fileURLWithPath: place.path("plain.db"))))
        for byte in 4_096..<8_192 { plain[byte] = 0xFF }
        try place.write(plain, "plain.db")
        let bad = try place.restore(place.path("plain.db"), database: target)
        #expect(bad.status == 1 && bad.errors.contains("damaged"), "\(bad.errors)")
        #expect(try place.names().isDisjoint(with: ["new.db", "new.db.restoring"]))
    }

    @Test func `other secrets beside the database are kept, or the restore is refused`() async throws {
        _ = try place.makeSecrets()
        let key = try place.recipient()
        let file = place.path("b.backup")
        #expect(try place.run("backup", file, "--recipient", key, "--with-secrets").status == 0)
        let text = "\(Data(Ambient.live.randomBytes(32)).base64EncodedString())\n"
        try place.write(text, "new.db.secrets")
        let target = "sqlite:\(place.path("new.db"))"
        let refused = try place.restore(file, "--identity", place.path("id"), database: target)
        #expect(refused.status == 2 && refused.errors.contains("other secrets"))
        #expect(try place.read("new.db.secrets") == text && !place.names().contains("new.db"))
        let done = try place.restore(file, "--identity", place.path("id"), "--replace", database: target)
        #expect(done.status == 0, "\(done.errors)")
        #expect(try place.read("new.db.secrets") == place.read("users.db.secrets"))
        let kept = try #require(try place.names().first { $0.hasPrefix("new.db.2") && $0.hasSuffix(".secrets") })
        #expect(try place.read(kept) == text)
    }
}
