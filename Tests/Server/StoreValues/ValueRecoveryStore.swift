internal import Authority
internal import KeyturnBase
internal import Model

/// Removals of lost second factors. A row that begins in the future was written by a wrong clock, and is ignored.
struct ValueRecoveryStore: RecoveryStore {
    let database: ValueDatabase

    func begin(
        _ recovery: Recovery, epoch: Int64, cancelledBy digest: SecretDigest, charge: RateLimitCharge,
        notices: [WaitingMessage], event: AuditEvent, at now: UnixTime
    ) throws(StoreError) -> RecoveryBeginning {
        try database.write { world in
            let user = recovery.userID
            guard world.isCurrent(epoch, of: user), world.hasAuthenticator(user) || world.hasPasskey(user) else {
                return .overtaken
            }
            if let row = world.recoveries[user], row.counts(at: now) {
                return row.cancelledAt == nil ? .underWay(row.recovery) : .paused(until: row.recovery.expiresAt)
            }
            if let until = world.spend([charge], at: now) { return .tooMany(until: until) }
            let isTaken = world.recoveries.contains { $0.key != user && $0.value.cancelDigest == digest }
            guard !isTaken else { throw StoreError(.conflict) }
            world.recoveries[user] = RecoveryRow(recovery: recovery, epoch: epoch, cancelDigest: digest)
            for notice in notices { world.enqueue(notice) }
            world.append([event])
            return .begun(recovery)
        }
    }

    func recovery(of user: UserID, at now: UnixTime) throws(StoreError) -> Recovery? {
        try database.read { world in
            guard let row = world.recoveries[user], row.cancelledAt == nil, row.counts(at: now) else { return nil }
            return row.recovery
        }
    }

    func describe(_ digest: SecretDigest, at now: UnixTime) throws(StoreError) -> RecoveryLink? {
        try database.read { world in
            let row = world.recoveries.values.first { $0.cancelDigest == digest && $0.recovery.expiresAt > now }
            return row.map { $0.cancelledAt == nil ? .live($0.recovery) : .cancelled }
        }
    }

    func cancel(_ digest: SecretDigest, from address: String?, at now: UnixTime) throws(StoreError) -> Bool {
        try database.write { world in
            let row = world.recoveries.values.first { $0.cancelDigest == digest }
            guard var row, row.cancelledAt == nil, row.recovery.expiresAt > now else { return false }
            let old = row.recovery
            row.cancelledAt = now
            row.recovery = Recovery(
                userID: old.userID, begunAt: min(old.begunAt, now), readyAt: old.readyAt,
                expiresAt: now + Limits.recoveryPauseSeconds)
            world.recoveries[old.userID] = row
            world.noteEnd(ofRecoveryOf: old.userID, .link, from: address, at: now)
            return true
        }
    }

    func finish(
        by allowed: consuming Allowed<Acts.RemoveAuthenticator>, epoch: Int64, notices: [WaitingMessage],
        event: AuditEvent, at now: UnixTime
    ) throws(StoreError) -> Bool {
        let grounds = allowed.grounds
        let user = grounds.user
        return try database.write { world in
            _ = try world.permitted(grounds)
            guard world.isCurrent(epoch, of: user), let row = world.recoveries[user], row.epoch == epoch,
                row.cancelledAt == nil, row.recovery.isReady(at: now)
            else { return false }
            world.recoveries[user] = nil
            world.passkeys = world.passkeys.filter { $0.value.userID != user }
            world.authenticators = world.authenticators.filter { $0.value.owner != .user(user) }
            world.recoveryCodes[user] = nil
            world.end(RevocationScope(.credentialChanged, at: now), of: user)
            for notice in notices { world.enqueue(notice) }
            world.append([event])
            return true
        }
    }

    func addresses(of user: UserID, provedAfter since: UnixTime) throws(StoreError) -> Set<Identifier> {
        try database.read { world in
            let new = (world.newAddresses[user] ?? [:]).filter { $0.value.provedAt > since }
            return Set(new.keys.filter { $0.kind != .username })
        }
    }
}

extension RecoveryRow {
    /// Whether it is not over, and no wrong clock's.
    fileprivate func counts(at now: UnixTime) -> Bool {
        recovery.expiresAt > now && recovery.begunAt <= now + Limits.clockSkewSeconds
    }
}

extension StoreWorld {
    /// Ends the recovery of a user, if one is under way.
    mutating func endRecovery(of user: UserID, _ reason: RecoveryEnd, at now: UnixTime) {
        guard let row = recoveries[user], row.cancelledAt == nil else { return }
        recoveries[user] = nil
        if row.recovery.expiresAt > now { noteEnd(ofRecoveryOf: user, reason, from: nil, at: now) }
    }

    fileprivate mutating func noteEnd(
        ofRecoveryOf user: UserID, _ reason: RecoveryEnd, from address: String?, at now: UnixTime
    ) {
        append([AuditEvent(.recoveryCancelled, at: now, userID: user, address: address, reason: reason.word)])
    }
}
