internal import Foundation
internal import GRDB
internal import Identity
internal import KeyturnBase

/// Users, identifiers and passwords.
struct SQLiteUserStore: UserStore {
    let database: SQLiteDatabase

    /// A user with its identifiers as one JSON text, so that one statement is enough.
    private static let account = """
        SELECT u.*, p.hash, (
            SELECT json_group_array(json_array(i.kind, i.value, i.verified)) FROM identifier i WHERE i.user_id = u.id
        ) AS identifiers
        FROM user u LEFT JOIN password p ON p.user_id = u.id
        """

    func account(_ identifier: Identifier) async throws(StoreError) -> Account? {
        try database.read { db in
            try db.first(
                "\(Self.account) WHERE u.id = (SELECT user_id FROM identifier WHERE kind = ? AND value = ?)",
                [identifier.kind.rawValue, identifier.value]
            ).map(Self.account)
        }
    }

    func account(_ id: UserID) async throws(StoreError) -> Account? {
        try database.read { db in
            try db.first("\(Self.account) WHERE u.id = ?", [id.rawValue]).map(Self.account)
        }
    }

    func accounts(after last: UserID?, limit: Int) async throws(StoreError) -> [Account] {
        try database.read { db in
            try db.all(
                """
                \(Self.account) WHERE u.rowid > coalesce((SELECT rowid FROM user WHERE id = ?), 0)
                ORDER BY u.rowid LIMIT ?
                """,
                [last?.rawValue, limit]
            ).map(Self.account)
        }
    }

    func create(_ account: Account) async throws(StoreError) {
        try await database.write { db in
            let user = account.user
            try db.run(
                "INSERT INTO user (id, status, claims, created_at, updated_at) VALUES (?, ?, ?, ?, ?)",
                [
                    user.id.rawValue, user.status.rawValue, JSONValue.object(user.claims).columnText,
                    user.createdAt.rawValue, user.updatedAt.rawValue,
                ])
            try Self.insert(account.identifiers, of: user.id, db)
            if let hash = account.passwordHash {
                try db.run("INSERT INTO password (user_id, hash) VALUES (?, ?)", [user.id.rawValue, hash])
            }
        }
    }

    func update(_ account: Account, at now: UnixTime) async throws(StoreError) {
        try await database.write { db in
            let user = account.user
            try db.run(
                "UPDATE user SET status = ?, claims = ?, updated_at = ? WHERE id = ?",
                [
                    user.status.rawValue, JSONValue.object(user.claims).columnText, now.rawValue, user.id.rawValue,
                ])
            guard db.changesCount == 1 else { throw StoreError(.missing) }
            try db.run("DELETE FROM identifier WHERE user_id = ?", [user.id.rawValue])
            try Self.insert(account.identifiers, of: user.id, db)
            if user.status == .disabled { try Self.endEverything(of: user.id, .userDisabled, db, at: now) }
        }
    }

    func changePassword(of id: UserID, to hash: String, at now: UnixTime) async throws(StoreError) {
        try await database.write { db in
            guard try db.first("SELECT 1 FROM user WHERE id = ?", [id.rawValue]) != nil else {
                throw StoreError(.missing)
            }
            try db.run(
                "INSERT INTO password (user_id, hash) VALUES (?, ?) ON CONFLICT (user_id) DO UPDATE SET hash = excluded.hash",
                [id.rawValue, hash])
            try Self.endEverything(of: id, .credentialChanged, db, at: now)
        }
    }

    func rehash(_ id: UserID, from old: String, to new: String) async throws(StoreError) {
        try await database.write { db in
            try db.run("UPDATE password SET hash = ? WHERE user_id = ? AND hash = ?", [new, id.rawValue, old])
        }
    }

    func delete(_ id: UserID) async throws(StoreError) -> Bool {
        try await database.write { db in
            try db.run("DELETE FROM user WHERE id = ?", [id.rawValue])
            return db.changesCount == 1
        }
    }

    private static func endEverything(of id: UserID, _ reason: Grant.EndReason, _ db: Database, at now: UnixTime) throws
    {
        try db.run("DELETE FROM session WHERE user_id = ?", [id.rawValue])
        try SQLiteGrantStore.end("user_id = ?", [id.rawValue], reason, db, at: now)
    }

    private static func insert(_ identifiers: [Identifier: Account.Verification], of id: UserID, _ db: Database) throws
    {
        for (identifier, verification) in identifiers {
            try db.run(
                "INSERT INTO identifier (kind, value, verified, user_id) VALUES (?, ?, ?, ?)",
                [identifier.kind.rawValue, identifier.value, verification == .verified, id.rawValue])
        }
    }

    private static func account(_ row: Row) throws -> Account {
        let text: String = row["identifiers"]
        guard let entries = try? JSONValue(parsing: text.utf8).arrayValue else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT)
        }
        var identifiers: [Identifier: Account.Verification] = [:]
        for entry in entries {
            guard let parts = entry.arrayValue, parts.count == 3, let value = parts[1].stringValue,
                let kind = parts[0].stringValue.flatMap(Identifier.Kind.init(rawValue:))
            else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
            identifiers[Identifier(kind: kind, storedValue: value)] =
                parts[2].integerValue == 1 ? .verified : .unverified
        }
        return Account(user: try row.user(), identifiers: identifiers, passwordHash: row["hash"])
    }
}
