internal import KeyturnBase
internal import Model

/// Counts of failures.
struct ValueAttemptStore: AttemptStore {
    let database: ValueDatabase

    func count(_ keys: [String], windowSeconds: Int64, at now: UnixTime) throws(StoreError) -> [AttemptCount] {
        try database.write { world in
            var counts: [String: AttemptCount] = [:]
            for key in Set(keys) { counts[key] = world.count(key, windowSeconds: windowSeconds, at: now) }
            return keys.compactMap { counts[$0] }
        }
    }

    func isKnown(_ key: String) throws(StoreError) -> Bool {
        try database.read { $0.attempts[key]?.knownAt != nil }
    }

    func succeed(_ keys: [String], shared: String, known: [String], at now: UnixTime) throws(StoreError) {
        try database.write { world in
            for key in Set(keys) {
                world.attempts[key]?.failures = 0
                world.attempts[key]?.previousAt = nil
            }
            if let failures = world.attempts[shared]?.failures {
                world.attempts[shared]?.failures = max(0, failures - 1)
            }
            for key in Set(known) {
                world.attempts[key, default: AttemptRow(failures: 0, lastAt: now)].knownAt = now
            }
        }
    }
}

extension StoreWorld {
    fileprivate mutating func count(_ key: String, windowSeconds: Int64, at now: UnixTime) -> AttemptCount {
        var row = AttemptRow(failures: 1, lastAt: now)
        if let before = attempts[key] {
            let isOver = before.lastAt <= now - windowSeconds
            row.previousAt = before.failures == 0 || isOver ? nil : before.lastAt
            row.failures = isOver ? 1 : before.failures + 1
            row.knownAt = before.knownAt
        }
        attempts[key] = row
        return AttemptCount(
            key: key, failures: row.failures, previousAt: row.previousAt, isKnown: row.knownAt != nil)
    }

    /// Removes the counts at an account that is deleted: their keys name its addresses. Those of networks stay.
    mutating func forgetAttempts(at account: Account) {
        let id = account.user.id
        let former = (formerIdentifiers[id] ?? []).map { Identifier(kind: $0.kind, storedValue: $0.value) }
        let names = Set(Array(account.identifiers.keys) + former)
        let subjects =
            names.flatMap { [AttemptSubject.account($0), AttemptSubject.unassigned($0)] }
            + [AttemptSubject.secondFactor(of: id), AttemptSubject.owner(id)]
        attempts = attempts.filter { row in
            !subjects.contains { row.key == $0 || row.key.hasPrefix("\($0)@") }
        }
    }
}
