internal import Authority
internal import Foundation
internal import KeyturnBase
internal import Model

/// Users, identifiers, passwords and memberships.
struct SQLUserStore: UserStore {
    let database: any SQLDatabase

    /// A user with everything that belongs to it.
    static func account(_ sql: any SQLFragments) -> String {
        """
        SELECT \(UserColumns.list), u.roles, \(AccountColumns.list(sql))
        FROM "user" u LEFT JOIN password p ON p.user_id = u.id
        """
    }

    private static let byIdentifier = SQLText {
        "\(account($0)) WHERE u.id = (SELECT user_id FROM identifier WHERE kind = ? AND value = ?)"
    }
    /// An address may be stored in two spellings, from before a domain had one: the account that proved it is meant.
    private static let byEitherSpelling = SQLText {
        """
        \(account($0)) WHERE u.id = (
            SELECT user_id FROM identifier WHERE kind = ?1 AND value IN (?2, ?3)
            ORDER BY verified DESC, CASE WHEN value = ?2 THEN 0 ELSE 1 END LIMIT 1)
        """
    }
    private static let byID = SQLText { "\(account($0)) WHERE u.id = ?" }
    private static let inOrderOfID = SQLText { "\(account($0)) WHERE u.id > ? ORDER BY u.id LIMIT ?" }
    /// All users, in the order of creation.
    static let inOrder = SQLText { "\(account($0)) ORDER BY u.rowid" }

    func account(_ identifier: Identifier) async throws(StoreError) -> Account? {
        try await database.read { db in
            guard let former = identifier.formerSpelling else {
                return try db.first(Self.byIdentifier, [identifier.kind.rawValue, identifier.value]).map(Self.account)
            }
            return try db.first(Self.byEitherSpelling, [identifier.kind.rawValue, identifier.value, former])
                .map(Self.account)
        }
    }

    func account(_ id: UserID) async throws(StoreError) -> Account? {
        try await database.read { db in try Self.find(id, db) }
    }

    func accounts(after last: UserID?, limit: Int) async throws(StoreError) -> [Account] {
        try await database.read { db in
            try db.all(Self.inOrderOfID, [last?.rawValue ?? "", limit]).map(Self.account)
        }
    }

    func create(
        _ account: Account, authenticator: StoredTOTP?, by allowed: consuming Allowed<Acts.CreateAccount>
    ) async throws(StoreError) {
        let isOfOthers = allowed.grounds.isOfOthers && (authenticator != nil || account.hasMoreThanOneName)
        try allowed.grounds.requireNewUser()
        try await database.write(.guarded) { db in
            try Self.add(account, db)
            let (user, now) = (account.user.id, account.user.createdAt)
            try SQLTOTPStore.addFirst(authenticator, of: user, db, at: now)
            if isOfOthers { try Self.noteOthers(user, areOperators: true, db, at: now) }
        }
    }

    func create(_ account: Account, withAccepted id: [UInt8], by allowed: consuming Allowed<Acts.CreateAccount>)
        async throws(StoreError)
    {
        try allowed.grounds.requireNewUser()
        try await database.write(.guarded) { db in
            try Self.add(account, db)
            guard try SQLTOTPStore.assign(id, to: account.user.id, db) else { throw StoreError(.missing) }
        }
    }

    func change(
        by allowed: consuming Allowed<Acts.ChangeAccount>, leaving ways: SignInWays?, at now: UnixTime,
        _ rule: @escaping @Sendable (inout Account) -> Void
    ) async throws(StoreError) -> Account {
        let grounds = allowed.grounds
        let isMachines = allowed.caller.kind == .machine
        return try await database.write(.changing(grounds.user)) { db in
            let before = try Self.permitted(grounds, db)
            var account = before
            rule(&account)
            try grounds.requireCover(of: before, account)
            if !isMachines, before.user.status == .active, account.user.status != .active {
                try SQLConsoleOperatorStore.requireAnotherOwner(than: before, db)
            }
            let isComplete = try LastWay.keep(ways, of: grounds.user, db) { try Self.replace(account, db, at: now) }
            guard let isComplete else { return before }
            if grounds.isOfOthers, account.isNamedAnew(since: before) {
                try Self.noteOthers(grounds.user, areOperators: grounds.isOfOperator, db, at: now)
            }
            // Also one who disables a user again: from now on it is this caller who did.
            if grounds.aspects.contains(.status) { try SQLSCIMUserStore.forgetDisabling(grounds.user, db) }
            guard isComplete else {
                // Provisioning keeps the user out of a tenant: the account is not what the rule made of it.
                return try Self.find(grounds.user, db) ?? account
            }
            account.user.updatedAt = now
            if !account.identifiers.isEmpty { account.user.anonymousAt = nil }
            return account
        }
    }

    func rehash(_ id: UserID, from old: String, to new: String) async throws(StoreError) {
        _ = try await database.once(.replicated) { db in
            try db.run("UPDATE password SET hash = ? WHERE user_id = ? AND hash = ?", [new, id.rawValue, old])
        }
    }

    func delete(by allowed: consuming Allowed<Acts.DeleteAccount>, at now: UnixTime) async throws(StoreError) -> Bool {
        let grounds = allowed.grounds
        let (id, isMachines) = (grounds.user, allowed.caller.kind == .machine)
        return try await database.write(.changing(id)) { db in
            guard let account = try Self.find(id, db) else { return false }
            guard grounds.hold(for: account.standing) else { throw StoreError(.forbidden) }
            if !isMachines { try SQLConsoleOperatorStore.requireAnotherOwner(than: account, db) }
            try SQLLogoutNoticeStore.add("user_id = ?", [id.rawValue], db, at: now)
            try SQLAttemptStore.forget(id, db)
            try SQLSCIMUserStore.keepDeactivated(id, db, at: now)
            return try db.run("DELETE FROM \"user\" WHERE id = ?", [id.rawValue]) == 1
        }
    }

    func deleteTestUsers(by allowed: consuming Allowed<Acts.DeleteAccount>, limit: Int) async throws(StoreError)
        -> [UserID]
    {
        try allowed.grounds.requireNoUser()
        return try await database.write(.guarded) { db in
            try db.all(
                """
                WITH picked AS MATERIALIZED (
                    SELECT rowid FROM "user" WHERE is_test = 1 LIMIT ? \(db.dialect.fragments.skipLocked("\"user\"")))
                DELETE FROM "user" WHERE rowid IN (SELECT rowid FROM picked) RETURNING id
                """,
                [limit]
            ).map { UserID(rawValue: $0["id"]) }
        }
    }
}

extension SQLUserStore {
    static func find(_ id: UserID, _ db: SQLSession) throws -> Account? {
        try db.first(byID, [id.rawValue]).map(account)
    }

    /// The user of a permission, as the transaction reads it.
    ///
    /// - Throws: `missing`; `forbidden` if the permission no longer holds.
    static func permitted(_ grounds: Grounds, _ db: SQLSession) throws -> Account {
        guard let account = try find(grounds.user, db) else { throw StoreError(.missing) }
        guard grounds.hold(for: account.standing) else { throw StoreError(.forbidden) }
        return account
    }

    /// Others than the user had a hand in how the account is entered.
    static func noteOthers(_ user: UserID, areOperators: Bool = false, _ db: SQLSession, at now: UnixTime) throws {
        try noteOthers(user, others: now, operators: areOperators ? now : nil, db)
    }

    /// A sign-in of the user was disputed.
    static func noteDispute(_ user: UserID, _ db: SQLSession, at now: UnixTime) throws {
        try db.run("UPDATE \"user\" SET disputed_at = ? WHERE id = ?", [now.rawValue, user.rawValue])
    }

    /// What another server noted of a user who comes from there.
    static func noteOthers(of user: User, _ db: SQLSession) throws {
        if let time = user.disputedAt { try noteDispute(user.id, db, at: time) }
        guard user.othersAt != nil else { return }
        try noteOthers(user.id, others: user.othersAt, operators: user.operatorsAt, db)
    }

    private static func noteOthers(_ user: UserID, others: UnixTime?, operators: UnixTime?, _ db: SQLSession) throws {
        try db.run(
            """
            UPDATE "user" SET others_at = coalesce(others_at, ?1), operators_at = coalesce(operators_at, ?2)
            WHERE id = ?3
            """, [others?.rawValue, operators?.rawValue, user.rawValue])
    }

    /// Nothing that they set up is left.
    static func forgetOthers(_ user: UserID, _ db: SQLSession) throws {
        try db.run("UPDATE \"user\" SET others_at = NULL, operators_at = NULL WHERE id = ?", [user.rawValue])
    }

    static func account(_ row: SQLRow) throws -> Account {
        try row.account(user: row.user())
    }

    /// Writes a new user with everything that belongs to it.
    static func add(_ account: Account, _ db: SQLSession) throws {
        let user = account.user
        // Such a name is reserved for a client's own tokens (RFC 9700 §4.15).
        guard !user.id.isClients else { throw StoreError(.conflict) }
        try db.hold([.nameOfUser(user.id.rawValue)])
        try db.run(
            """
            INSERT INTO "user" (
                id, status, claims, created_at, updated_at, is_test, attributes, accepted, roles, anonymous_at,
                anonymous_seen_at
            ) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?10)
            """,
            [
                user.id.rawValue, user.status.rawValue, JSONValue.object(user.claims).columnText,
                user.createdAt.rawValue, user.updatedAt.rawValue, user.isTest,
                JSONValue.object(user.attributes).columnText, user.acceptancesText,
                account.memberships.roles.columnText, user.anonymousAt?.rawValue,
            ])
        try Self.insert(account.identifiers, of: user.id, known: [], db)
        try Self.insert(account.memberships, of: user.id, db)
        if let hash = account.passwordHash {
            try db.run("INSERT INTO password (user_id, hash) VALUES (?, ?)", [user.id.rawValue, hash])
        }
    }

    /// Writes everything but the password.
    ///
    /// - Parameters:
    ///   - former: login IDs that the user had, or that come with another account.
    ///   - identity: by which the user signs in; `nil`: none.
    /// - Returns: whether every membership was written (``insert(_:of:_:)``).
    @discardableResult
    static func replace(
        _ account: Account, bringing former: Set<Identifier> = [], signingInBy identity: FederatedIdentity.Key? = nil,
        _ db: SQLSession, at now: UnixTime
    ) throws -> Bool {
        let user = account.user
        guard let before = try find(user.id, db) else { throw StoreError(.missing) }
        try db.run(
            """
            UPDATE "user" SET status = ?, claims = ?, updated_at = ?, is_test = ?, attributes = ?, accepted = ?, roles = ?
            WHERE id = ?
            """,
            [
                user.status.rawValue, JSONValue.object(user.claims).columnText, now.rawValue, user.isTest,
                JSONValue.object(user.attributes).columnText, user.acceptancesText,
                account.memberships.roles.columnText, user.id.rawValue,
            ])
        try IdentifierHistory.note(account, before: before, db, at: now)
        try SQLSCIMUserStore.forgetGiven(account, before: before, db)
        try db.run("DELETE FROM identifier WHERE user_id = ?", [user.id.rawValue])
        try insert(account.identifiers, of: user.id, known: former.union(before.identifiers.keys), db)
        let leavesAnonymity = before.user.isAnonymous && !account.identifiers.isEmpty
        if leavesAnonymity { try SQLAnonymousStore.endAnonymity(of: user.id, db) }
        let isComplete = try write(account.memberships, of: user.id, before: before.memberships, db, at: now)
        if leavesAnonymity {
            try SQLAnonymousStore.forgetMethods(of: user.id, besides: identity.map(UsedMethods.init), db, at: now)
        }
        if let scope = RevocationScope(becoming: user.status, at: now) { try Revocation.end(scope, of: user.id, db) }
        return isComplete
    }

    /// - Parameter known: those that looked like others before, and stay.
    /// - Throws: `conflict` also for a new login ID with a flaw: the ways in say so before.
    private static func insert(
        _ identifiers: [Identifier: Account.IdentifierState], of id: UserID, known: Set<Identifier>, _ db: SQLSession
    ) throws {
        guard identifiers.keys.allSatisfy({ $0.flaw == nil || known.contains($0) }) else {
            throw StoreError(.conflict)
        }
        let names = identifiers.keys.sorted { ($0.value, $0.kind.rawValue) < ($1.value, $1.kind.rawValue) }
        try db.hold(names.map { .nameOfUser($0.value) })
        for identifier in names {
            let inserted = try db.run(
                """
                INSERT INTO identifier (kind, value, verified, user_id) SELECT ?1, ?2, ?3, ?4
                WHERE NOT EXISTS (SELECT 1 FROM "user" WHERE id = ?2 AND id <> ?4)
                """,
                [
                    identifier.kind.rawValue, try spelling(of: identifier, isKnown: known.contains(identifier), db),
                    identifiers[identifier] == .verified, id.rawValue,
                ])
            // The name is the identifier of another user, and could be confused with it.
            guard inserted == 1 else { throw StoreError(.conflict) }
        }
    }

    /// How an address is stored that could be stored in two spellings. Two accounts may have one each, from before; no
    /// others do.
    private static func spelling(of identifier: Identifier, isKnown: Bool, _ db: SQLSession) throws -> String {
        guard let former = identifier.formerSpelling else { return identifier.value }
        let taken: [String] = try db.all(
            "SELECT value FROM identifier WHERE kind = ? AND value IN (?, ?)",
            [identifier.kind.rawValue, identifier.value, former]
        ).map { $0["value"] }
        guard isKnown || taken.isEmpty else { throw StoreError(.conflict) }
        return taken.contains(identifier.value) ? former : identifier.value
    }
}
