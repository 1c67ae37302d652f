internal import KeyturnBase
internal import Model

/// Since when identifiers are a user's, and which were: what recoveries and disputes go by.
enum IdentifierHistory {
    /// Records what a change of an account verifies and ends.
    static func note(_ account: Account, before: Account, _ db: SQLSession, at now: UnixTime) throws {
        let user = account.user.id.rawValue
        let former = try FormerIdentifier.ended(from: before, to: account, at: now) { identifier in
            try db.first(
                "SELECT proved_at FROM new_address WHERE user_id = ? AND kind = ? AND value = ?",
                [user, identifier.kind.rawValue, identifier.value])?.time("proved_at")
        }
        for one in former {
            try db.run(
                """
                INSERT INTO former_identifier (user_id, role, kind, value, verified, proved_at, ended_at)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO NOTHING
                """,
                [
                    user, one.role.rawValue, one.kind.rawValue, one.value, one.isVerified, one.provedAt?.rawValue,
                    one.endedAt.rawValue,
                ])
        }
        for role in Set(former.map(\.role)) { try bound(role, of: user, db) }
        for identifier in proved(account).subtracting(proved(before)) {
            try note(
                identifier, wasListed: before.identifiers[identifier] != nil, of: account.user.id, db, at: now)
        }
    }

    /// Keeps what was the user's for longest: what a stranger adds and takes away is younger, and pushes nothing out.
    private static func bound(_ role: FormerIdentifier.Role, of user: String, _ db: SQLSession) throws {
        try db.run(
            """
            DELETE FROM former_identifier WHERE user_id = ?1 AND role = ?2 AND (kind, value, ended_at) NOT IN (
                SELECT kind, value, ended_at FROM former_identifier WHERE user_id = ?1 AND role = ?2
                ORDER BY coalesce(proved_at, 0), ended_at, kind, value LIMIT ?3)
            """, [user, role.rawValue, Limits.formerIdentifiersMax])
    }

    private static func proved(_ account: Account) -> Set<Identifier> {
        account.provedAddresses.union(account.identifiers.filter { $0.value == .verified }.keys)
    }

    private static func note(
        _ identifier: Identifier, wasListed: Bool, of user: UserID, _ db: SQLSession, at now: UnixTime
    ) throws {
        try db.run(
            """
            INSERT INTO new_address (user_id, kind, value, proved_at, was_listed) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (user_id, kind, value)
            DO UPDATE SET proved_at = excluded.proved_at, was_listed = excluded.was_listed
            """,
            [user.rawValue, identifier.kind.rawValue, identifier.value, now.rawValue, wasListed])
    }

    /// Restores the identifiers and primary addresses that a user had at an earlier moment. Nothing of it counts as new,
    /// and nothing is restored twice. Where others than the user named addresses, none is restored: it may be theirs.
    static func restore(_ dispute: SignInDispute, _ db: SQLSession, at now: UnixTime) throws {
        let (user, moment) = (dispute.userID, dispute.startedAt)
        guard let before = try SQLUserStore.find(user, db) else { return }
        let values: Values = [user.rawValue, moment.rawValue]
        let added = try db.all(
            "SELECT kind, value FROM new_address WHERE user_id = ? AND proved_at >= ? AND was_listed = 0", values)
        let past = FormerIdentifiers(
            before.user.othersAt == nil ? try ended(user, db) : [], present: try present(before, db),
            added: Set(added.compactMap(\.identifier)), domains: dispute.leftDomains, since: moment)
        var account = before
        try past.restore(&account) { try isTaken($0, from: user, db) }
        if account != before { try SQLUserStore.replace(account, bringing: Set(past.kept.keys), db, at: now) }
        try db.run("DELETE FROM former_identifier WHERE user_id = ? AND ended_at >= ?", values)
        try db.run("DELETE FROM new_address WHERE user_id = ? AND proved_at >= ? AND was_listed = 0", values)
        for (identifier, one) in past.kept {
            guard let provedAt = one.provedAt else { continue }
            try note(identifier, wasListed: false, of: user, db, at: provedAt)
        }
    }

    /// What a dispute would bring back, where no other user has it.
    static func former(_ dispute: SignInDispute, _ db: SQLSession) throws -> FormerIdentifiers? {
        guard let account = try SQLUserStore.find(dispute.userID, db) else { return nil }
        return FormerIdentifiers(
            account.user.othersAt == nil ? try ended(account.user.id, db) : [], present: try present(account, db),
            added: [],
            domains: dispute.leftDomains, since: dispute.startedAt)
    }

    private static func ended(_ user: UserID, _ db: SQLSession) throws -> [FormerIdentifier] {
        try db.all(
            """
            SELECT role, kind, value, verified, proved_at, ended_at FROM former_identifier
            WHERE user_id = ? ORDER BY ended_at
            """, [user.rawValue]
        ).compactMap(\.formerIdentifier)
    }

    /// The verified addresses of an account, and when they were verified, as far as that is known.
    private static func present(_ account: Account, _ db: SQLSession) throws -> [Identifier: UnixTime?] {
        let rows = try db.all(
            "SELECT kind, value, proved_at FROM new_address WHERE user_id = ?", [account.user.id.rawValue])
        var provedAt: [Identifier: UnixTime] = [:]
        for row in rows { row.identifier.map { provedAt[$0] = row.time("proved_at") } }
        return Dictionary(uniqueKeysWithValues: account.provedAddresses.map { ($0, provedAt[$0]) })
    }

    /// Whether another user has an identifier or is called by it, or has proved that address and does not sign in with it.
    private static func isTaken(_ identifier: Identifier, from user: UserID, _ db: SQLSession) throws -> Bool {
        if try SQLUserStore.isContact(identifier, besides: user, db) { return true }
        return try db.first(
            """
            SELECT 1 WHERE EXISTS (SELECT 1 FROM identifier WHERE kind = ?1 AND value IN (?2, ?4) AND user_id <> ?3)
                OR EXISTS (SELECT 1 FROM "user" WHERE id = ?2 AND id <> ?3)
            """,
            [
                identifier.kind.rawValue, identifier.value, user.rawValue,
                identifier.formerSpelling ?? identifier.value,
            ]) != nil
    }
}

extension SQLRow {
    /// Of the columns `kind` and `value`; `nil` for a kind that this release does not know.
    var identifier: Identifier? {
        Identifier.Kind(rawValue: self["kind"]).map { Identifier(kind: $0, storedValue: self["value"]) }
    }

    fileprivate var formerIdentifier: FormerIdentifier? {
        guard let role = FormerIdentifier.Role(rawValue: self["role"]),
            let kind = Identifier.Kind(rawValue: self["kind"])
        else { return nil }
        return FormerIdentifier(
            role: role, kind: kind, value: self["value"], isVerified: self["verified"],
            provedAt: optionalTime("proved_at"), endedAt: time("ended_at"))
    }
}
