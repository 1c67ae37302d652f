internal import Foundation
internal import KeyturnBase
internal import Model

/// What was there before and after events: a row each, which goes with its user.
extension SQLAuditStore {
    /// Before the chain is taken: a transaction that removes one of the users has that row first, and the chain later.
    static func holdUsers(of events: [AuditEvent], _ db: SQLSession) throws {
        let users = Set(events.filter { $0.changes != nil }.compactMap(\.userID))
        guard !users.isEmpty else { return }
        try db.hold(users.map { .user($0, shared: true) })
    }

    /// Keeps the values, unless their user is gone since the event was made.
    static func add(_ changes: AuditChanges, of event: AuditEvent, as number: Int64?, _ db: SQLSession) throws {
        guard let number else { throw SQLProblem.noRow }
        let values: Values = [number, event.userID?.rawValue, Data(changes.salt), changes.json.columnText]
        guard let user = event.userID else {
            return try db.send("INSERT INTO audit_change (number, user_id, salt, changes) VALUES (?, ?, ?, ?)", values)
        }
        guard try db.first("SELECT 1 FROM \"user\" WHERE id = ?", [user.rawValue]) != nil else { return }
        try db.send("INSERT INTO audit_change (number, user_id, salt, changes) VALUES (?, ?, ?, ?)", values)
    }

    /// Reads the values beside an event. Those that cannot be read are shown as none, and are not what the log covers.
    static func changes(_ row: SQLRow) -> AuditChanges? {
        guard let text = row["changes"] as String?, let salt = row["salt"] as Data? else { return nil }
        return AuditChanges(AuditChanges.list(try? JSONValue(parsing: text.utf8)), salt: Array(salt))
    }

    /// Removes values whose events are gone, also those that went with their month.
    ///
    /// - Returns: how many there were, at most `limit`.
    func removeChanges(limit: Int, _ db: SQLSession) throws -> Int {
        try db.run(
            """
            DELETE FROM audit_change WHERE number IN (
                SELECT number FROM audit_change
                WHERE number < coalesce((SELECT min(number) FROM audit_event), \(SQL.noLimit))
                ORDER BY number LIMIT ?)
            """, [limit])
    }
}
