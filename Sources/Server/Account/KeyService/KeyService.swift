public import KeyturnBase
public import KeyturnWire
public import Model
package import SignIn

/// The key service's rules: what stands between a PIN and a stolen telephone.
///
/// A device encrypts what it keeps with a data key that it does not keep. The key comes back for the person's secret, which
/// may be wrong three times in a row and is counted before it is looked at, or for the long secret that a fingerprint gives
/// the device. A long secret cannot be guessed, so wrong ones are not counted on the key: a stranger who learned a key's
/// name must not be able to lock its owner's touch out for nothing.
public struct KeyService: Sendable {
    let settings: KeyServiceSettings
    let stores: Stores
    let seal: DataKeySeal
    let pool: HashingPool
    let turns = PerKeyLock()
    let queue: FairQueue
    let audit: any AuditLog
    let ambient: Ambient

    package init(
        settings: KeyServiceSettings, stores: Stores, secrets: ServerSecrets, pool: HashingPool,
        parameters: Argon2Parameters, audit: any AuditLog, ambient: Ambient
    ) {
        self.settings = settings
        self.stores = stores
        self.pool = pool
        // Some write while others hash.
        queue = FairQueue(atOnce: pool.threads * 2)
        self.audit = audit
        self.ambient = ambient
        seal = DataKeySeal(secrets, parameters: parameters, ambient: ambient)
    }

    /// Where a request comes from, and for which keys.
    public struct Caller: Sendable {
        /// Empty: no realm.
        public let realm: String
        public let address: NetworkAddress?

        public init(realm: String, address: NetworkAddress?) {
            self.realm = realm
            self.address = address
        }

        var network: String { address?.network ?? "unknown" }
        var site: String { address?.site ?? "unknown" }
    }

    /// A person who showed an access token, and the client that it was issued to.
    public struct Owner: Hashable, Sendable {
        public let userID: UserID
        public let clientID: String
        /// Whether the client is the operator's own; somebody else's sees the keys that it made and no others.
        public let seesAll: Bool

        public init(userID: UserID, clientID: String, seesAll: Bool) {
            self.userID = userID
            self.clientID = clientID
            self.seesAll = seesAll
        }

        var visibleClientID: String? { seesAll ? nil : clientID }
    }

    /// Whether there is such a realm.
    public func knows(realm: String) -> Bool { settings.knows(realm: realm) }

    /// `createkey`: a new key, opened by `secret` from now on.
    ///
    /// - Parameters:
    ///   - owner: whose it becomes; `nil`: nobody's.
    ///   - name: of the request, if it may come twice: then the same key comes back for the same secret. Another secret
    ///     under the name is a wrong guess at that key, and counted as one: it would be a way around the count otherwise.
    /// - Throws: ``KeyServiceProblem``, ``StoreError``.
    public func create(_ secret: Secret?, owner: Owner?, name: String?, from caller: Caller) async throws
        -> KeyServiceAnswer
    {
        let secret = try Self.checked(secret, "secret")
        let digest = try name.map { try Self.digest($0, owner, caller) }
        let now = ambient.now()
        if let digest, let id = try await stores.dataKeys.key(named: digest, at: now) {
            return try await open(id, secret: secret, from: caller)
        }
        let charge = Self.charge(for: owner, caller)
        if let until = try await stores.budgets.spend([charge], at: now) {
            throw throttled(caller, until: until, reason: "made", at: now)
        }
        let id = ambient.randomToken(byteCount: 16)
        let hashed = try? await queue.inTurn(caller.site, "") {
            try await pool.run { [seal] in seal.make(id, realm: caller.realm, secret: secret) }
        }
        guard let made = hashed ?? nil else {
            try await stores.budgets.refund([charge.key], at: now)
            throw KeyServiceProblem.unavailable
        }
        let key = StoredDataKey(
            id: id, realm: caller.realm, userID: owner?.userID, clientID: owner?.clientID, wraps: made.wraps,
            createdAt: now)
        switch try await stores.dataKeys.add(key, name: digest, at: now) {
        case .added:
            record(.dataKeyCreated, key, caller, at: now)
            return KeyServiceAnswer(keyID: id, key: made.opened.key, longSecret: made.opened.longSecret)
        case .repeated(let id):
            // The same request, at the same time.
            return try await open(id, secret: secret, from: caller)
        }
    }

    /// The keys of a person, newest first.
    public func keys(of owner: Owner, in realm: String) async throws(StoreError) -> [KeyServiceEntry] {
        try await stores.dataKeys.keys(
            of: owner.userID, realm: realm, clientID: owner.visibleClientID, limit: Limits.keysListedMax
        ).map { key in
            let left = max(0, Limits.keyAttemptsMax - key.failures)
            return KeyServiceEntry(
                keyID: key.id, createdAt: key.createdAt, usedAt: key.usedAt, isLocked: key.isClosed,
                remainingAttempts: key.isClosed ? 0 : Int(left))
        }
    }

    /// Removes one of a person's keys, locked or not.
    ///
    /// - Returns: `false` if it is not theirs.
    public func remove(_ id: String, of owner: Owner, from caller: Caller) async throws(StoreError) -> Bool {
        let isRemoved = try await stores.dataKeys.remove(
            id, of: owner.userID, realm: caller.realm, clientID: owner.visibleClientID)
        guard isRemoved else { return false }
        audit.record(
            AuditEvent(
                .dataKeyDeleted, at: ambient.now(), userID: owner.userID, clientID: owner.clientID,
                address: caller.address?.text, reason: "owner", target: id))
        return true
    }

    /// Removes at most `limit` keys that nobody used for a long time.
    ///
    /// - Returns: how many.
    package func removeUnused(limit: Int) async throws(StoreError) -> Int {
        let now = ambient.now()
        let seconds = Int64(settings.unusedDays) * 86_400
        return try await stores.dataKeys.removeUnused(
            since: now - seconds, neverSince: now - min(seconds, Limits.keyNeverUsedSeconds), limit: limit)
    }

    func record(
        _ kind: AuditEvent.Kind, _ key: StoredDataKey, _ caller: Caller, reason: String? = nil, at now: UnixTime
    ) {
        audit.record(
            AuditEvent(
                kind, at: now, userID: key.userID, clientID: key.clientID, address: caller.address?.text,
                reason: reason, target: key.id))
    }

    /// Writes down that somebody asks for too much.
    func throttled(_ caller: Caller, until: UnixTime, reason: String, at now: UnixTime) -> KeyServiceProblem {
        audit.recordOnce(
            AuditEvent(.dataKeyThrottled, at: now, address: caller.address?.text, reason: reason))
        return .tooMany(retryAfterSeconds: max(1, until.seconds(since: now)))
    }

    static func checked(_ secret: Secret?, _ name: String) throws(KeyServiceProblem) -> Secret {
        guard let secret, !secret.exposed().isEmpty else { throw .invalid("\(name) is missing or empty") }
        guard secret.exposed().utf8.count <= Limits.keySecretBytesMax else {
            throw .invalid("\(name) is longer than \(Limits.keySecretBytesMax) bytes")
        }
        return secret
    }

    /// Whoever shows whose the key is pays from their own purse; everybody else from their network's.
    private static func charge(for owner: Owner?, _ caller: Caller) -> RateLimitCharge {
        owner.map {
            RateLimitCharge(
                "data-key:made:user:\($0.userID.rawValue):\($0.clientID)", max: Limits.keysMadePerUserMax,
                windowSeconds: Limits.keyWindowSeconds)
        }
            ?? RateLimitCharge(
                "data-key:made:network:\(caller.network)", max: Limits.keysMadePerNetworkMax,
                windowSeconds: Limits.keyWindowSeconds)
    }

    /// Names are the client's own: one of another realm or person is another one.
    private static func digest(_ name: String, _ owner: Owner?, _ caller: Caller) throws(KeyServiceProblem)
        -> SecretDigest
    {
        guard Limits.idempotencyKeyBytes.contains(name.utf8.count),
            name.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            let bounds = Limits.idempotencyKeyBytes
            throw .invalid(
                "the idempotency key is not \(bounds.lowerBound) to \(bounds.upperBound) characters of ASCII without blanks"
            )
        }
        let whose = owner?.userID.rawValue ?? ""
        return SecretDigest(of: Secret("\(caller.realm)\u{0}\(whose.utf8.count):\(whose)\(name)"))
    }
}
