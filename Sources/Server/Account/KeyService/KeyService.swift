public import KeyturnBase
public import KeyturnWire
public import Model
package import SignIn

/// The rules of the key service, which protect data with a short PIN even if the device is stolen.
///
/// A device encrypts its data with a data key that it does not store. The key is returned for the user's secret, which
/// may be wrong three times in a row and is counted before it is compared, or for the long secret, which the device
/// unlocks by a fingerprint. A long secret cannot be guessed, so wrong ones are not counted on the key: otherwise a
/// stranger who knows a key's name could lock out its owner's fingerprint or face.
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
        // Some requests write while others hash.
        queue = FairQueue(atOnce: pool.threads * 2)
        self.audit = audit
        self.ambient = ambient
        seal = DataKeySeal(secrets, parameters: parameters, ambient: ambient)
    }

    /// The origin of a request, and its realm.
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

    /// A user with an access token, and the client that it was issued to.
    public struct Owner: Hashable, Sendable {
        public let userID: UserID
        public let clientID: String
        /// Whether the client is the operator's own; another client sees only the keys that it made.
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
    ///   - owner: the new key's owner; `nil`: none.
    ///   - name: of the request, if it may be repeated: a repetition returns the same key for the same secret. Another
    ///     secret under the name counts as a wrong guess at that key: otherwise it would avoid the count.
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
        if let until = try await stores.rateLimits.spend([charge], at: now) {
            throw throttled(caller, until: until, reason: "made", at: now)
        }
        let id = ambient.randomToken(byteCount: 16)
        let hashed = try? await queue.inTurn(caller.site, "") {
            try await pool.run { [seal] in seal.make(id, realm: caller.realm, secret: secret) }
        }
        guard let made = hashed ?? nil else {
            try await stores.rateLimits.refund([charge.key], at: now)
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
            // The same request arrived twice at the same time.
            return try await open(id, secret: secret, from: caller)
        }
    }

    /// The keys of a user, newest first.
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

    /// Removes a key of a user, locked or not.
    ///
    /// - Returns: `false` if it is not the user's.
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

    /// Removes at most `limit` keys that were not used for a long time.
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

    /// Records that a client sends too many requests.
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

    /// The charge for a new key: on the owner's rate limit if the owner is known, otherwise on the network's.
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

    /// Names are chosen by clients: the same name of another realm or user is a different one.
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
