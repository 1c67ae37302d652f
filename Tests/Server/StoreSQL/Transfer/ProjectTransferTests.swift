import Foundation
import GRDB
import KeyturnBase
import Model
import SignIn
import ServerTesting
import Testing

@testable import Account
@testable import StoreSQL

@Suite("Exporting a project, and importing it elsewhere")
struct ProjectTransferTests {
    let here: ServerSecrets
    let there: ServerSecrets
    let filled: FilledDatabase

    init() throws {
        (here, there) = (try .made(), try .made())
        filled = try FilledDatabase(rows: 12, sealedWith: here)
    }

    /// Rows of tables that are worth something with other secrets.
    private func movable(_ lines: [String]) -> [String] {
        lines.filter { !$0.hasPrefix("{\"table\":\"recovery_code\"") }
    }

    @Test func `what was imported is exported again as the same lines, by way of both engines`() throws {
        let (file, report) = try filled.side.export(here)
        #expect(report.unreadable == [:] && report.total == file.rows.count && report.total > 250)
        #expect(report.rows.allSatisfy { $0.rows == 12 }, "\(report.rows)")
        let second = try filled.fresh("second.db")
        let taken = try second.take(file, there)
        #expect(taken.digest == report.digest && taken.rows == report.rows && taken.collisionCount == 0)
        #expect(taken.keyed == ["recovery_code": 12] && taken.leftOut == [:] && taken.alreadyThere == [:])
        #expect(taken.importedTotal == report.total - 12)
        let again = try second.export(there)
        #expect(again.file.rows == movable(file.rows))

        let sandbox = try PostgreSQLSandbox()
        try sandbox.database().close()
        let third = try ServerSecrets.made()
        try sandbox.side().take(again.file, third)
        let fromPostgreSQL = try sandbox.side().export(third)
        #expect(fromPostgreSQL.file.rows == again.file.rows)

        let back = try filled.fresh("back.db")
        try back.take(fromPostgreSQL.file, here)
        #expect(try back.export(here).file.rows == again.file.rows)
    }

    @Test func `rows are those that were there, and sealed columns are sealed anew`() throws {
        let second = try filled.fresh("second.db")
        try second.take(filled.side.export(here).file, there)
        let (before, after) = (try filled.contents(filled.side), try filled.contents(second))
        let sealed = Set(TransferTable.all.filter { $0.columns.values.contains(where: \.isSealed) }.map(\.name))
        for table in TransferTable.all where table.need == .always || table.need == .secrets {
            if sealed.contains(table.name) {
                #expect(after[table.name]?.count == 12 && after[table.name] != before[table.name], "\(table.name)")
            } else if table.name != "recovery_code" {
                #expect(after[table.name] == before[table.name], "\(table.name)")
            }
        }
        #expect(after["grant_"] == [] && after["session"] == [] && after["signing_key"] == [])
        for table in TransferTable.leftOut.keys where !["revision", "audit_chain", "audit_event"].contains(table) {
            #expect(after[table]?.isEmpty == true, "\(table)")
        }
        #expect(throws: Never.self) { try second.export(there) }
        #expect(try second.export(here).report.unreadable.keys.sorted() == ["authenticator", "connection", "data_key"])
    }

    @Test func `the event of an import is in the log of its database, and the chain holds`() async throws {
        let second = try filled.fresh("second.db")
        try second.take(filled.side.export(here).file, there)
        let database = try SQLiteDatabase(path: filled.target("second.db"))
        defer { database.close() }
        let records = try await database.stores().audit.chain(after: 0, through: 100, limit: 10)
        #expect(records.map(\.event.kind) == [.projectImported])
        #expect(records.first?.event.target == "id 0" && records.first?.event.actor == "operator:test")
        let record = try #require(records.first)
        let end = AuditChain.digest(of: record.event, after: try #require(record.previous))
        #expect(try await database.stores().audit.head().digest == end)
    }

    @Test func `seals are those that the methods make, and open at the other end`() async throws {
        let database = try SQLiteDatabase(path: filled.path)
        let stores = database.stores()
        let totp = TOTPSeal(here, ambient: .live).store(TOTPSecret.make(.live), isConfirmed: true)
        let settings = LDAPConnectionSettings(
            url: "ldaps://ldap.example.com", bindDN: "cn=a", bindPassword: "secret", baseDN: "dc=example,dc=com")
        let time = UnixTime(rawValue: 1)
        let connection = Connection(
            id: "corp", name: "Corp", settings: .ldap(settings), createdAt: time, updatedAt: time)
        #expect(try await stores.connections.create(ConnectionSeal(here, ambient: .live).close(connection), max: 99))
        let cheap = Argon2Parameters(memoryKiB: 64, passes: 1, lanes: 1)
        let keys = DataKeySeal(here, parameters: cheap, ambient: .live)
        let (opened, wraps) = try #require(keys.make("abc", realm: "r", secret: Secret("1234")))
        let key = StoredDataKey(id: "abc", realm: "r", wraps: wraps, createdAt: UnixTime(rawValue: 1))
        #expect(try await stores.dataKeys.add(key, name: nil, at: UnixTime(rawValue: 1)) == .added)
        _ = try database.inspect { db in
            try db.run(
                "UPDATE authenticator SET id = ?, sealed = ? WHERE user_id = 'id 0'",
                [Data(totp.id), Data(totp.sealed)])
        }
        database.close()

        let second = try filled.fresh("second.db")
        try second.take(filled.side.export(here).file, there)
        let other = try SQLiteDatabase(path: filled.target("second.db"))
        defer { other.close() }
        let movedKey = try #require(try await other.stores().dataKeys.key("abc", realm: "r"))
        let there = DataKeySeal(there, parameters: cheap, ambient: .live)
        guard case .right(let moved, _) = there.open(movedKey, secret: Secret("1234"), replacedBy: nil) else {
            Issue.record("the secret opens the key")
            return
        }
        #expect(moved.dataKey == opened.dataKey)
        #expect(there.open(movedKey, longSecret: opened.longSecret)?.dataKey == opened.dataKey)
        #expect(!keys.canRead(movedKey), "the old secrets open nothing")
        let row = try other.inspect { db in
            try db.first("SELECT sealed FROM authenticator WHERE id = ?", [Data(totp.id)])?.bytes("sealed")
        }
        let seals = (TOTPSeal(self.there, ambient: .live), TOTPSeal(here, ambient: .live))
        let stored = StoredTOTP(id: totp.id, sealed: try #require(row), isConfirmed: true, usedStep: -1, facts: nil)
        #expect(seals.0.open(stored)?.bytes == seals.1.open(totp)?.bytes && seals.1.open(stored) == nil)
        let connections = try await other.stores().connections.all(limit: 99)
        let found = try #require(connections.first { $0.id == "corp" })
        #expect(ConnectionSeal(self.there, ambient: .live).open(found) == connection)
    }

    @Test func `digests under the secrets move where those are known, and so do sessions`() throws {
        let both = try #require(ServerSecrets([ServerSecrets.random(.live)]))
        let (file, report) = try filled.side.export(here, .init(withSecrets: true, withSessions: true))
        #expect(report.head.hasSessions && report.rows.contains { $0.table == "grant_" && $0.rows == 12 })
        let second = try filled.fresh("second.db")
        try filled.change(second, "INSERT INTO project (only, id) VALUES (1, 'id 0')")
        #expect(throws: TransferProblem.sessions(.otherSecrets)) { try second.take(file, both) }
        let without = try second.take(file, both, .init(leavesSessions: true))
        #expect(without.keyed["grant_"] == 12 && without.keyed["recovery_code"] == 12)

        let third = try filled.fresh("third.db")
        let other = TransferProblem.sessions(.otherProject(there: "id 0", here: ""))
        #expect(throws: other) { try third.take(file, here) }
        try filled.change(third, "INSERT INTO project (only, id) VALUES (1, 'id 0')")
        let taken = try third.take(file, here)
        #expect(taken.keyed == [:] && taken.importedTotal == report.total)
        let (before, after) = (try filled.contents(filled.side), try filled.contents(third))
        for table in ["grant_", "session", "federated_session", "recovery_code", "revoked_token"] {
            #expect(after[table] == before[table] && after[table]?.count == 12, "\(table)")
        }
    }

    @Test func `signing keys go along if asked for, and sign nothing new`() throws {
        let now = Ambient.live.now().rawValue
        try filled.write { db in
            try db.execute(
                sql: """
                    UPDATE signing_key SET retires_at = 8000000000000 WHERE id = 'id 0';
                    UPDATE signing_key SET activates_at = 8000000000000 WHERE id LIKE 'id 1 %';
                    UPDATE signing_key SET removed_at = 4 WHERE id LIKE 'id 2 %'
                    """)
        }
        let (file, report) = try filled.side.export(here, .init(withSecrets: true, withSigningKeys: true))
        #expect(report.rows.first { $0.table == "signing_key" }?.rows == 10, "not one that was never used, nor is over")
        let second = try filled.fresh("second.db")
        try second.take(file, there)
        let rows = try DatabaseQueue(path: filled.target("second.db")).read { db in
            try Int64.fetchAll(db, sql: "SELECT retires_at FROM signing_key ORDER BY id")
        }
        #expect(rows.count == 10 && rows.allSatisfy { $0 <= Ambient.live.now().rawValue })
        #expect((now...Ambient.live.now().rawValue).contains(try #require(rows.first)))
        #expect(try second.export(there, .init(withSecrets: true, withSigningKeys: true)).report.unreadable == [:])
    }

    @Test func `a file without secrets has none, and is taken in as well`() throws {
        let (file, report) = try filled.side.export(here, .init(withSecrets: false))
        let tables = Set(report.rows.map(\.table))
        #expect(tables.isDisjoint(with: ["password", "authenticator", "connection", "access_key", "data_key"]))
        #expect(
            file.rows.filter { $0.hasPrefix("{\"table\":\"client\"") }.allSatisfy {
                $0.contains("\"secret_digests\":\"\"")
            })
        #expect(report.head.keys == [:])
        let second = try filled.fresh("second.db")
        #expect(try second.take(file, there).importedTotal == report.total)
    }
}
