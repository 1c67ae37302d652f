import Authority
import KeyturnBase
import Model

/// Hands every call on to `base`. A fault conforms, and does one thing otherwise.
protocol ForwardingRateLimitStore: RateLimitStore {
    var base: any RateLimitStore { get }
}

extension ForwardingRateLimitStore {
    func spend(_ charges: [RateLimitCharge], at now: UnixTime) async throws(StoreError) -> UnixTime? {
        try await base.spend(charges, at: now)
    }

    func refund(_ keys: [String], at now: UnixTime) async throws(StoreError) {
        try await base.refund(keys, at: now)
    }

    func clear(_ keys: [String]) async throws(StoreError) {
        try await base.clear(keys)
    }
}

/// Hands every call on to `base`. A fault conforms, and does one thing otherwise.
protocol ForwardingAttemptStore: AttemptStore {
    var base: any AttemptStore { get }
}

extension ForwardingAttemptStore {
    func count(_ keys: [String], windowSeconds: Int64, at now: UnixTime) async throws(StoreError) -> [AttemptCount] {
        try await base.count(keys, windowSeconds: windowSeconds, at: now)
    }

    func succeed(_ keys: [String], shared: String, known: [String], at now: UnixTime) async throws(StoreError) {
        try await base.succeed(keys, shared: shared, known: known, at: now)
    }

    func isKnown(_ key: String) async throws(StoreError) -> Bool {
        try await base.isKnown(key)
    }
}

/// Hands every call on to `base`. A fault conforms, and does one thing otherwise.
protocol ForwardingSpentStore: ReplayStore {
    var base: any ReplayStore { get }
}

extension ForwardingSpentStore {
    @discardableResult
    func spend(_ mark: ReplayMark) async throws(StoreError) -> Bool {
        try await base.spend(mark)
    }

    func spend(_ mark: ReplayMark, attempt: [UInt8]) async throws(StoreError) -> Bool {
        try await base.spend(mark, attempt: attempt)
    }
}

/// Hands every call on to `base`. A fault conforms, and does one thing otherwise.
protocol ForwardingRecoveryCodeStore: RecoveryCodeStore {
    var base: any RecoveryCodeStore { get }
}

extension ForwardingRecoveryCodeStore {
    func replace(by allowed: consuming Allowed<Acts.MakeRecoveryCodes>, with digests: [SecretDigest], at now: UnixTime)
        async throws(StoreError)
    {
        try await base.replace(by: allowed, with: digests, at: now)
    }

    func removeAll(by allowed: consuming Allowed<Acts.RemoveAuthenticator>, at now: UnixTime) async throws(StoreError) {
        try await base.removeAll(by: allowed, at: now)
    }

    func spend(_ digests: [SecretDigest], of user: UserID, at now: UnixTime) async throws(StoreError) -> Bool {
        try await base.spend(digests, of: user, at: now)
    }

    func count(of user: UserID) async throws(StoreError) -> Int {
        try await base.count(of: user)
    }
}
