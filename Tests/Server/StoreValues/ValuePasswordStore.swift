internal import Authority
internal import KeyturnBase
internal import Model

/// The state of passwords beside the hash.
struct ValuePasswordStore: PasswordStore {
    let database: ValueDatabase

    func state(of user: UserID) throws(StoreError) -> PasswordState {
        try database.read { $0.passwords[user]?.state ?? PasswordState() }
    }

    func set(_ change: PasswordChange, by allowed: consuming Allowed<Acts.SetPassword>, at now: UnixTime)
        throws(StoreError) -> Bool
    {
        let grounds = allowed.grounds
        let user = grounds.user
        let isReset =
            change.origin == .address || change.origin == .strong && allowed.caller.kind != .session
        return try database.write { world in
            let old = try world.permitted(grounds).passwordHash
            if let expected = change.replacing, old != expected { return false }
            var row = world.passwords[user] ?? PasswordRow()
            if let old { row.state.history = Array(([old] + row.state.history).prefix(change.historyMax)) }
            if old != nil, isReset { world.withdrawConsents(of: user, since: row.state.setAt) }
            row.hash = change.hash
            row.state.setAt = now
            row.state.mustReplace = change.mustReplace
            switch change.origin {
            case .formerPassword: break
            case .address: row.state.resetAt = now
            case .strong: row.state.resetAt = nil
            }
            world.passwords[user] = row
            if grounds.isOfOthers { world.noteOthers(user, areOperators: grounds.isOfOperator, at: now) }
            world.end(RevocationScope(change, at: now), of: user)
            return true
        }
    }

    func expire(by allowed: consuming Allowed<Acts.ExpirePassword>, at now: UnixTime) throws(StoreError) -> Bool {
        let grounds = allowed.grounds
        return try database.write { world in
            guard try world.permitted(grounds).passwordHash != nil else { return false }
            world.passwords[grounds.user]?.state.setAt = now
            world.passwords[grounds.user]?.state.mustReplace = true
            return true
        }
    }

    func foreignHash(from start: String) throws(StoreError) -> String? {
        try database.read { world in
            let foreign = world.passwords.values.compactMap(\.hash).filter { hash in
                !hash.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$") && !Self.precedes(hash, start)
            }
            return foreign.min(by: Self.precedes)
        }
    }

    private static func precedes(_ one: String, _ other: String) -> Bool {
        one.utf8.lexicographicallyPrecedes(other.utf8)
    }

    func void(
        by allowed: consuming Allowed<Acts.VoidCredentials>, keeping reference: SecretDigest?, at now: UnixTime
    ) throws(StoreError) {
        let grounds = allowed.grounds
        let user = grounds.user
        try database.write { world in
            _ = try world.permitted(grounds)
            world.voidCredentials(of: user, keeping: reference, at: now)
        }
    }
}

extension StoreWorld {
    /// What a stranger, or an operator, may have set up goes.
    mutating func voidCredentials(of user: UserID, keeping reference: SecretDigest?, at now: UnixTime) {
        for identity in identities(of: user) { withdrawRoles(givenBy: identity) }
        endBrought(of: user, at: now)
        passwords[user] = nil
        authenticators = authenticators.filter { $0.value.owner != .user(user) }
        recoveryCodes[user] = nil
        passkeys = passkeys.filter { $0.value.userID != user }
        identities = identities.filter { $0.value.userID != user }
        consents = consents.filter { $0.key.userID != user }
        pastSignIns[user] = nil
        users[user]?.user.acceptances = [:]
        users[user]?.voidedAt = now
        users[user]?.user.disputedAt = nil
        var scope = RevocationScope(.credentialChanged, at: now)
        scope.keptReference = reference
        end(scope, of: user)
    }

    /// Who resets a password may do so because a thief has it, or has set it.
    fileprivate mutating func withdrawConsents(of user: UserID, since time: UnixTime?) {
        for (key, row) in consents where key.userID == user {
            consents[key] = row.before(time ?? UnixTime(rawValue: 0))
        }
    }

    /// Removes the password, which stays among the earlier ones. It can only be reset.
    mutating func removePassword(of user: UserID) {
        guard let hash = passwords[user]?.hash else { return }
        passwords[user]?.hash = nil
        passwords[user]?.state.history.insert(hash, at: 0)
    }
}
