import Foundation
import GRDB
import KeyturnBase
import Model
import ServerTesting
import Testing

@testable import StoreSQL

@Suite("The steps that record what directories gave")
struct GivenLoginIDStepTests {
    /// Users by name: the resource's addresses, the user name, the login IDs, and what is recorded in the end.
    private static let users: [(name: String, emails: [String], logins: [String], given: String?)] = [
        ("one@a.example", [], ["one@a.example"], "one@a.example"),
        ("two", ["two@a.example"], ["two@a.example", "two@home.example"], "two@a.example"),
        ("several", ["x@a.example", "y@a.example"], ["y@a.example"], nil),
        ("elsewhere@b.example", [], ["elsewhere@b.example"], nil),
        ("below@sub.a.example", [], ["below@sub.a.example"], nil),
        ("none@a.example", [], ["other@a.example"], nil),
        ("renamed@a.example", ["new@a.example"], ["renamed@a.example"], nil),
    ]

    /// Rows of the schema before the steps.
    private static func rows() -> [String] {
        var rows = [
            "INSERT INTO tenant (id, name, domains, attributes, created_at) VALUES ('t', 't', '[]', '{}', 1)",
            """
            INSERT INTO tenant_domain (tenant_id, domain, state, token, claimed_at)
            VALUES ('t', 'a.example', 'proven', 'x', 1), ('t', 'b.example', 'lost', 'y', 1)
            """,
        ]
        for (number, user) in users.enumerated() {
            rows += [
                """
                INSERT INTO "user" (id, status, claims, created_at, updated_at)
                VALUES ('u\(number)', 'active', '{}', 1, 1)
                """,
                """
                INSERT INTO scim_resource (number, id, tenant_id, kind, name_key, attributes, active, user_id,
                    made_user, version, created_at, updated_at)
                VALUES (\(number + 1), 'r\(number)', 't', 'User', '\(user.name)', '{}', 1, 'u\(number)', 1, 1, 1, 1)
                """,
                """
                INSERT INTO scim_value (number, path, element, tenant_id, value)
                VALUES (\(number + 1), 'username', 0, 't', '\(user.name)')
                """,
            ]
            for (element, email) in user.emails.enumerated() {
                rows.append(
                    """
                    INSERT INTO scim_value (number, path, element, tenant_id, value)
                    VALUES (\(number + 1), 'emails.value', \(element), 't', '\(email)')
                    """)
            }
            for login in user.logins {
                rows.append(
                    """
                    INSERT INTO identifier (kind, value, verified, user_id)
                    VALUES ('email', '\(login)', 1, 'u\(number)')
                    """)
            }
        }
        return rows
    }

    private static let recorded = "SELECT given_login_id FROM scim_resource ORDER BY number"

    @Test func `SQLite: what can be told is recorded, and the rest is not`() throws {
        let queue = try DatabaseQueue()
        try queue.writeWithoutTransaction { database in
            try Migrations.apply(Migrations.all.filter { $0.number < 49 }, to: database)
            for row in Self.rows() { try database.execute(sql: row) }
            try Migrations.apply(to: database)
            let found = try Row.fetchAll(database, sql: Self.recorded).map { $0["given_login_id"] as String? }
            #expect(found == Self.users.map { $0.given })
        }
        try queue.close()
    }

    @Test func `PostgreSQL: what can be told is recorded, and the rest is not`() throws {
        let sandbox = try PostgreSQLSandbox()
        let connection = try sandbox.connection()
        try PostgreSQLMigrations.apply(PostgreSQLMigrations.all.filter { $0.number < 49 }, to: connection)
        for row in Self.rows() { try connection.script(row) }
        try PostgreSQLMigrations.apply(to: connection)
        let found = try sandbox.session().search(Self.recorded, []).map { $0["given_login_id"] as String? }
        #expect(found == Self.users.map { $0.given })
    }

    @Test func `a resource from before is judged by the domains, until the directory says another address`()
        async throws
    {
        let database = try SQLiteDatabase(path: nil)
        let stores = database.stores()
        let now = UnixTime(rawValue: 1_000_000)
        try await stores.tenants.create(Tenant(id: "t", name: "t", createdAt: now))
        func change(_ address: String) -> SCIMUserChange {
            SCIMUserChange(
                content: SCIMContent(
                    attributes: ["userName": .string(address)], nameKey: address, externalID: nil, isActive: true,
                    values: []),
                profile: SCIMProfile(claims: [:], email: address, isEmailProven: true))
        }
        let (first, own) = ("first@a.example", try #require(Identifier(loginID: "own@a.example")))
        let made = change(first)
        let record = try await stores.provisionedUsers.createUser(
            NewSCIMUser(id: "r", userID: .make(.live), content: made.content, profile: made.profile), in: "t", at: now)
        let id = try #require(record.userID)
        _ = try await database.write(.guarded) { db in
            try db.run("UPDATE scim_resource SET given_login_id = NULL", [])
        }
        _ = try await stores.users.change(id, at: now) { $0.identifiers[own] = .verified }
        for address in [own.value, "next@a.example", own.value] {
            let next = change(address)
            _ = try await stores.provisionedUsers.changeUser(
                record.id, in: "t", connections: [], provenDomains: ["a.example"], at: now
            ) { _ in .success(next) }
        }
        #expect(try await stores.users.account(id)?.identifiers == [own: .verified])
    }
}
