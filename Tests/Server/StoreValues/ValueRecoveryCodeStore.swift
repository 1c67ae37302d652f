internal import Authority
internal import KeyturnBase
internal import Model

/// Recovery codes.
struct ValueRecoveryCodeStore: RecoveryCodeStore {
    let database: ValueDatabase

    func replace(
        by allowed: consuming Allowed<Acts.MakeRecoveryCodes>, with digests: [SecretDigest], at now: UnixTime
    ) throws(StoreError) {
        let grounds = allowed.grounds
        try database.write { world in
            _ = try world.permitted(grounds)
            guard Set(digests).count == digests.count else { throw StoreError(.conflict) }
            world.recoveryCodes[grounds.user] = Dictionary(digests.map { ($0, now) }) { first, _ in first }
        }
    }

    func removeAll(by allowed: consuming Allowed<Acts.RemoveAuthenticator>, at now: UnixTime) throws(StoreError) {
        let grounds = allowed.grounds
        try database.write { world in
            _ = try world.permitted(grounds)
            world.recoveryCodes[grounds.user] = nil
        }
    }

    func spend(_ digests: [SecretDigest], of user: UserID, at now: UnixTime) throws(StoreError) -> Bool {
        try database.write { world in
            for digest in digests where world.recoveryCodes[user]?[digest] != nil {
                world.recoveryCodes[user]?[digest] = nil
                world.endRecovery(of: user, .factorUsed, at: now)
                return true
            }
            return false
        }
    }

    func count(of user: UserID) throws(StoreError) -> Int {
        try database.read { $0.recoveryCodes[user]?.count ?? 0 }
    }
}
