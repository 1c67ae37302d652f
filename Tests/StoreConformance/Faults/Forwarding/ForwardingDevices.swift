import Authority
import KeyturnBase
import Model

/// Hands every call on to `base`. A fault conforms, and does one thing otherwise.
protocol ForwardingDeviceStore: DeviceStore {
    var base: any DeviceStore { get }
}

extension ForwardingDeviceStore {
    func add(_ authorization: DeviceAuthorization, userCode: SecretDigest) async throws(StoreError) -> Bool {
        try await base.add(authorization, userCode: userCode)
    }

    func authorization(userCode: [SecretDigest]) async throws(StoreError) -> DeviceAuthorization? {
        try await base.authorization(userCode: userCode)
    }

    func authorization(_ id: SecretDigest) async throws(StoreError) -> DeviceAuthorization? {
        try await base.authorization(id)
    }

    func allow(_ id: SecretDigest, _ grant: Grant, at now: UnixTime) async throws(StoreError) -> DeviceDecision {
        try await base.allow(id, grant, at: now)
    }

    func deny(_ id: SecretDigest, at now: UnixTime) async throws(StoreError) -> DeviceDecision {
        try await base.deny(id, at: now)
    }

    func poll(_ poll: DevicePoll, idleSeconds: Int64, at now: UnixTime) async throws(StoreError) -> DeviceAnswer {
        try await base.poll(poll, idleSeconds: idleSeconds, at: now)
    }
}

/// Hands every call on to `base`. A fault conforms, and does one thing otherwise.
protocol ForwardingBiometricStore: BiometricStore {
    var base: any BiometricStore { get }
}

extension ForwardingBiometricStore {
    func add(
        _ key: StoredBiometricKey, by allowed: consuming Allowed<Acts.AddDeviceKey>, in session: GrantID,
        challenge: ReplayMark, charge: RateLimitCharge, keysMax: Int, at now: UnixTime
    ) async throws(StoreError) -> BiometricAddition {
        try await base.add(
            key, by: allowed, in: session, challenge: challenge, charge: charge, keysMax: keysMax, at: now)
    }

    func key(_ id: String) async throws(StoreError) -> (key: StoredBiometricKey, user: User, hasAuthenticator: Bool)? {
        try await base.key(id)
    }

    func open(_ grant: Grant, by keyID: String, challenge: ReplayMark, charge: RateLimitCharge, at now: UnixTime)
        async throws(StoreError) -> BiometricOpening
    {
        try await base.open(grant, by: keyID, challenge: challenge, charge: charge, at: now)
    }

    func keys(of user: UserID) async throws(StoreError) -> [StoredBiometricKey] {
        try await base.keys(of: user)
    }

    func remove(_ id: String, by allowed: consuming Allowed<Acts.RemoveDeviceKey>, at now: UnixTime)
        async throws(StoreError) -> Bool
    {
        try await base.remove(id, by: allowed, at: now)
    }
}

/// Hands every call on to `base`. A fault conforms, and does one thing otherwise.
protocol ForwardingAnonymousStore: AnonymousStore {
    var base: any AnonymousStore { get }
}

extension ForwardingAnonymousStore {
    func signUp(
        _ user: User, key: StoredAnonymousKey?, opening grant: Grant, challenge: ReplayMark?,
        charges: [RateLimitCharge], by permission: borrowing Allowed<Acts.CreateAccount>, at now: UnixTime
    ) async throws(StoreError) -> AnonymousOpening {
        try await base.signUp(
            user, key: key, opening: grant, challenge: challenge, charges: charges, by: permission, at: now)
    }

    func open(
        _ grant: Grant, by keyID: String, challenge: ReplayMark, charge: RateLimitCharge, at now: UnixTime
    ) async throws(StoreError) -> AnonymousOpening {
        try await base.open(grant, by: keyID, challenge: challenge, charge: charge, at: now)
    }

    func key(_ id: String) async throws(StoreError) -> (key: StoredAnonymousKey, user: User)? {
        try await base.key(id)
    }

    func removeUnseen(since time: UnixTime, limit: Int, at now: UnixTime) async throws(StoreError) -> AnonymousRemoval {
        try await base.removeUnseen(since: time, limit: limit, at: now)
    }
}

/// Hands every call on to `base`. A fault conforms, and does one thing otherwise.
protocol ForwardingKeyServiceStore: KeyServiceStore {
    var base: any KeyServiceStore { get }
}

extension ForwardingKeyServiceStore {
    func add(_ key: StoredDataKey, name: SecretDigest?, at now: UnixTime) async throws(StoreError) -> KeyAddition {
        try await base.add(key, name: name, at: now)
    }

    func key(_ id: String, realm: String) async throws(StoreError) -> StoredDataKey? {
        try await base.key(id, realm: realm)
    }

    func key(named name: SecretDigest, at now: UnixTime) async throws(StoreError) -> String? {
        try await base.key(named: name, at: now)
    }

    func begin(_ id: String, realm: String, charges: [RateLimitCharge], at now: UnixTime) async throws(StoreError)
        -> KeyAttemptStart
    {
        try await base.begin(id, realm: realm, charges: charges, at: now)
    }

    func succeed(
        _ attempt: KeyAttempt, _ change: KeyChange, from network: String?, refunding buckets: [String], at now: UnixTime
    ) async throws(StoreError) -> Bool {
        try await base.succeed(attempt, change, from: network, refunding: buckets, at: now)
    }

    func fail(_ attempt: KeyAttempt, at now: UnixTime) async throws(StoreError) -> KeyFailure {
        try await base.fail(attempt, at: now)
    }

    func withdraw(_ attempt: KeyAttempt, refunding buckets: [String], at now: UnixTime) async throws(StoreError) {
        try await base.withdraw(attempt, refunding: buckets, at: now)
    }

    func use(_ id: String, realm: String, _ change: KeyChange, from network: String?, at now: UnixTime)
        async throws(StoreError) -> Bool
    {
        try await base.use(id, realm: realm, change, from: network, at: now)
    }

    func keys(of user: UserID, realm: String, clientID: String?, limit: Int) async throws(StoreError) -> [StoredDataKey]
    {
        try await base.keys(of: user, realm: realm, clientID: clientID, limit: limit)
    }

    func remove(_ id: String, of user: UserID, realm: String, clientID: String?) async throws(StoreError) -> Bool {
        try await base.remove(id, of: user, realm: realm, clientID: clientID)
    }

    func removeUnused(since oldest: UnixTime, neverSince oldestUnused: UnixTime, limit: Int) async throws(StoreError)
        -> Int
    {
        try await base.removeUnused(since: oldest, neverSince: oldestUnused, limit: limit)
    }
}
