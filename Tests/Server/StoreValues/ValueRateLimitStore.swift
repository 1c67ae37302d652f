internal import KeyturnBase
internal import Model

/// The charges of rate limits.
struct ValueRateLimitStore: RateLimitStore {
    let database: ValueDatabase

    func spend(_ charges: [RateLimitCharge], at now: UnixTime) throws(StoreError) -> UnixTime? {
        try database.write { $0.spend(charges, at: now) }
    }

    func refund(_ keys: [String], at now: UnixTime) throws(StoreError) {
        try database.write { world in
            for key in keys {
                guard let row = world.rateLimits[key], row.endsAt > now else { continue }
                world.rateLimits[key]?.spent = max(0, row.spent - 1)
            }
        }
    }

    func clear(_ keys: [String]) throws(StoreError) {
        try database.write { world in
            for key in keys { world.rateLimits[key] = nil }
        }
    }
}

extension StoreWorld {
    /// - Returns: when the exhausted limit allows it again; `nil`: all allowed it.
    mutating func spend(_ charges: [RateLimitCharge], at now: UnixTime) -> UnixTime? {
        for charge in charges {
            if let known = charge.unlessKnown, attempts[known]?.knownAt != nil { continue }
            var row = rateLimits[charge.key] ?? RateLimitRow(spent: 0, endsAt: now)
            if row.endsAt <= now { row = RateLimitRow(spent: 0, endsAt: now + charge.windowSeconds) }
            let isRefused = row.spent + 1 > charge.max
            // A refused charge is taken back, so that one refund equals one charge.
            if !isRefused { row.spent += charge.cost }
            rateLimits[charge.key] = row
            if isRefused { return row.endsAt }
        }
        return nil
    }

    /// A message that can be answered in two ways has a limit of one: only the first answer is accepted.
    ///
    /// - Returns: whether this answer is the first. Always, for a message with only one way.
    mutating func spendMessage(of facts: VerificationFacts, at now: UnixTime) -> Bool {
        guard let id = facts.messageID else { return true }
        guard rateLimits["message:\(id)"] == nil else { return false }
        rateLimits["message:\(id)"] = RateLimitRow(spent: 1, endsAt: now + Limits.proofSeconds)
        return true
    }

    /// Whether the same message was already answered in the other way.
    func isMessageSpent(_ facts: VerificationFacts) -> Bool {
        facts.messageID.map { rateLimits["message:\($0)"] != nil } ?? false
    }
}
