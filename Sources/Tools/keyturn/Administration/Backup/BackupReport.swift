internal import KeyturnBase
internal import Model
internal import StoreSQL

/// What a backup came to.
struct BackupReport {
    let file: String
    let manifest: BackupManifest
    let byteCount: Int
    /// SHA-256.
    let digest: [UInt8]
    /// 0: it is not encrypted.
    let recipientCount: Int
    /// `nil`: nothing was checked.
    let comparedRows: Int?
    let isDecrypted: Bool

    private var hasSecrets: Bool { !manifest.secrets.isEmpty }

    var text: String {
        let kind =
            recipientCount == 0
            ? "not encrypted"
            : "encrypted to \(recipientCount) \(recipientCount == 1 ? "recipient" : "recipients")"
        let secrets =
            hasSecrets ? "The server's secrets are in it." : "The server's secrets are not in it: keep them too."
        return """
            \(file): \(manifest.contents.rows) rows of \(manifest.contents.tables.count) tables, schema \
            \(manifest.contents.schema), as of \(Report.text(manifest.madeAt)); \(byteCount) bytes, \(kind)
            \(checks)
            \(secrets)
            sha256 \(Base16.encode(digest))

            """
    }

    private var checks: String {
        guard let comparedRows else { return "Nothing was checked (--no-verify)." }
        let file =
            isDecrypted
            ? "the file was read again and decrypts to the copy" : "the file was read again and is as written"
        return """
            Checked: \(comparedRows) rows compared with the database, all the same; integrity_check and \
            foreign_key_check found nothing; \(file).
            """
    }

    func json(isRecorded: Bool) -> JSONValue {
        [
            "file": .string(file), "bytes": .integer(Int64(byteCount)), "sha256": .string(Base16.encode(digest)),
            "made_at": .integer(manifest.madeAt.rawValue), "engine": .string(manifest.engine),
            "schema": .integer(Int64(manifest.contents.schema)), "rows": .integer(Int64(manifest.contents.rows)),
            "tables": .object(manifest.contents.tables.mapValues { .integer(Int64($0)) }),
            "recipients": .integer(Int64(recipientCount)), "secrets": .bool(hasSecrets),
            "verified": .bool(comparedRows != nil), "compared": .integer(Int64(comparedRows ?? 0)),
            "decrypted": .bool(isDecrypted), "recorded": .bool(isRecorded),
        ]
    }

    func event(actor: String, at now: UnixTime) -> AuditEvent {
        let reason = hasSecrets ? "encrypted_with_secrets" : recipientCount > 0 ? "encrypted" : "not_encrypted"
        return AuditEvent(.databaseBackedUp, at: now, reason: reason, actor: actor, target: Base16.encode(digest))
    }
}
