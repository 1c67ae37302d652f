internal import KeyturnBase
internal import Model

/// Grants with their codes and refresh counters.
struct ValueGrantStore: GrantStore {
    let database: ValueDatabase

    func add(_ grant: Grant, code: CodeConditions, ticket: TransactionTicket?) throws(StoreError) -> GrantAddition {
        precondition(code.promotion == nil, "the exploration has no anonymous users")
        return try database.write { world in
            // First, because it is the single-use gate; the request counts as answered even if its session is over.
            if let ticket, !world.use(ticket, of: grant.clientID) { return .ticketUsed }
            if let session = grant.sessionID.map({ world.sessions[$0]?.session }) {
                guard session?.userID == grant.userID, session?.openedBy == nil else { return .sessionEnded }
            }
            let isTaken = world.grants.contains { $0.value.code?.digest == code.digest }
            guard !isTaken else { throw StoreError(.conflict) }
            var stored = grant.with(grant.authentication)
            (stored.keyThumbprint, stored.wantsBearer, stored.supersedes) = (nil, false, nil)
            stored.sessionClaims = .none
            try world.insert(GrantRow(stored, code: code, isOffline: grant.isOffline, redeemedAt: nil))
            return .added
        }
    }

    func grant(ofCode digest: SecretDigest) throws(StoreError) -> Grant? {
        try database.read { $0.row(ofCode: digest)?.grant }
    }

    func redeem(_ attempt: CodeAttempt, idleSeconds: Int64, at now: UnixTime) throws(StoreError) -> Redemption {
        try database.write { world in
            guard let row = world.row(ofCode: attempt.digest), let code = row.code else {
                return attempt.judge(nil, at: now, waited: .zero)
            }
            guard attempt.opens(row, at: now) else {
                let found = FoundCode(
                    grant: row.grant, conditions: code, redeemedAt: row.redeemedAt, isEnded: row.endedAt != nil)
                let verdict = attempt.judge(found, at: now, waited: .zero)
                if case .replayed(let id) = verdict { world.endGrants(.codeReplay, at: now) { $0.grant.id == id } }
                return verdict
            }
            return .granted(world.redeem(row, attempt, idleSeconds: idleSeconds, at: now))
        }
    }

    func live(_ id: GrantID, forTokenOf issuedAt: UnixTime?, at now: UnixTime) throws(StoreError) -> LiveGrant? {
        try database.read { world in
            guard let (row, user) = world.live(id, at: now), row.counts(forTokenOf: issuedAt) else { return nil }
            let told = User(id: user.id, claims: user.claims, createdAt: user.createdAt, updatedAt: user.updatedAt)
            return LiveGrant(grant: row.grant, user: told)
        }
    }

    func isLive(_ id: GrantID, forTokenOf issuedAt: UnixTime?, at now: UnixTime) throws(StoreError) -> Bool {
        try database.read { world in world.live(id, at: now)?.row.counts(forTokenOf: issuedAt) ?? false }
    }

    func end(_ id: GrantID, clientID: String, reason: Grant.EndReason, at now: UnixTime) throws(StoreError) -> Bool {
        try database.write { world in
            world.endGrants(reason, at: now) { $0.grant.id == id && $0.grant.clientID == clientID } > 0
        }
    }

    func end(_ id: GrantID, of user: UserID, reason: Grant.EndReason, at now: UnixTime) throws(StoreError) -> Bool {
        try database.write { world in
            world.endGrants(reason, at: now) { $0.grant.id == id && $0.grant.userID == user } > 0
        }
    }

    func endAll(of user: UserID, reason: Grant.EndReason, at now: UnixTime) throws(StoreError) -> Int {
        try database.write { world in world.endGrants(reason, at: now) { $0.grant.userID == user } }
    }

    func endAll(of user: UserID, clientID: String, reason: Grant.EndReason, at now: UnixTime) throws(StoreError) -> Int
    {
        try database.write { world in
            world.endGrants(reason, at: now) { $0.grant.userID == user && $0.grant.clientID == clientID }
        }
    }

    func endEverything(of user: UserID, reason: Grant.EndReason, at now: UnixTime) throws(StoreError) -> Int {
        try database.write { world in world.end(RevocationScope(reason, at: now), of: user) }
    }

    func grants(of user: UserID, limit: Int, at now: UnixTime) throws(StoreError) -> [Grant] {
        try database.read { world in
            let live = world.grants.values.filter { $0.grant.userID == user && $0.isLive(at: now) }
            let sorted = live.map(\.grant).sorted { $0.createdAt > $1.createdAt }
            var places: [String: Int] = [:]
            let placed = sorted.map { grant in
                places[grant.clientID, default: 0] += 1
                return (place: places[grant.clientID] ?? 0, grant: grant)
            }
            let chosen = placed.sorted {
                $0.place == $1.place ? $0.grant.createdAt > $1.grant.createdAt : $0.place < $1.place
            }.prefix(limit)
            return chosen.map(\.grant).sorted { $0.createdAt > $1.createdAt }
        }
    }

    func count(ofClient clientID: String, upTo max: Int, at now: UnixTime) throws(StoreError) -> Int {
        try database.read { world in
            min(max, world.grants.values.count { $0.grant.clientID == clientID && $0.isLive(at: now) })
        }
    }
}

extension CodeAttempt {
    /// Whether the grant comes alive: every condition of the single-use gate.
    fileprivate func opens(_ row: GrantRow, at now: UnixTime) -> Bool {
        guard let code = row.code else { return false }
        return row.grant.clientID == clientID && (code.redirectURI == redirectURI || omitsRedirectURI)
            && code.codeChallenge == codeChallenge
            && (code.keyThumbprint == nil || code.keyThumbprint == keyThumbprint)
            && row.redeemedAt == nil && row.endedAt == nil && code.expiresAt > now
    }
}

extension StoreWorld {
    func row(ofCode digest: SecretDigest) -> GrantRow? {
        grants.values.first { $0.code?.digest == digest }
    }

    /// A live grant and its active user.
    func live(_ id: GrantID, at now: UnixTime) -> (row: GrantRow, user: User)? {
        guard let row = grants[id], row.isLive(at: now), let user = users[row.grant.userID]?.user,
            user.status == .active
        else { return nil }
        return (row, user)
    }

    mutating func insert(_ row: GrantRow) throws(StoreError) {
        guard grants[row.grant.id] == nil, users[row.grant.userID] != nil else { throw StoreError(.conflict) }
        grants[row.grant.id] = row
    }

    /// The grant with what is told of its user beside it.
    func withReauthentication(_ grant: Grant) -> Grant {
        var grant = grant
        let account = account(grant.userID)
        grant.canReauthenticate = account?.canReauthenticate ?? false
        grant.isAnonymous = account?.user.isAnonymous ?? false
        return grant
    }

    fileprivate mutating func redeem(
        _ found: GrantRow, _ attempt: CodeAttempt, idleSeconds: Int64, at now: UnixTime
    ) -> Grant {
        var row = found
        row.redeemedAt = now
        row.grant.idleExpiresAt = min(now + idleSeconds, row.grant.absoluteExpiresAt)
        row.grant.keyThumbprint = attempt.bindsGrant ? attempt.keyThumbprint : nil
        row.grant.wantsBearer = attempt.wantsBearer
        grants[row.grant.id] = row
        var grant = withReauthentication(row.grant)
        if let code = found.code, let hint = code.reauthenticates,
            reauthenticate(hint, since: code.reauthenticatesSince, by: grant, key: attempt.keyThumbprint, at: now)
        {
            grant.sessionID = hint
        }
        return grant
    }

    /// Writes a newer sign-in of the same user into their session with the same client.
    ///
    /// - Returns: whether there is such a session.
    private mutating func reauthenticate(
        _ session: SessionID, since: UnixTime?, by grant: Grant, key: String?, at now: UnixTime
    ) -> Bool {
        let meant = grants.values.filter { row in
            let own = row.grant
            return own.clientID == grant.clientID && own.userID == grant.userID && own.id != grant.id
                && row.isLive(at: now) && own.authentication.time <= grant.authentication.time
                && own.authentication.time >= since ?? UnixTime(rawValue: 0)
                && (own.keyThumbprint == nil || own.keyThumbprint == key) && !own.isOnOtherDevice
                && (own.sessionID == session || (own.sessionID == nil && own.id == session.grantID))
        }
        for row in meant { grants[row.grant.id]?.grant = row.grant.with(grant.authentication) }
        return !meant.isEmpty
    }
}
