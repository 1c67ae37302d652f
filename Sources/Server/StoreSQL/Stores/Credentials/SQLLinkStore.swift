internal import Foundation
internal import KeyturnBase
internal import Model

/// Links, and the clients that wait for them.
struct SQLLinkStore: LinkStore {
    let database: any SQLDatabase

    /// Replaces the facts of a used link: its purpose and user are not kept.
    private static let forgotten = "null"

    private enum State {
        static let waiting = "waiting"
        static let approved = "approved"
        static let cancelled = "cancelled"
    }

    func add(_ links: [PendingLink], reference: SecretDigest?, expiresAt: UnixTime, at now: UnixTime)
        async throws(StoreError)
    {
        try await database.write(.guarded) { db in
            for link in links {
                try db.run(
                    """
                    INSERT INTO link (digest, user_id, facts, reference, is_right, expires_at) VALUES (?, ?, ?, ?, ?, ?)
                    """,
                    [
                        Data(link.digest.bytes), link.facts.userID?.rawValue, link.facts.json.columnText,
                        reference.map { Data($0.bytes) }, link.isRight, expiresAt.rawValue,
                    ])
            }
            guard let reference, let facts = links.first?.facts else { return }
            try db.run(
                """
                INSERT INTO pending_link (reference, state, facts, user_id, is_first, expires_at)
                VALUES (?, ?, ?, ?, 0, ?)
                """,
                [
                    Data(reference.bytes), State.waiting, facts.json.columnText, facts.userID?.rawValue,
                    expiresAt.rawValue,
                ])
        }
    }

    func describe(_ digest: SecretDigest, at now: UnixTime) async throws(StoreError) -> LinkDescription? {
        try await database.read { db in
            try db.first(
                """
                SELECT facts, reference IS NOT NULL AS enchanted, expires_at FROM link
                WHERE digest = ? AND expires_at > ? AND facts <> ?
                """,
                [Data(digest.bytes), now.rawValue, Self.forgotten]
            ).flatMap { row in
                let facts = try row.facts()
                guard try !SQLRateLimitStore.isMessageSpent(facts, db) else { return nil }
                return LinkDescription(
                    facts: facts, isEnchanted: row["enchanted"], expiresAt: row.time("expires_at"))
            }
        }
    }

    func end(of digest: SecretDigest, at now: UnixTime) async throws(StoreError) -> LinkEnd? {
        try await database.read { db in
            let row = try db.first("SELECT facts, expires_at FROM link WHERE digest = ?", [Data(digest.bytes)])
            guard let row else { return nil }
            if row["facts"] as String == Self.forgotten { return .spent }
            if try SQLRateLimitStore.isMessageSpent(row.facts(), db) { return .spent }
            return row.time("expires_at") > now ? nil : .expired
        }
    }

    func redeem(_ digest: SecretDigest, at now: UnixTime) async throws(StoreError) -> LinkVerdict {
        try await database.write(.guarded) { db in
            try Self.holdMessage(of: digest, db)
            // The DELETE is the single-use gate: the call that gets the row has used the link.
            let row = try db.first(
                """
                DELETE FROM link WHERE digest = ? AND expires_at > ? AND facts <> ?
                RETURNING facts, reference, is_right, expires_at
                """,
                [Data(digest.bytes), now.rawValue, Self.forgotten])
            guard let row else {
                let late = try db.first(
                    "SELECT 1 FROM link WHERE digest = ? AND facts <> ?", [Data(digest.bytes), Self.forgotten])
                return late == nil ? .unknown : .expired
            }
            try db.run(
                "INSERT INTO link (digest, facts, is_right, expires_at) VALUES (?, ?, 0, ?)",
                [Data(digest.bytes), Self.forgotten, row.time("expires_at").rawValue])
            let facts = try row.facts()
            let isFirst = try SQLRateLimitStore.spendMessage(of: facts, db, at: now)
            guard let reference: Data = row["reference"] else {
                return isFirst ? .right(facts, reference: nil) : .unknown
            }
            try db.run(
                "UPDATE link SET facts = ?, user_id = NULL, reference = NULL WHERE reference = ?",
                [Self.forgotten, reference])
            guard row["is_right"] as Bool else {
                try db.run(
                    "UPDATE pending_link SET state = ? WHERE reference = ? AND state = ?",
                    [State.cancelled, reference, State.waiting])
                return .cancelled
            }
            return isFirst ? .right(facts, reference: SecretDigest(storedBytes: Array(reference))) : .unknown
        }
    }

    /// Of the links of one message the first that is used ends the others: they wait for each other here.
    private static func holdMessage(of digest: SecretDigest, _ db: SQLSession) throws {
        let row = try db.first(
            "SELECT reference FROM link WHERE digest = ? AND reference IS NOT NULL", [Data(digest.bytes)])
        guard let reference: Data = row?["reference"] else { return }
        try db.hold([.name("link:\(Base64URL.encode(Array(reference)))")])
    }

    func approve(_ reference: SecretDigest, user: UserID, isFirst: Bool, at now: UnixTime)
        async throws(StoreError) -> Bool
    {
        try await database.write(.guarded) { db in
            return try db.run(
                """
                UPDATE pending_link SET state = ?, user_id = ?, is_first = ?
                WHERE reference = ? AND state = ? AND expires_at > ?
                """,
                [State.approved, user.rawValue, isFirst, Data(reference.bytes), State.waiting, now.rawValue]) == 1
        }
    }

    func collect(_ reference: SecretDigest, at now: UnixTime) async throws(StoreError) -> PendingVerdict {
        // Most polls find no change, and cost one read.
        let seen = try await database.read { db in
            try db.first("SELECT state, expires_at FROM pending_link WHERE reference = ?", [Data(reference.bytes)])
                .map { (state: $0["state"] as String, expiresAt: $0.time("expires_at")) }
        }
        guard let seen, seen.state != State.cancelled else { return .unknown }
        guard seen.expiresAt > now else { return .expired }
        guard seen.state == State.approved else { return .waiting }
        return try await database.write(.guarded) { db in
            let row = try db.first(
                """
                DELETE FROM pending_link WHERE reference = ? AND state = ? AND expires_at > ?
                RETURNING facts, user_id, is_first
                """,
                [Data(reference.bytes), State.approved, now.rawValue])
            guard let row, let user: String = row["user_id"] else { return .unknown }
            return .approved(try row.facts(), userID: UserID(rawValue: user), isFirst: row["is_first"])
        }
    }

    func isWaiting(_ reference: SecretDigest, at now: UnixTime) async throws(StoreError) -> Bool {
        try await database.read { db in
            try db.first(
                "SELECT 1 FROM pending_link WHERE reference = ? AND state = ? AND expires_at > ?",
                [Data(reference.bytes), State.waiting, now.rawValue]) != nil
        }
    }

    func removeAll(of user: UserID) async throws(StoreError) {
        try await database.write(.guarded) { db in
            try Self.removeAll(of: user, db)
        }
    }

    /// - Parameter reference: of the client that goes on waiting.
    static func removeAll(of user: UserID, keeping reference: SecretDigest? = nil, _ db: SQLSession) throws {
        try db.run("DELETE FROM link WHERE user_id = ?", [user.rawValue])
        try db.run(
            "DELETE FROM pending_link WHERE user_id = ? AND reference <> ?",
            [user.rawValue, Data(reference?.bytes ?? [])])
    }

    /// Removes the links that would change an address of the user, and the clients that wait for them.
    static func removeChanges(of user: UserID, _ db: SQLSession) throws {
        let rows = try db.all("SELECT digest, reference, facts FROM link WHERE user_id = ?", [user.rawValue])
        for row in rows where try row.facts().purpose == .update {
            let (digest, reference): (Data, Data?) = (row["digest"], row["reference"])
            try db.run("DELETE FROM link WHERE digest = ?", [digest])
            if let reference { try db.run("DELETE FROM pending_link WHERE reference = ?", [reference]) }
        }
    }
}
