internal import Authority
internal import KeyturnBase
internal import Model

/// Secrets of authenticator apps.
struct ValueTOTPStore: TOTPStore {
    let database: ValueDatabase

    func add(
        _ authenticator: StoredTOTP, by allowed: consuming Allowed<Acts.AddAuthenticator>, replaces: Bool,
        pendingMax: Int, expiresAt: UnixTime, at now: UnixTime
    ) throws(StoreError) -> Bool {
        let grounds = allowed.grounds
        return try database.write { world in
            let account = try world.permitted(grounds)
            guard replaces || !account.hasStrongFactor else { return false }
            try world.insert(
                authenticator, of: .user(grounds.user), pendingMax: pendingMax, expiresAt: expiresAt, at: now)
            if grounds.isOfOthers { world.noteOthers(grounds.user, at: now) }
            return true
        }
    }

    func add(
        _ authenticator: StoredTOTP, toSignUpOf loginID: Identifier, pendingMax: Int, expiresAt: UnixTime,
        at now: UnixTime
    ) throws(StoreError) {
        try database.write { world in
            try world.insert(
                authenticator, of: .signUp(loginID), pendingMax: pendingMax, expiresAt: expiresAt, at: now)
        }
    }

    func authenticators(of owner: AuthenticatorOwner, at now: UnixTime) throws(StoreError) -> [StoredTOTP] {
        try database.read { world in
            let valid = world.authenticators.values.filter { row in
                row.owner == owner && row.expiresAt.map { $0 > now } ?? true
            }
            return valid.map(\.stored).sorted { $0.isBefore($1) }
        }
    }

    func accept(step: Int64, of id: [UInt8], at now: UnixTime) throws(StoreError) -> Bool {
        try database.write { world in
            guard var row = world.authenticators[id], world.accepts(row, step: step, at: now) else { return false }
            let stored = row.stored
            row.stored = stored.stored(
                isConfirmed: true, usedStep: step, facts: stored.facts, begunIn: stored.begunIn,
                at: stored.isConfirmed ? stored.createdAt : now)
            if case .user(let user) = row.owner {
                row.expiresAt = nil
                let isReplacing = world.authenticators.values.contains {
                    $0.owner == row.owner && $0.stored.id != id && $0.stored.isConfirmed
                }
                let codes = world.recoveryCodes[user] ?? [:]
                world.recoveryCodes[user] = codes.filter { code in
                    !isReplacing && row.stored.createdAt.map { code.value >= $0 } ?? true
                }
                world.authenticators = world.authenticators.filter { $0.value.owner != row.owner || $0.key == id }
                world.endRecovery(of: user, .factorUsed, at: now)
            }
            world.authenticators[id] = row
            return true
        }
    }

    func removeAll(by allowed: consuming Allowed<Acts.RemoveAuthenticator>, at now: UnixTime) throws(StoreError) -> Bool
    {
        let grounds = allowed.grounds
        return try database.write { world in
            let isConfirmed = try world.permitted(grounds).hasAuthenticator
            world.authenticators = world.authenticators.filter { $0.value.owner != .user(grounds.user) }
            if isConfirmed { world.endRecovery(of: grounds.user, .factorsChanged, at: now) }
            return isConfirmed
        }
    }
}

extension StoredTOTP {
    /// The confirmed one first, then the newest.
    fileprivate func isBefore(_ other: StoredTOTP) -> Bool {
        guard isConfirmed == other.isConfirmed else { return isConfirmed }
        guard let createdAt, let its = other.createdAt else { return createdAt != nil }
        return createdAt > its
    }
}

extension StoreWorld {
    /// Gives a user a confirmed authenticator, unless there is one.
    mutating func addFirst(_ authenticator: StoredTOTP?, of user: UserID, at now: UnixTime) throws(StoreError) {
        guard let authenticator, !hasAuthenticator(user) else { return }
        guard authenticators[authenticator.id] == nil else { throw StoreError(.conflict) }
        authenticators[authenticator.id] = AuthenticatorRow(
            stored: authenticator.stored(
                isConfirmed: true, usedStep: authenticator.usedStep, facts: nil, begunIn: nil, at: now),
            owner: .user(user))
    }

    fileprivate mutating func insert(
        _ authenticator: StoredTOTP, of owner: AuthenticatorOwner, pendingMax: Int, expiresAt: UnixTime,
        at now: UnixTime
    ) throws(StoreError) {
        let id = authenticator.id
        guard authenticators[id] == nil else { throw StoreError(.conflict) }
        authenticators[id] = AuthenticatorRow(
            stored: authenticator.stored(
                isConfirmed: false, usedStep: authenticator.usedStep, facts: authenticator.facts,
                begunIn: authenticator.begunIn, at: now),
            owner: owner, expiresAt: expiresAt)
        let others = authenticators.values.filter { $0.owner == owner && !$0.stored.isConfirmed && $0.stored.id != id }
        for row in others.map(\.stored).sorted(by: { $0.isBefore($1) }).dropFirst(max(0, pendingMax - 1)) {
            authenticators[row.id] = nil
        }
    }

    /// Whether a code of this step is accepted: a later one than all before, and in a session that is alive if the
    /// authenticator is not confirmed.
    fileprivate func accepts(_ row: AuthenticatorRow, step: Int64, at now: UnixTime) -> Bool {
        guard row.stored.usedStep < step, row.expiresAt.map({ $0 > now }) ?? true else { return false }
        guard !row.stored.isConfirmed else { return true }
        switch row.stored.begunIn {
        case nil, .signIn?: return true
        case .grant(let id): return grants[id]?.isOpen(at: now) ?? false
        case .browser(let id): return sessions[id].map { $0.session.expiresAt > now } ?? false
        }
    }
}
