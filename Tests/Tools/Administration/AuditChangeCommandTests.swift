import Foundation
import KeyturnBase
import Testing

@testable import StoreSQL

@Suite("The audit log of administration: what was there before and after")
struct AuditChangeCommandTests {
    let place: Place

    init() throws {
        place = try Place()
    }

    private func events() throws -> [JSONValue] {
        try JSONValue(parsing: Array(try place.run("audit", "--json").output.utf8)).arrayValue ?? []
    }

    /// `field: before > after` of an event's changes.
    private func told(_ event: JSONValue) -> [String] {
        (event["changes"]?.arrayValue ?? []).map {
            "\($0.text("field")): \($0["before"]?.stringValue ?? "-") > \($0["after"]?.stringValue ?? "-")"
        }
    }

    private func done(_ arguments: String..., input: String = "") throws -> String {
        let (process, output, errors) = try place.start(arguments, input: input)
        process.waitUntilExit()
        let said = try String(contentsOf: errors, encoding: .utf8)
        #expect(process.terminationStatus == 0, "\(arguments): \(said)")
        return try String(contentsOf: output, encoding: .utf8)
    }

    @Test func `each command tells what it changed, and no row of the database has a secret of theirs`() throws {
        let password = "correct-horse-battery"
        let connectionSecret = "very-secret-of-a-provider"
        _ = try done("tenant", "create", "ent-1", "--name", "Enterprise")
        _ = try done("role", "create", "admin", "--tenant", "ent-1")
        _ = try done("user", "create", "ann@example.com", "--verified", "--name", "Ann", input: password)
        _ = try done("user", "disable", "ann@example.com")
        _ = try done("user", "enable", "ann@example.com")
        _ = try done("user", "add-login-id", "ann@example.com", "ann")
        _ = try done("user", "remove-login-id", "ann")
        _ = try done("user", "assign", "ann@example.com", "--tenant", "ent-1", "--role", "admin")
        _ = try done("operator", "grant", "ann@example.com", "--role", "viewer")
        _ = try done("operator", "grant", "ann@example.com", "--role", "owner")
        _ = try done("operator", "remove", "ann@example.com")
        let made = try done("client", "create", "web", "--redirect-uri", "https://www.example.com/cb", "--json")
        let rotated = try done("client", "rotate-secret", "web", "--json")
        _ = try done("client", "remove", "web")
        let file = place.path("secret.txt")
        try connectionSecret.write(toFile: file, atomically: true, encoding: .utf8)
        _ = try done(
            "connection", "add", "prov", "--issuer", "https://login.example", "--client-id", "c",
            "--client-secret-file", file)
        _ = try done("connection", "disable", "prov")
        _ = try done("connection", "remove", "prov")
        let token = try done("scim", "token", "create", "--tenant", "ent-1", "--name", "Entra", "--json")

        let events = try events()
        let all = events.filter { $0["changes"] != nil }.map { ($0.text("action"), told($0)) }
        let expected: [(String, [String])] = [
            ("tenant.created", ["enforce_sso: - > false", "name: - > Enterprise"]),
            ("role.created", ["default: - > false", "name: - > admin", "tenant: - > ent-1"]),
            (
                "user.created",
                [
                    "email: - > ann@example.com", "email_verified: - > true", "login_ids: - > ann@example.com",
                    "name: - > Ann", "password: - > set", "status: - > active",
                    "verified_login_ids: - > ann@example.com",
                ]
            ),
            ("user.status", ["status: active > disabled"]), ("user.status", ["status: disabled > active"]),
            (
                "identifier.added",
                [
                    "login_ids: ann@example.com > ann, ann@example.com",
                    "verified_login_ids: ann@example.com > ann, ann@example.com",
                ]
            ),
            (
                "identifier.removed",
                [
                    "login_ids: ann, ann@example.com > ann@example.com",
                    "verified_login_ids: ann, ann@example.com > ann@example.com",
                ]
            ),
            ("user.roles", ["roles.ent-1: - > admin", "tenants: - > ent-1"]),
            ("operator.granted", ["console_role: - > viewer"]),
            ("operator.granted", ["console_role: viewer > owner"]), ("operator.removed", ["console_role: owner > -"]),
        ]
        for (found, wanted) in zip(all, expected) { #expect(found.0 == wanted.0 && found.1 == wanted.1) }
        let rest = Dictionary(all.dropFirst(expected.count).map { ($0.0, $0.1) }) { first, _ in first }
        #expect(rest["client.registered"]?.contains("redirect_uris: - > https://www.example.com/cb") == true)
        #expect(rest["client.secret_changed"] == ["client_secret: set > changed"])
        #expect(rest["client.removed"]?.contains("client_secret: set > -") == true)
        #expect(rest["connection.changed"]?.contains("client_secret: - > set") == true)
        #expect(all.contains { $0 == ("connection.changed", ["enabled: true > false"]) })
        #expect(rest["connection.removed"]?.contains("client_secret: set > -") == true)
        #expect(rest["scim.token_made"] == ["name: - > Entra"])

        let secrets = try [made, rotated].map { try JSONValue(parsing: Array($0.utf8)).text("client_secret") }
        let scim = try JSONValue(parsing: Array(token.utf8)).text("token")
        let rows = try rows()
        #expect(rows.contains("Enterprise"))
        for secret in secrets + [scim, connectionSecret, password, "$argon2"] {
            #expect(!secret.isEmpty && !rows.contains(secret), "\(secret)")
        }
    }

    /// Every value in the tables of the audit log, as text.
    private func rows() throws -> String {
        let opened = try SQLiteDatabase(path: place.database)
        defer { opened.close() }
        var texts: [String] = []
        try opened.walk { db in
            for sql in [
                "SELECT changes AS text FROM audit_change",
                "SELECT kind || coalesce(reason, '') || coalesce(target, '') AS text FROM audit_event",
            ] {
                for row in try db.all(sql, []) { texts.append(row["text"]) }
            }
        }
        return texts.joined(separator: "\n")
    }

    @Test func `the table has a line for each value, and verify finds values that were changed by hand`() async throws {
        _ = try done("user", "create", "ann@example.com", "--no-password", "--name", "Ann\u{1B}[2J")
        _ = try done("tenant", "create", "ent-1", "--name", "Enterprise")
        let table = try done("audit", "show")
        #expect(table.contains("\n    name: - -> Enterprise\n") && !table.contains("\u{1B}"))
        _ = try done("user", "delete", "ann@example.com")
        #expect(try done("audit").contains("    (the values went with the user)\n"))
        #expect(try done("audit", "verify").contains("The values of 1 events went with their users."))
        let export = try done("audit", "export")
        #expect(!export.contains("ann@example.com") && export.contains("\"changes_digest\""))
        for (sql, sentence) in [
            (
                "UPDATE audit_change SET changes = replace(changes, 'Enterprise', 'Other')",
                "are not those that were written"
            ),
            ("UPDATE audit_change SET changes = 'x'", "are not those that were written"),
            ("DELETE FROM audit_change", "were removed"),
        ] {
            let opened = try SQLiteDatabase(path: place.database)
            _ = try await opened.write(.guarded) { db in try db.run(sql, []) }
            opened.close()
            let run = try place.run("audit", "verify")
            #expect(run.status == 1 && run.output.contains(sentence), "\(sql): \(run.output)")
        }
    }
}

extension JSONValue {
    fileprivate func text(_ name: String) -> String { self[name]?.stringValue ?? "" }
}
