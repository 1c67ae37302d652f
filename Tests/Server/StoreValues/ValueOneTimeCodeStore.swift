internal import KeyturnBase
internal import Model

/// One-time codes and the tries at them.
struct ValueOneTimeCodeStore: OneTimeCodeStore {
    let database: ValueDatabase

    func add(_ code: PendingCode, liveMax: Int, at now: UnixTime) throws(StoreError) {
        try database.write { world in
            if let user = code.facts.userID, world.users[user] == nil { throw StoreError(.conflict) }
            let key = CodeKey(slot: code.slot, digest: code.digest)
            world.codes[key] = CodeRow(facts: code.facts, createdAt: now, expiresAt: code.expiresAt)
            let others = world.codes.filter { $0.key.slot == code.slot && $0.key != key }.sorted { one, other in
                (one.value.createdAt, one.value.expiresAt) > (other.value.createdAt, other.value.expiresAt)
            }
            for (index, other) in others.enumerated()
            where index + 1 >= liveMax || other.value.expiresAt <= now - Limits.proofSeconds {
                world.codes[other.key] = nil
            }
        }
    }

    func redeem(_ attempt: CodeTry, windowSeconds: Int64, at now: UnixTime) throws(StoreError) -> CodeVerdict {
        try database.write { world in
            var toldUntil: UnixTime?
            var isSpent = false
            for count in attempt.counts {
                let row = world.note(count, windowSeconds: windowSeconds, at: now)
                guard row.tries > count.max else { continue }
                if count.isTold { toldUntil = max(toldUntil ?? row.endsAt, row.endsAt) } else { isSpent = true }
            }
            if let toldUntil { return .exhausted(retryAt: toldUntil) }
            guard !isSpent else { return .wrong }
            for digest in attempt.digests {
                let key = CodeKey(slot: attempt.slot, digest: digest)
                guard let row = world.codes.removeValue(forKey: key) else { continue }
                guard row.expiresAt > now else { return .expired }
                world.codes = world.codes.filter {
                    $0.key.slot != attempt.slot || $0.value.facts.purpose != row.facts.purpose
                }
                let slots = Set(attempt.counts.map(\.slot))
                world.codeTries = world.codeTries.filter { !slots.contains($0.key.slot) }
                return world.spendMessage(of: row.facts, at: now) ? .right(row.facts) : .wrong
            }
            return .wrong
        }
    }

    func exhausted(_ counts: [TryCount], at now: UnixTime) throws(StoreError) -> UnixTime? {
        try database.read { world in
            counts.compactMap { count in
                let row = world.codeTries[TryKey(slot: count.slot, party: count.party)]
                guard let row, row.tries >= count.max, row.endsAt > now else { return nil }
                return row.endsAt
            }.max()
        }
    }

    func removeAll(of user: UserID) throws(StoreError) {
        try database.write { world in world.codes = world.codes.filter { $0.value.facts.userID != user } }
    }
}

extension StoreWorld {
    /// Counts a try, before anything is compared.
    fileprivate mutating func note(_ count: TryCount, windowSeconds: Int64, at now: UnixTime) -> TryRow {
        let key = TryKey(slot: count.slot, party: count.party)
        var row = codeTries[key] ?? TryRow(tries: 0, endsAt: now)
        if row.endsAt <= now { row = TryRow(tries: 0, endsAt: now + windowSeconds) }
        row.tries += 1
        codeTries[key] = row
        return row
    }

    /// Removes the codes and links that would change an address of the user, and the clients that wait for them.
    mutating func removeAddressChanges(of user: UserID) {
        codes = codes.filter { $0.value.facts.userID != user || $0.value.facts.purpose != .update }
        for (digest, row) in links where row.userID == user && row.facts?.purpose == .update {
            links[digest] = nil
            if let reference = row.reference { pendingLinks[reference] = nil }
        }
    }
}
