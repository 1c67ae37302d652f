internal import KeyturnBase
internal import Model

/// The charges of rate limits, in windows that begin with the first charge.
struct SQLRateLimitStore: RateLimitStore {
    let database: any SQLDatabase

    func spend(_ charges: [RateLimitCharge], at now: UnixTime) async throws(StoreError) -> UnixTime? {
        try await database.write(.guarded) { db in try Self.spend(charges, db, at: now) }
    }

    /// Charges rate limits as a part of another transaction.
    static func spend(_ charges: [RateLimitCharge], _ db: SQLSession, at now: UnixTime) throws -> UnixTime? {
        try hold(charges.map(\.key), db)
        for charge in charges {
            if let known = charge.unlessKnown,
                try db.first("SELECT 1 FROM attempt WHERE key = ? AND known_at IS NOT NULL", [known]) != nil
            {
                continue
            }
            let row = try db.first(
                """
                INSERT INTO budget (key, spent, ends_at) VALUES (?1, ?4, ?2 + ?3)
                ON CONFLICT (key) DO UPDATE SET
                    spent = CASE WHEN budget.ends_at <= ?2 THEN ?4 ELSE budget.spent + ?4 END,
                    ends_at = CASE WHEN budget.ends_at <= ?2 THEN excluded.ends_at ELSE budget.ends_at END
                RETURNING spent, ends_at
                """,
                [charge.key, now.rawValue, charge.windowSeconds, charge.cost])
            guard let row else { throw SQLProblem.noRow }
            let spent: Int64 = row["spent"]
            guard spent + (1 - charge.cost) > charge.max else { continue }
            // A refused charge is taken back, so that one refund equals one charge.
            try db.run("UPDATE budget SET spent = ? WHERE key = ?", [spent - charge.cost, charge.key])
            return row.time("ends_at")
        }
        return nil
    }

    /// Limits are charged in an order that means something, so they are held before: in the same order everywhere.
    private static func hold(_ keys: [String], _ db: SQLSession) throws {
        try db.hold(keys.map { .rateLimit($0) })
    }

    /// A message that can be answered in two ways has a limit of one: only the first answer is accepted.
    ///
    /// - Returns: whether this answer is the first. Always, for a message with only one way.
    static func spendMessage(of facts: VerificationFacts, _ db: SQLSession, at now: UnixTime) throws -> Bool {
        guard let id = facts.messageID else { return true }
        return try db.run(
            "INSERT INTO budget (key, spent, ends_at) VALUES (?, 1, ?) ON CONFLICT (key) DO NOTHING",
            ["message:\(id)", (now + Limits.proofSeconds).rawValue]) == 1
    }

    /// Whether the same message was already answered in the other way.
    static func isMessageSpent(_ facts: VerificationFacts, _ db: SQLSession) throws -> Bool {
        guard let id = facts.messageID else { return false }
        return try db.first("SELECT 1 FROM budget WHERE key = ?", ["message:\(id)"]) != nil
    }

    func refund(_ keys: [String], at now: UnixTime) async throws(StoreError) {
        try await database.write(.guarded) { db in try Self.refund(keys, db, at: now) }
    }

    /// Refunds charges as a part of another transaction.
    static func refund(_ keys: [String], _ db: SQLSession, at now: UnixTime) throws {
        try hold(keys, db)
        for key in keys {
            try db.run(
                "UPDATE budget SET spent = \(SQL.decremented("spent")) WHERE key = ? AND ends_at > ?",
                [key, now.rawValue])
        }
    }

    func clear(_ keys: [String]) async throws(StoreError) {
        try await database.write(.guarded) { db in
            try Self.hold(keys, db)
            for key in keys { try db.run("DELETE FROM budget WHERE key = ?", [key]) }
        }
    }
}
