import Authority
import KeyturnBase
import Model
import Synchronization

extension Fault {
    static let limits = [
        Fault("clients are counted first, and registered then") {
            $0.replacing(clients: CountsThenRegisters(base: $0.clients))
        } check: {
            try await ClientTests()
                .`of a hundred registrations as many count as there is room, and a change needs the token`($0)
        },
        Fault("waiting requests are counted outside of the transaction") {
            $0.replacing(pushedRequests: CountsOutside(base: $0.pushedRequests))
        } check: {
            try await PushedRequestTests().`of a hundred requests at once as many wait as may`($0)
        },
        Fault("a limit is looked at first, and charged then") {
            $0.replacing(rateLimits: LooksThenCharges(base: $0.rateLimits))
        } check: {
            try await RateLimitTests().`90: of a hundred parallel spendings no more succeed than the limit allows`($0)
        },
        Fault("what was refused is charged, too") {
            $0.replacing(rateLimits: ChargesRefusals(base: $0.rateLimits))
        } check: {
            try await RateLimitTests()
                .`several limits are charged in order until one is empty, and what was refused was not spent`($0)
        },
        Fault("a good attempt forgets the shared count") {
            $0.replacing(attempts: ForgetsSharedCounts(base: $0.attempts))
        } check: {
            try await AttemptTests().`attack 80: good attempts do not count against a network, nor wipe out bad ones`(
                $0)
        },
        Fault("a mark is looked up first, and spent then") {
            let known = KnownMarks()
            return $0.replacing(spent: LooksUpThenSpends(base: $0.spent, known: known))
        } check: {
            try await SpentTests().`of a hundred spendings of one mark one counts`($0)
        },
        Fault("recovery codes are counted first, and spent then") {
            $0.replacing(recoveryCodes: CountsThenSpends(base: $0.recoveryCodes))
        } check: {
            try await RecoveryCodeTests()
                .`86: of a hundred parallel submissions of one recovery code one succeeds`($0)
        },
        Fault("tries at one-time codes are not counted") {
            $0.replacing(codes: CountsNoTries(base: $0.codes))
        } check: {
            try await OneTimeCodeTests()
                .`85: of a hundred parallel guesses no more are compared than may be tried`($0)
        },
    ]
}

private struct CountsThenRegisters: ForwardingClientStore {
    let base: any ClientStore

    func register(
        _ client: Client, by permission: borrowing Allowed<Acts.RegisterClient>, max: Int, at now: UnixTime
    ) async throws(StoreError) -> Bool {
        let count = try await base.all(limit: 1_000).count { $0.registration != nil }
        guard count < max else { return false }
        await Fault.pause()
        return try await base.register(client, by: permission, max: .max, at: now)
    }
}

private final class CountsOutside: ForwardingPushedRequestStore {
    let base: any PushedRequestStore
    private let count = Mutex(0)

    init(base: any PushedRequestStore) {
        self.base = base
    }

    func add(_ request: PushedRequest, max: Int?, at now: UnixTime) async throws(StoreError) -> Bool {
        if let max, count.withLock({ $0 >= max }) { return false }
        await Fault.pause()
        count.withLock { $0 += 1 }
        return try await base.add(request, max: nil, at: now)
    }
}

private struct LooksThenCharges: ForwardingRateLimitStore {
    let base: any RateLimitStore

    func spend(_ charges: [RateLimitCharge], at now: UnixTime) async throws(StoreError) -> UnixTime? {
        let looks = charges.map { RateLimitCharge($0.key, max: $0.max, windowSeconds: $0.windowSeconds, cost: 0) }
        if let until = try await base.spend(looks, at: now) { return until }
        await Fault.pause()
        let free = charges.map {
            RateLimitCharge($0.key, max: .max - 1, windowSeconds: $0.windowSeconds, cost: $0.cost)
        }
        return try await base.spend(free, at: now)
    }
}

private struct ChargesRefusals: ForwardingRateLimitStore {
    let base: any RateLimitStore

    func spend(_ charges: [RateLimitCharge], at now: UnixTime) async throws(StoreError) -> UnixTime? {
        let until = try await base.spend(charges, at: now)
        guard until != nil else { return nil }
        let free = charges.map {
            RateLimitCharge($0.key, max: .max - 1, windowSeconds: $0.windowSeconds, cost: $0.cost)
        }
        _ = try await base.spend(free, at: now)
        return until
    }
}

private struct ForgetsSharedCounts: ForwardingAttemptStore {
    let base: any AttemptStore

    func succeed(_ keys: [String], shared: String, known: [String], at now: UnixTime) async throws(StoreError) {
        try await base.succeed(keys + [shared], shared: shared, known: known, at: now)
    }
}

/// What was spent, as a cache beside the database remembers it.
private final class KnownMarks: Sendable {
    private let digests = Mutex<Set<[UInt8]>>([])

    func contains(_ mark: ReplayMark) -> Bool { digests.withLock { $0.contains(mark.digest) } }

    func insert(_ mark: ReplayMark) { digests.withLock { _ = $0.insert(mark.digest) } }
}

private struct LooksUpThenSpends: ForwardingSpentStore {
    let base: any ReplayStore
    let known: KnownMarks

    func spend(_ mark: ReplayMark) async throws(StoreError) -> Bool {
        guard !known.contains(mark) else { return false }
        await Fault.pause()
        known.insert(mark)
        try await base.spend(mark)
        return true
    }
}

private struct CountsThenSpends: ForwardingRecoveryCodeStore {
    let base: any RecoveryCodeStore

    func spend(_ digests: [SecretDigest], of user: UserID, at now: UnixTime) async throws(StoreError) -> Bool {
        guard try await base.count(of: user) > 1 else { return false }
        await Fault.pause()
        _ = try await base.spend(digests, of: user, at: now)
        return true
    }
}

private struct CountsNoTries: ForwardingOneTimeCodeStore {
    let base: any OneTimeCodeStore

    func redeem(_ attempt: CodeTry, windowSeconds: Int64, at now: UnixTime) async throws(StoreError) -> CodeVerdict {
        let uncounted = CodeTry(slot: attempt.slot, digests: attempt.digests, counts: [])
        return try await base.redeem(uncounted, windowSeconds: windowSeconds, at: now)
    }
}
