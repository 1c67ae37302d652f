internal import KeyturnBase
internal import Model

/// What a proof changes about accounts.
extension SQLUserStore {
    func merge(
        asking: UserID, existing: UserID, proved identifier: Identifier, keeping kept: UserMerge.Kept, at now: UnixTime
    ) async throws(StoreError) -> Account {
        try await database.write(.locking([.user(asking, shared: false), .user(existing, shared: false)])) { db in
            guard asking != existing, let one = try Self.find(asking, db), let other = try Self.find(existing, db)
            else { throw StoreError(.missing) }
            // Only somebody who may sign in brings anything along, and only to somebody who may.
            guard one.user.status == .active, [.active, .invited].contains(other.user.status) else {
                throw StoreError(.conflict)
            }
            var merged = UserMerge.merge(asking: one, existing: other, proved: identifier, keeping: kept)
            let removed = kept == .asking ? existing : asking
            try db.run(
                "UPDATE access_key SET user_id = ? WHERE user_id = ?", [merged.user.id.rawValue, removed.rawValue])
            try db.run(
                "UPDATE data_key SET user_id = ? WHERE user_id = ?", [merged.user.id.rawValue, removed.rawValue])
            try db.run("DELETE FROM \"user\" WHERE id = ?", [removed.rawValue])
            try Self.replace(merged, db, at: now)
            if kept == .existing, merged.passwordHash == nil, other.passwordHash != nil {
                try db.run("DELETE FROM password WHERE user_id = ?", [existing.rawValue])
                try Revocation(.credentialChanged, at: now).end(existing, db)
                merged.user.epoch += 1
            }
            merged.user.updatedAt = now
            return merged
        }
    }
}
