import Foundation
import GRDB
import KeyturnBase
import Model
import Testing

@testable import StoreSQL

@Suite("Importing a project: what is there already")
struct TransferCollisionTests {
    let here: ServerSecrets
    let there: ServerSecrets
    let filled: FilledDatabase
    let file: TransferFile
    let second: DatabaseSide

    init() throws {
        (here, there) = (try .made(), try .made())
        filled = try FilledDatabase(rows: 4, sealedWith: here)
        file = try filled.side.export(here).file
        second = try filled.fresh("second.db")
    }

    private func number(_ sql: String) throws -> Int {
        try DatabaseQueue(path: filled.target("second.db")).read { try Int.fetchOne($0, sql: sql) ?? 0 }
    }

    /// What is in the way, without the values.
    private func refusals(_ side: DatabaseSide? = nil) throws -> [String] {
        do {
            try (side ?? second).take(file, there)
            return []
        } catch let problem as TransferProblem {
            guard case .collisions(let collisions, let count) = problem else { throw problem }
            #expect(count >= collisions.count && problem.isRefusal && "\(problem)".contains("--keep-existing"))
            return collisions.map(\.description)
        }
    }

    @Test(arguments: [
        (
            """
            INSERT INTO client (id, metadata, secret_digests, first_party, resources, from_configuration, updated_at)
                VALUES ('id 0', '{}', x'', 0, '', 0, 1)
            """, "client (id = 'id 0') is there already"
        ),
        (
            "INSERT INTO user (id, status, claims, created_at, updated_at) VALUES ('id 0', 'active', '{}', 1, 1)",
            "user (id = 'id 0') is there already"
        ),
        (
            """
            INSERT INTO user (id, status, claims, created_at, updated_at) VALUES ('other', 'active', '{}', 1, 1);
            INSERT INTO identifier (kind, value, verified, user_id) VALUES ('kind 0', 'value 0', 1, 'other')
            """, "identifier (kind = 'kind 0', value = 'value 0') is there already"
        ),
        (
            "INSERT INTO tenant (id, name, domains, attributes, created_at) VALUES ('id 0', 'other', '[]', '{}', 1)",
            "tenant (id = 'id 0') is there already"
        ),
        (
            "INSERT INTO connection (id, sealed) VALUES ('id 0', x'00')", "connection (id = 'id 0') is there already"
        ),
        (
            "INSERT INTO permission (name, description) VALUES ('name 0', 'other')",
            "permission (name = 'name 0') is there already"
        ),
        (
            """
            INSERT INTO user (id, status, claims, created_at, updated_at) VALUES ('other', 'active', '{}', 1, 1);
            INSERT INTO identifier (kind, value, verified, user_id) VALUES ('username', 'id 0', 1, 'other')
            """, "user (id = 'id 0') would be the login ID of one user and the identifier of another"
        ),
        (
            "INSERT INTO user (id, status, claims, created_at, updated_at) VALUES ('value 0', 'active', '{}', 1, 1)",
            "identifier (value = 'value 0') would be the login ID of one user and the identifier of another"
        ),
    ])
    func `it is refused with its name, and nothing is written`(sql: String, words: String) throws {
        try filled.change(second, sql)
        let before = try filled.contents(second)
        let trial = try second.tryOut(file, there)
        #expect(trial.collisions.map(\.description).contains(words), "\(trial.collisions)")
        #expect(try refusals().contains(words))
        #expect(try filled.contents(second) == before)
        let kept = try second.take(file, there, .init(keepsExisting: true))
        #expect(kept.collisionCount > 0 && kept.leftOut.values.reduce(0, +) > 0)
        #expect(trial.imported.isEmpty == false && kept.importedTotal < kept.total)
    }

    @Test func `a user in the way stays, and the other one stays behind with all that belongs to it`() throws {
        try filled.change(
            second,
            """
            INSERT INTO user (id, status, claims, created_at, updated_at) VALUES ('mine', 'active', '{}', 1, 1);
            INSERT INTO identifier (kind, value, verified, user_id) VALUES ('kind 0', 'value 0', 1, 'mine');
            INSERT INTO password (user_id, hash) VALUES ('mine', 'hash')
            """)
        let report = try second.take(file, there, .init(keepsExisting: true))
        #expect(report.collisionCount == 1 && report.leftOut["user"] == 1 && report.leftOut["password"] == 1)
        #expect(try number("SELECT count(*) FROM user") == 4)
        #expect(try number("SELECT count(*) FROM identifier WHERE user_id = 'mine'") == 1)
        for table in TransferTable.all where table.owners["user_id"] != nil && table.need != .sessions {
            #expect(try number("SELECT count(*) FROM \(table.name) WHERE user_id = 'id 0'") == 0, "\(table.name)")
        }
        #expect(report.leftOut["scim_value"] ?? 0 > 0, "what belongs to what belongs to the user")
        #expect(try number("PRAGMA foreign_key_check") == 0)
    }

    @Test func `the same file a second time is refused, and keeping what is there it changes nothing`() throws {
        let first = try second.take(file, there)
        let before = try filled.contents(second)
        let words = try refusals()
        #expect(words.contains("user (id = 'id 0') is there already"))
        #expect(!words.contains { $0.hasPrefix("tenant") || $0.hasPrefix("permission") || $0.hasPrefix("client") })
        let again = try second.take(file, there, .init(keepsExisting: true))
        #expect(again.importedTotal == 0 && again.total == first.total)
        #expect(
            again.alreadyThere["tenant"] == 4 && again.alreadyThere["client"] == 4 && again.alreadyThere["role"] == 4)
        var after = try filled.contents(second)
        for table in ["audit_event", "audit_chain", "sqlite_sequence"] { after[table] = before[table] }
        #expect(after == before)
    }

    @Test func `a role of the same name is taken for the same, with the identifier that it has here`() throws {
        try filled.write { db in
            try db.execute(
                sql: """
                    UPDATE user SET roles = '["id 0","id 2"]' WHERE id = 'id 0';
                    UPDATE membership SET roles = '["id 0"]' WHERE user_id = 'id 0';
                    UPDATE access_key SET tenants = '{"id 0":["id 0","id 3"]}';
                    UPDATE scim_resource SET role_id = 'id 0' WHERE number = 1
                    """)
        }
        let changed = try filled.side.export(here).file
        try filled.change(
            second,
            """
            INSERT INTO tenant (id, name, domains, attributes, created_at, requires_sso, sso_exclusions)
                VALUES ('id 0', 'name 0', 'domains 0', 'attributes 0', 1, 0, 'sso_exclusions 0');
            INSERT INTO role (id, tenant_id, name, description, permissions, is_default, created_at)
                VALUES ('Rmine', 'id 0', 'name 0', 'description 0', 'permissions 0', 0, 9)
            """)
        let report = try second.take(changed, there)
        #expect(report.alreadyThere == ["tenant": 1, "role": 1] && report.collisionCount == 0)
        #expect(try number("SELECT count(*) FROM role") == 4)
        #expect(try number(#"SELECT count(*) FROM user WHERE id = 'id 0' AND roles = '["Rmine","id 2"]'"#) == 1)
        #expect(try number(#"SELECT count(*) FROM membership WHERE roles = '["Rmine"]'"#) == 1)
        #expect(try number(#"SELECT count(*) FROM access_key WHERE tenants = '{"id 0":["Rmine","id 3"]}'"#) == 4)
        #expect(try number("SELECT count(*) FROM scim_resource WHERE role_id = 'Rmine'") == 1)
    }

    @Test(arguments: [true, false])
    func `rows with numbers go behind those that are there`(inPostgreSQL: Bool) throws {
        let statements = [
            "INSERT INTO \"user\" (id, status, claims, created_at, updated_at) VALUES ('mine', 'active', '{}', 1, 1)",
            "INSERT INTO site_user (id, rp_id, site_id, folded_id) VALUES (1, 'mine.example', 'a', 'a')",
            "INSERT INTO tenant (id, name, domains, attributes, created_at) VALUES ('mine', 'm', '[]', '{}', 1)",
            """
            INSERT INTO scim_resource (number, id, tenant_id, kind, name_key, attributes, active, version, created_at,
                updated_at) VALUES (4, 'mine', 'mine', 'user', 'mine', '{}', 1, 1, 1, 1)
            """,
        ]
        let joined = """
            SELECT count(*) AS number FROM passkey p JOIN site_user s ON s.id = p.site_user_id
            WHERE s.rp_id <> 'mine.example'
            """
        let members = """
            SELECT count(*) AS number FROM scim_member m JOIN scim_resource r ON r.number = m.group_number
            WHERE r.id <> 'mine'
            """
        let order =
            """
            SELECT min(rowid) - (SELECT rowid FROM "user" WHERE id = 'mine') AS number FROM "user" WHERE id <> 'mine'
            """
        let next = """
            INSERT INTO scim_resource (id, tenant_id, kind, name_key, attributes, active, version, created_at,
                updated_at) VALUES ('next', 'mine', 'user', 'next', '{}', 1, 1, 1, 1)
            """
        if inPostgreSQL {
            let sandbox = try PostgreSQLSandbox()
            try sandbox.database().close()
            let session = try sandbox.session()
            for statement in statements { try session.run(statement, []) }
            try sandbox.side().take(file, there)
            #expect(try session.first(joined, [])?["number"] == 2 && session.first(members, [])?["number"] == 4)
            #expect(try session.first(order, [])?["number"] ?? 0 > 0)
            // The sequence goes on behind them.
            try session.run(next, [])
            try session.run("INSERT INTO site_user (rp_id, site_id, folded_id) VALUES ('mine.example', 'b', 'b')", [])
        } else {
            try filled.change(second, statements.joined(separator: ";"))
            try second.take(file, there)
            #expect(try number(joined) == 2 && number(members) == 4 && number(order) > 0)
            try filled.change(second, next)
        }
    }

    @Test func `a trial says what would be taken in, and changes nothing`() throws {
        let before = try filled.contents(second)
        let trial = try second.tryOut(file, there)
        #expect(try filled.contents(second) == before)
        let report = try second.take(file, there)
        #expect(trial.imported == report.imported && trial.rows == report.rows && trial.keyed == report.keyed)
    }

    @Test func `the report names domains of passkeys and connections that are not there`() throws {
        let report = try second.take(file, there)
        #expect(report.passkeyDomains.count == 2, "those of users, not of sites")
        #expect(
            report.missingConnections
                == Set(
                    (0..<4).compactMap { number in
                        report.missingConnections.first { $0.hasPrefix("connection_id \(number)") }
                    }) && report.missingConnections.count == 4)
    }
}
