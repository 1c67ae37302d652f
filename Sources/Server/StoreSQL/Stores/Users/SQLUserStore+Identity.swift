internal import Authority
internal import KeyturnBase
internal import Model

/// What a verification changes about accounts.
extension SQLUserStore {
    func merge(
        by allowed: consuming Allowed<Acts.MergeAccounts>, with other: consuming Allowed<Acts.GiveUpAccount>,
        proved identifier: Identifier, keeping kept: UserMerge.Kept, at now: UnixTime
    ) async throws(StoreError) -> Account {
        let (asks, gives) = (allowed.grounds, other.grounds)
        let caller = allowed.caller.kind
        guard asks.user != gives.user else { throw StoreError(.missing) }
        return try await database.write(
            .locking([.user(asks.user, shared: false), .user(gives.user, shared: false)])
        ) { db in
            let (one, other) = (try Self.permitted(asks, db), try Self.permitted(gives, db))
            let (asking, existing) = try Self.merged(one, other, keeping: kept, db)
            guard
                var plan = UserMerge.plan(
                    asking: asking, existing: existing, proved: identifier, keeping: kept,
                    isAskedBySession: ![.operator, .managementKey].contains(caller))
            else { throw StoreError(.conflict) }
            let id = plan.account.user.id
            let removed = plan.removed == one.user.id ? one : other
            if caller != .machine { try SQLConsoleOperatorStore.requireAnotherOwner(than: removed, db) }
            if (plan.removed == one.user.id ? other : one).user.isAnonymous, !plan.account.identifiers.isEmpty {
                // Before what the other account brings.
                try SQLAnonymousStore.endAnonymity(of: id, db)
                try SQLAnonymousStore.forgetMethods(of: id, db, at: now)
            }
            try db.run("UPDATE data_key SET user_id = ? WHERE user_id = ?", [id.rawValue, plan.removed.rawValue])
            // New to this account, as a dispute must see them.
            let moved: Values = [id.rawValue, now.rawValue, plan.removed.rawValue]
            try db.run("UPDATE access_key SET user_id = ?, created_at = ? WHERE user_id = ?", moved)
            try SQLFederatedIdentityStore.move(from: plan.removed, to: id, db, at: now)
            let brought = [.operator, .managementKey, .machine].contains(caller) ? nil : now
            try BroughtMemberships.move(from: plan.removed, to: id, db, at: brought)
            // What directories manage goes along, unless the same tenant's directory has both. None has made the account any
            // longer, once another one of the user's is in it.
            try db.run(
                """
                UPDATE scim_resource SET user_id = ?1, brought_at = coalesce(?3, brought_at)
                WHERE user_id = ?2 AND tenant_id NOT IN (SELECT tenant_id FROM scim_resource WHERE user_id = ?1)
                """, [id.rawValue, plan.removed.rawValue, brought?.rawValue])
            try db.run(
                "UPDATE scim_resource SET made_user = 0, given_login_id = '' WHERE user_id = ?", [id.rawValue])
            try db.run("DELETE FROM \"user\" WHERE id = ?", [plan.removed.rawValue])
            let names = Set(one.identifiers.keys).union(other.identifiers.keys)
            try Self.replace(plan.account, bringing: names, db, at: now)
            if asks.isOfOthers || removed.user.othersAt != nil {
                let areOperators = asks.isOfOthers && asks.isOfOperator || removed.user.operatorsAt != nil
                try Self.noteOthers(id, areOperators: areOperators, db, at: now)
            }
            if let endedAt = removed.user.endedAt { try Revocation.noteEnd(of: id, db, at: endedAt) }
            plan.account.user.endedAt = [one, other].compactMap(\.user.endedAt).max()
            if plan.voidsPassword {
                try db.run("DELETE FROM password WHERE user_id = ?", [id.rawValue])
                try Revocation.end(RevocationScope(.credentialChanged, at: now), of: id, db)
                plan.account.user.epoch += 1
                plan.account.user.endedAt = now
            }
            plan.account.user.updatedAt = now
            return plan.account
        }
    }

    /// Both accounts as they are merged: the one that goes without the roles that end with it.
    private static func merged(_ one: Account, _ other: Account, keeping kept: UserMerge.Kept, _ db: SQLSession) throws
        -> (asking: Account, existing: Account)
    {
        switch kept {
        case .asking: (one, try RoleSources.carried(other, into: one.user.id, db))
        case .existing: (try RoleSources.carried(one, into: other.user.id, db), other)
        }
    }
}
