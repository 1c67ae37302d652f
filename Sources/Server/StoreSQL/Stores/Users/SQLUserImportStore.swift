internal import Authority
internal import KeyturnBase
package import Model

extension SQLDatabase {
    /// Imports users in batches.
    ///
    /// - Parameter actor: the importing operator, for the audit log.
    package func userImport(by actor: String? = nil) -> any UserImportStore {
        SQLUserImportStore(database: self, actor: actor)
    }
}

/// Imports users in batches: one transaction for a batch, a savepoint for each user.
struct SQLUserImportStore: UserImportStore {
    let database: any SQLDatabase
    let actor: String?

    func apply(
        _ rows: [ImportedUser], _ plan: UserImportPlan, by allowed: consuming Allowed<Acts.ImportUsers>,
        at now: UnixTime
    ) async throws(StoreError) -> [UserImport.Outcome] {
        try allowed.grounds.requireNoUser()
        // A user whom another import makes at the same time is found, and not made again.
        let names = Set(rows.flatMap { $0.identifiers.keys.map(\.value) })
        return try await database.write(.locking(names.map { .nameOfUser($0) })) { db in
            guard plan.isRehearsal else {
                let outcomes = try rows.map { try Self.apply($0, plan, db, at: now) }
                try SQLAuditStore.append(events(outcomes, at: now), db)
                return outcomes
            }
            try db.run("SAVEPOINT rehearsal", [])
            let outcomes = try rows.map { try Self.apply($0, plan, db, at: now) }
            try db.run("ROLLBACK TO rehearsal", [])
            try db.run("RELEASE rehearsal", [])
            return outcomes
        }
    }

    /// The audit events of the rows that changed a user.
    private func events(_ outcomes: [UserImport.Outcome], at now: UnixTime) -> [AuditEvent] {
        outcomes.compactMap { outcome in
            switch outcome {
            case .created(let id): AuditEvent(.userCreated, at: now, userID: id, reason: "import", actor: actor)
            case .updated(let id): AuditEvent(.userUpdated, at: now, userID: id, reason: "import", actor: actor)
            default: nil
            }
        }
    }

    private static func apply(_ row: ImportedUser, _ plan: UserImportPlan, _ db: SQLSession, at now: UnixTime) throws
        -> UserImport.Outcome
    {
        let decision = UserImport.decide(
            row, found: try find(row, db), rule: plan.rule, replacesPasswords: plan.replacesPasswords, at: now)
        if case .leave(let outcome) = decision {
            // A status that the row says again is the operator's word, too.
            if case .unchanged(let id) = outcome, plan.rule == .update, row.status != nil {
                try SQLSCIMUserStore.forgetDisabling(id, db)
            }
            return outcome
        }
        try db.run("SAVEPOINT imported", [])
        do {
            let outcome = try write(decision, row, db, at: now)
            try db.run("RELEASE imported", [])
            return outcome
        } catch {
            let refusal = try refusal(for: error)
            try db.run("ROLLBACK TO imported", [])
            try db.run("RELEASE imported", [])
            return .refused(refusal)
        }
    }

    /// The users with one of the row's names, each once.
    private static func find(_ row: ImportedUser, _ db: SQLSession) throws -> [Account] {
        var ids: [String] = []
        if let id = row.id, try db.first("SELECT 1 FROM \"user\" WHERE id = ?", [id.rawValue]) != nil {
            ids.append(id.rawValue)
        }
        for identifier in row.identifiers.keys {
            let found = try db.all(
                "SELECT user_id FROM identifier WHERE kind = ? AND value IN (?, ?)",
                [identifier.kind.rawValue, identifier.value, identifier.formerSpelling ?? identifier.value])
            for row in found {
                let id: String = row["user_id"]
                if !ids.contains(id) { ids.append(id) }
            }
        }
        try db.hold(ids.map { .user(UserID(rawValue: $0), shared: false) })
        return try ids.compactMap { try SQLUserStore.find(UserID(rawValue: $0), db) }
    }

    private static func write(_ decision: UserImport.Decision, _ row: ImportedUser, _ db: SQLSession, at now: UnixTime)
        throws -> UserImport.Outcome
    {
        switch decision {
        case .create(let account):
            try SQLUserStore.add(account, db)
            try SQLUserStore.noteOthers(of: account.user, db)
            try SQLTOTPStore.addFirst(row.authenticator, of: account.user.id, db, at: now)
            return .created(account.user.id)
        case .update(var account):
            if let before = try SQLUserStore.find(account.user.id, db), before.isStrangers(onceItBecomes: account) {
                try SQLPasswordStore.void(account.user.id, db, at: now)
                account.user.acceptances = [:]
                if account.passwordHash == before.passwordHash { account.passwordHash = nil }
            }
            try SQLUserStore.replace(account, db, at: now)
            try SQLUserStore.noteOthers(of: account.user, db)
            if row.status != nil { try SQLSCIMUserStore.forgetDisabling(account.user.id, db) }
            try setPassword(account, db, at: now)
            try SQLTOTPStore.addFirst(row.authenticator, of: account.user.id, db, at: now)
            return .updated(account.user.id)
        case .leave(let outcome):
            return outcome
        }
    }

    /// A new password ends every session of its user.
    private static func setPassword(_ account: Account, _ db: SQLSession, at now: UnixTime) throws {
        guard let hash = account.passwordHash else { return }
        let changed = try db.run(
            """
            INSERT INTO password (user_id, hash) VALUES (?, ?)
            ON CONFLICT (user_id) DO UPDATE SET hash = excluded.hash WHERE password.hash <> excluded.hash
            """, [account.user.id.rawValue, hash])
        guard changed == 1 else { return }
        try Revocation.end(RevocationScope(.credentialChanged, at: now), of: account.user.id, db)
    }

    /// The refusal, if the error is one of the row; an error of the database is rethrown and ends the batch.
    private static func refusal(for error: any Error) throws -> UserImport.Refusal {
        switch (error as? StoreError)?.code {
        case .conflict: .conflict
        case .missing: .noTenant
        default: throw error
        }
    }
}
