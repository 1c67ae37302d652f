internal import KeyturnBase
internal import Model
internal import StoreSQL

/// What an export came to.
struct ExportSummary {
    let file: String
    let report: TransferReport
    let byteCount: Int
    /// SHA-256 of the file, in hexadecimal digits.
    let digest: String
    /// 0: it is not encrypted.
    let recipientCount: Int

    let warning = """
        the file is not encrypted. Whatever lets in is left out: passwords, authenticators, secrets of clients, \
        connections, access keys, data keys. Names and addresses of users are in it.
        """

    var text: String {
        let kind =
            recipientCount == 0
            ? "not encrypted"
            : "encrypted to \(recipientCount) \(recipientCount == 1 ? "recipient" : "recipients")"
        let tables = report.rows.filter { $0.rows > 0 }
        let users = TransferCounts.users(report.rows.first { $0.table == "user" }?.rows)
        let more = [
            report.head.hasSessions ? nil : "sessions (--with-sessions)",
            report.head.hasSigningKeys ? nil : "signing keys (--with-signing-keys)", "the audit log",
            "the configuration file",
        ].compactMap(\.self)
        var lines = [
            "\(file): \(report.total) rows of \(tables.count) tables, \(users); \(byteCount) bytes, \(kind)",
            "Not in it: \(more.joined(separator: ", ")), and what is of the moment.",
        ]
        if !report.unreadable.isEmpty {
            let counts = TransferCounts.text(report.unreadable)
            lines.append("Left out, since this server's secrets do not open them: \(counts).")
        }
        if report.keysElsewhere > 0 {
            lines.append("Left out: \(report.keysElsewhere) signing keys that a PKCS #11 token keeps.")
        }
        lines.append("sha256 \(digest)")
        return lines.joined(separator: "\n") + "\n"
    }

    var json: JSONValue {
        [
            "file": .string(file), "bytes": .integer(Int64(byteCount)), "sha256": .string(digest),
            "made_at": .integer(report.head.madeAt.rawValue), "project": .string(report.head.project),
            "schema": .integer(Int64(report.head.schema)), "rows": .integer(Int64(report.total)),
            "tables": TransferCounts.json(report.rows), "recipients": .integer(Int64(recipientCount)),
            "secrets": .bool(report.head.hasSecrets), "sessions": .bool(report.head.hasSessions),
            "signing_keys": .bool(report.head.hasSigningKeys), "unreadable": TransferCounts.json(report.unreadable),
            "keys_elsewhere": .integer(Int64(report.keysElsewhere)),
        ]
    }
}

/// What an import came to, and what is to be done next.
struct ImportSummary {
    let report: TransferReport
    let isTrial: Bool
    let keepsExisting: Bool
    let configuration: ServerConfiguration

    /// Why a trial fails; `nil` if the import would succeed.
    var refusal: String? {
        guard isTrial, !keepsExisting, report.collisionCount > 0 else { return nil }
        return "\(TransferProblem.collisions(report.collisions, count: report.collisionCount))"
    }

    private var missingConnections: [String] {
        report.missingConnections.subtracting(configuration.connections.map(\.id)).sorted()
    }

    var text: String {
        let tables = report.imported.count
        let users = TransferCounts.users(report.imported["user"])
        var lines = [
            """
            \(isTrial ? "Would take in" : "Took in") \(report.importedTotal) rows of \(tables) tables, \(users), \
            from the project \(report.head.project) as of \(Report.text(report.head.madeAt)).
            """
        ]
        lines += counts + notes
        return lines.joined(separator: "\n") + "\n"
    }

    private var counts: [String] {
        var lines: [String] = []
        if !report.alreadyThere.isEmpty {
            lines.append("There already, the same: \(TransferCounts.text(report.alreadyThere)).")
        }
        if !report.leftOut.isEmpty, keepsExisting || isTrial {
            lines.append("Left out for what is there: \(TransferCounts.text(report.leftOut)).")
            lines += report.collisions.map { "  \($0)" }
        }
        if !report.keyed.isEmpty {
            lines.append(
                """
                Left out, since they are worth nothing without the secrets they were made with: \
                \(TransferCounts.text(report.keyed)).
                """)
        }
        return lines
    }

    /// What the database cannot tell the server.
    private var notes: [String] {
        var lines: [String] = []
        if report.keyed["recovery_code"] != nil {
            lines.append("Users make new recovery codes in the settings.")
        }
        if let count = report.imported["console_operator"] {
            lines.append("Operators of the console are among the users: \(count). `keyturn operator list` names them.")
        }
        if !report.head.hasSecrets {
            lines.append("The file has no secrets: users have no passwords, and clients no secrets.")
        }
        if !report.passkeyDomains.isEmpty {
            let domains = report.passkeyDomains.sorted().joined(separator: ", ")
            lines.append("Passkeys in it work where pages are at or below: \(domains).")
        }
        if !missingConnections.isEmpty {
            lines.append(
                """
                Users have identities of connections that are neither here nor in this configuration: \
                \(missingConnections.joined(separator: ", ")). Add them under these names.
                """)
        }
        return lines
    }

    var json: JSONValue {
        [
            "dry_run": .bool(isTrial), "project": .string(report.head.project),
            "made_at": .integer(report.head.madeAt.rawValue), "schema": .integer(Int64(report.head.schema)),
            "rows": .integer(Int64(report.total)), "tables": TransferCounts.json(report.rows),
            "imported": .integer(Int64(report.importedTotal)),
            "imported_tables": TransferCounts.json(report.imported),
            "already_there": TransferCounts.json(report.alreadyThere),
            "left_out": TransferCounts.json(report.leftOut), "other_secrets": TransferCounts.json(report.keyed),
            "collision_count": .integer(Int64(report.collisionCount)),
            "collisions": .array(
                report.collisions.map {
                    ["table": .string($0.table), "key": .string($0.key), "reason": .string($0.reason)]
                }),
            "passkey_domains": .array(report.passkeyDomains.sorted().map(JSONValue.string)),
            "missing_connections": .array(missingConnections.map(JSONValue.string)),
        ]
    }
}

/// Counts of rows by table.
private enum TransferCounts {
    static func users(_ count: Int?) -> String { count == 1 ? "1 user" : "\(count ?? 0) users" }

    static func text(_ counts: [String: Int]) -> String {
        counts.sorted { $0.key < $1.key }.map { "\($0.value) of \($0.key)" }.joined(separator: ", ")
    }

    static func json(_ counts: [String: Int]) -> JSONValue {
        .object(counts.mapValues { .integer(Int64($0)) })
    }

    static func json(_ rows: [TransferReport.TableRows]) -> JSONValue {
        json(Dictionary(rows.map { ($0.table, $0.rows) }) { first, _ in first })
    }
}
