internal import Foundation
internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// The queue of messages. A row is due at a moment; a claim moves that moment to the end of its lease.
struct SQLMessageStore: MessageStore {
    let database: any SQLDatabase
    private static let columns = """
        number, id, kind, channel, sealed, is_decoy, created_at, expires_at, attempts, finished_at, reason
        """
    private static let rows = LeasedRows(
        table: "message", columns: columns, claiming: ", state = 'sending'", order: "queue.due_at, queue.number")

    func enqueue(_ messages: [WaitingMessage]) async throws(StoreError) {
        guard messages.count == 1 else {
            return try await database.write(.guarded) { db in
                for message in messages { try Self.add(message, db) }
            }
        }
        try await database.once(.replicated) { db in try Self.add(messages[0], db) }
    }

    /// Adds a message as a part of another transaction.
    static func add(_ message: WaitingMessage, _ db: SQLSession) throws {
        try db.run(
            """
            INSERT INTO message (id, kind, channel, sealed, is_decoy, created_at, expires_at, due_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?6) ON CONFLICT (id) DO NOTHING
            """,
            [
                Data(message.id.bytes), message.kind.rawValue, message.channel.rawValue, Data(message.sealed),
                message.isDecoy, message.createdAt.rawValue, message.expiresAt.rawValue,
            ])
    }

    func hasDue(at now: UnixTime) async throws(StoreError) -> Bool {
        try await database.read { db in
            try Self.rows.haveDue(db, at: now)
        }
    }

    func claim(limit: Int, leaseSeconds: Int64, at now: UnixTime) async throws(StoreError) -> [MessageClaim] {
        try await database.write(.guarded) { db in
            let rows = try Self.rows.claim(limit: limit, leaseSeconds: leaseSeconds, db, at: now)
            return try rows.compactMap { row in
                if let message = try? Self.message(row) {
                    return MessageClaim(message: message, attempt: row["attempts"])
                }
                // Another release wrote it: it must not block the others for ever.
                try db.run(
                    "UPDATE message SET due_at = NULL, finished_at = ?, state = 'dead', reason = ? WHERE number = ?",
                    [now.rawValue, "of a kind that this release does not know", row["number"] as Int64])
                return nil
            }.sorted { $0.message.createdAt < $1.message.createdAt }
        }
    }

    func finish(_ claim: MessageClaim, _ end: MessageEnd, keepsContent: Bool, at now: UnixTime)
        async throws(StoreError) -> Bool
    {
        let (state, reason) = Self.columns(end)
        return try await database.write(.guarded) { db in
            return try db.run(
                """
                UPDATE message SET due_at = NULL, finished_at = ?3, state = ?4, reason = ?5,
                    sealed = CASE WHEN ?6 = 1 THEN sealed END
                WHERE id = ?1 AND attempts = ?2 AND finished_at IS NULL
                """,
                [Data(claim.message.id.bytes), claim.attempt, now.rawValue, state, reason, keepsContent]) == 1
        }
    }

    func postpone(_ claim: MessageClaim, until due: UnixTime, reason: String) async throws(StoreError) -> Bool {
        try await database.once(.local) { db in
            return try db.run(
                """
                UPDATE message SET due_at = ?3, state = 'waiting', reason = ?4
                WHERE id = ?1 AND attempts = ?2 AND finished_at IS NULL
                """,
                [Data(claim.message.id.bytes), claim.attempt, due.rawValue, reason]) == 1
        }
    }

    func newest(limit: Int) async throws(StoreError) -> [WaitingMessage] {
        try await database.read { db in
            try db.all(
                """
                SELECT \(Self.columns) FROM (
                    SELECT \(Self.columns) FROM message WHERE sealed IS NOT NULL AND is_decoy = 0
                    ORDER BY number DESC LIMIT ?
                ) AS newest ORDER BY number
                """,
                [limit]
            ).map(Self.message)
        }
    }

    func waiting(limit: Int) async throws(StoreError) -> [QueuedMessage] {
        try await database.read { db in
            try db.all(
                """
                SELECT \(Self.columns), due_at, state FROM message WHERE due_at IS NOT NULL AND is_decoy = 0
                ORDER BY number DESC LIMIT ?
                """,
                [limit]
            ).compactMap { row in
                guard let (id, kind, channel) = try? Self.name(row) else { return nil }
                let failure = row["reason"] as String?
                let isSending = (row["state"] as String) == "sending"
                return QueuedMessage(
                    id: id, kind: kind, channel: channel, attempts: row["attempts"],
                    state: isSending ? .sending : failure.map(QueuedMessage.State.failed) ?? .waiting,
                    createdAt: row.time("created_at"), dueAt: row.time("due_at"), expiresAt: row.time("expires_at"))
            }
        }
    }

    func retry(_ id: MessageID, at now: UnixTime) async throws(StoreError) -> Bool {
        try await database.write(.guarded) { db in
            return try db.run(
                "UPDATE message SET due_at = ?2 WHERE id = ?1 AND state = 'waiting' AND reason IS NOT NULL AND due_at > ?2",
                [Data(id.bytes), now.rawValue]) == 1
        }
    }

    func deadLetters(limit: Int) async throws(StoreError) -> [DeadLetter] {
        try await database.read { db in
            try db.all(
                """
                SELECT \(Self.columns) FROM message WHERE finished_at IS NOT NULL AND state = 'dead'
                ORDER BY finished_at DESC, number DESC LIMIT ?
                """,
                [limit]
            ).compactMap { row in
                guard let (id, kind, channel) = try? Self.name(row) else { return nil }
                return DeadLetter(
                    id: id, kind: kind, channel: channel, attempts: row["attempts"], reason: row["reason"] ?? "",
                    finishedAt: row.time("finished_at"))
            }
        }
    }

    private static func columns(_ end: MessageEnd) -> (state: String, reason: String?) {
        switch end {
        case .sent: ("sent", nil)
        case .dropped: ("dropped", nil)
        case .dead(let reason): ("dead", reason)
        }
    }

    private static let channels: [DeliveryMethod] = [.email, .sms, .whatsapp, .voice, .push]

    private static func name(_ row: SQLRow) throws -> (MessageID, MessageKind, DeliveryMethod) {
        guard let id = MessageID(bytes: row.bytes("id")), let kind = MessageKind(rawValue: row["kind"]),
            let channel = channels.first(where: { $0.rawValue == row["channel"] })
        else { throw SQLProblem.damagedRow }
        return (id, kind, channel)
    }

    private static func message(_ row: SQLRow) throws -> WaitingMessage {
        let (id, kind, channel) = try name(row)
        return WaitingMessage(
            id: id, kind: kind, channel: channel, sealed: (row["sealed"] as Data?).map { Array($0) } ?? [],
            isDecoy: row["is_decoy"], createdAt: row.time("created_at"), expiresAt: row.time("expires_at"))
    }
}
