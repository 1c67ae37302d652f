public import KeyturnBase
public import KeyturnWire
internal import Model
internal import SignIn

/// Opens existing keys: with the user's secret, which is counted, or with the long secret.
extension KeyService {
    /// What to do with the key if the secret is right.
    private enum Wish {
        case use
        case replace(Secret)
        case remove
    }

    /// `key` with the user's secret.
    ///
    /// - Throws: ``KeyServiceProblem``, ``StoreError``.
    public func open(_ id: String?, secret: Secret?, from caller: Caller) async throws -> KeyServiceAnswer {
        try await attempt(id, secret, .use, caller)
    }

    /// `changesecret`: the same key and long secret, with a new secret from now on.
    public func change(_ id: String?, secret: Secret?, to next: Secret?, from caller: Caller) async throws
        -> KeyServiceAnswer
    {
        try await attempt(id, secret, .replace(try Self.checked(next, "newsecret")), caller)
    }

    /// `deletekey` with the user's secret.
    public func delete(_ id: String?, secret: Secret?, from caller: Caller) async throws {
        _ = try await attempt(id, secret, .remove, caller)
    }

    /// `key` with the long secret.
    public func open(_ id: String?, longSecret: Secret, from caller: Caller) async throws -> KeyServiceAnswer {
        let (key, opened) = try await opened(id, longSecret, caller)
        guard
            try await stores.dataKeys.use(
                key.id, realm: caller.realm, .used(nil), from: caller.network, at: ambient.now())
        else {
            throw try await refusal(of: key, caller)
        }
        return Self.answer(key, opened)
    }

    /// `deletekey` with the long secret.
    public func delete(_ id: String?, longSecret: Secret, from caller: Caller) async throws {
        let (key, _) = try await opened(id, longSecret, caller)
        let now = ambient.now()
        guard try await stores.dataKeys.use(key.id, realm: caller.realm, .removed, from: caller.network, at: now) else {
            throw try await refusal(of: key, caller)
        }
        record(.dataKeyDeleted, key, caller, reason: "long_secret", at: now)
    }

    private func attempt(_ id: String?, _ secret: Secret?, _ wish: Wish, _ caller: Caller) async throws
        -> KeyServiceAnswer
    {
        let secret = try Self.checked(secret, "secret")
        let id = try Self.checked(id)
        // A locked key is refused at once, without waiting in the queue.
        _ = try await readable(id, caller)
        let answer = try await turns.inTurn(id) {
            try await queue.inTurn(caller.site, id) { try await attemptInTurn(id, secret, wish, caller) }
        }
        guard let answer = answer ?? nil else { throw KeyServiceProblem.unavailable }
        return answer
    }

    /// Counts, then compares, then stores the result. Every failure on the way costs an attempt, except where it is
    /// certain that nothing was compared.
    private func attemptInTurn(_ id: String, _ secret: Secret, _ wish: Wish, _ caller: Caller) async throws
        -> KeyServiceAnswer
    {
        let known = try await readable(id, caller)
        // Requests of strangers behind the same address must not block a key that was last opened there.
        let isAtHome = known.usedFrom == caller.network
        let guesses = isAtHome ? [] : [Self.guesses(caller)]
        let charges = [isAtHome ? Self.attempts(at: id) : Self.attempts(caller)] + guesses
        let attempt = try await begin(id, charges, caller)
        let next: Secret? = if case .replace(let secret) = wish { secret } else { nil }
        let verdict: DataKeySeal.Verdict
        do {
            verdict = try await pool.run { [seal] in seal.open(attempt.key, secret: secret, replacedBy: next) }
        } catch {
            verdict = .undecided
        }
        let now = ambient.now()
        switch verdict {
        case .right(let opened, let wraps):
            let change: KeyChange = if case .remove = wish { .removed } else { .used(wraps) }
            let isDone = try await patiently {
                try await stores.dataKeys.succeed(
                    attempt, change, from: caller.network, refunding: guesses.map(\.key), at: now)
            }
            guard isDone else { throw try await refusal(of: attempt.key, caller) }
            switch wish {
            case .use: break
            case .replace: record(.dataKeySecretChanged, attempt.key, caller, at: now)
            case .remove: record(.dataKeyDeleted, attempt.key, caller, reason: "secret", at: now)
            }
            return Self.answer(attempt.key, opened, failedAttempts: Int(attempt.key.failures) - 1)
        case .wrong:
            throw try await failure(of: attempt, caller, at: now)
        case .undecided:
            try await patiently { try await stores.dataKeys.withdraw(attempt, refunding: charges.map(\.key), at: now) }
            throw KeyServiceProblem.unavailable
        }
    }

    /// Tries again while the database does not answer: a right secret must not count as wrong because of a backup.
    private func patiently<Answer: Sendable>(_ write: () async throws -> Answer) async throws -> Answer {
        for _ in 0..<Limits.keyWritesMax - 1 {
            do {
                return try await write()
            } catch {
                // The client may have given up, but a right secret is recorded all the same.
                try? await Task.sleep(for: .seconds(1))
            }
        }
        return try await write()
    }

    private func begin(_ id: String, _ charges: [RateLimitCharge], _ caller: Caller) async throws -> KeyAttempt {
        let end = ambient.uptime() + (stores.isShared ? Limits.keyTurnSeconds : 0)
        while true {
            if let attempt = try await begun(id, charges, caller) { return attempt }
            // Another server of the database has its turn.
            guard ambient.uptime() < end else { throw KeyServiceProblem.unavailable }
            try await Task.sleep(for: .milliseconds(50 + Int(ambient.randomBytes(1)[0]) / 2))
        }
    }

    /// - Returns: `nil` while another attempt is under way.
    private func begun(_ id: String, _ charges: [RateLimitCharge], _ caller: Caller) async throws -> KeyAttempt? {
        let now = ambient.now()
        switch try await stores.dataKeys.begin(id, realm: caller.realm, charges: charges, at: now) {
        case .begun(let attempt): return attempt
        case .busy: return nil
        case .unknown: throw KeyServiceProblem.unknownKey
        case .throttled(let until): throw throttled(caller, until: until, reason: "attempts", at: now)
        case .closed(let isNew):
            if isNew, let key = try await stores.dataKeys.key(id, realm: caller.realm) {
                record(.dataKeyLocked, key, caller, reason: "unheard_of", at: now)
            }
            throw KeyServiceProblem.locked
        }
    }

    private func failure(of attempt: KeyAttempt, _ caller: Caller, at now: UnixTime) async throws
        -> KeyServiceProblem
    {
        switch try await stores.dataKeys.fail(attempt, at: now) {
        case .left(let count):
            audit.recordOnce(
                AuditEvent(
                    .dataKeyWrongSecret, at: now, userID: attempt.key.userID, clientID: attempt.key.clientID,
                    address: caller.address?.text, target: attempt.key.id))
            return .wrongSecret(remaining: Int(count))
        case .gone: return .unknownKey
        case .locked(let isNew):
            if isNew { record(.dataKeyLocked, attempt.key, caller, reason: "wrong_secrets", at: now) }
            return .locked
        }
    }

    /// A key that a long secret opens. Only wrong ones are charged, so that an attacker cannot block the owner.
    private func opened(_ id: String?, _ longSecret: Secret, _ caller: Caller) async throws
        -> (StoredDataKey, DataKeySeal.Opened)
    {
        guard (1...Limits.longSecretBytesMax).contains(longSecret.exposed().utf8.count) else {
            throw KeyServiceProblem.invalid("longsecret is empty or too long")
        }
        let key = try await readable(try Self.checked(id), caller)
        if let opened = seal.open(key, longSecret: longSecret) { return (key, opened) }
        let now = ambient.now()
        let charges = [
            RateLimitCharge(
                "data-key:long:\(key.id)", max: Limits.longSecretGuessesMax, windowSeconds: Limits.keyWindowSeconds)
        ]
        if let until = try await stores.rateLimits.spend(charges, at: now) {
            throw throttled(caller, until: until, reason: "long_secrets", at: now)
        }
        throw KeyServiceProblem.wrongSecret(remaining: nil)
    }

    /// The key, if a secret could still open it.
    private func readable(_ id: String, _ caller: Caller) async throws -> StoredDataKey {
        guard let key = try await stores.dataKeys.key(id, realm: caller.realm) else {
            throw KeyServiceProblem.unknownKey
        }
        guard !key.isClosed else { throw KeyServiceProblem.locked }
        guard seal.canRead(key) else { throw KeyServiceProblem.unreadable }
        return key
    }

    /// Why a right secret came too late.
    private func refusal(of key: StoredDataKey, _ caller: Caller) async throws -> KeyServiceProblem {
        guard let present = try await stores.dataKeys.key(key.id, realm: caller.realm) else { return .unknownKey }
        return present.isClosed ? .locked : .unavailable
    }

    private static func answer(
        _ key: StoredDataKey, _ opened: DataKeySeal.Opened, failedAttempts: Int? = nil
    ) -> KeyServiceAnswer {
        KeyServiceAnswer(
            keyID: key.id, key: opened.key, longSecret: opened.longSecret, failedAttempts: failedAttempts)
    }

    private static func attempts(at id: String) -> RateLimitCharge {
        RateLimitCharge(
            "data-key:attempts:key:\(id)", max: Limits.keyAttemptsPerKeyMax, windowSeconds: Limits.keyWindowSeconds)
    }

    private static func attempts(_ caller: Caller) -> RateLimitCharge {
        RateLimitCharge(
            "data-key:attempts:\(caller.network)", max: Limits.keyAttemptsPerNetworkMax,
            windowSeconds: Limits.keyWindowSeconds)
    }

    private static func guesses(_ caller: Caller) -> RateLimitCharge {
        RateLimitCharge(
            "data-key:guesses:\(caller.network)", max: Limits.keyGuessesPerNetworkMax,
            windowSeconds: Limits.keyWindowSeconds)
    }

    private static func checked(_ id: String?) throws(KeyServiceProblem) -> String {
        guard let id, !id.isEmpty else { throw .invalid("keyid is missing or empty") }
        // No key has such a long name.
        guard id.utf8.count <= Limits.keyIDBytesMax else { throw .unknownKey }
        return id
    }
}
