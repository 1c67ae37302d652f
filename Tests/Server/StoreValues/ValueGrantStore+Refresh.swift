internal import KeyturnBase
internal import Model

extension ValueGrantStore {
    func renew(
        _ id: GrantID, counter: Int64, clientID: String, keyThumbprint: String?, rotates: Bool, by party: RefreshParty,
        shadowed: ShadowedSessions, idleSeconds: Int64, at now: UnixTime
    ) throws(StoreError) -> Renewal {
        let presented = RefreshRules.Presented(
            counter: counter, clientID: clientID, keyThumbprint: keyThumbprint, party: party)
        return try database.write { world in
            guard let row = world.grants[id] else { return .unknown }
            let isAhead: Bool
            if row.accepts(presented, at: now), row.grant.counter == counter {
                isAhead = false
            } else if case .ahead = RefreshRules.judge(presented, row.found, at: now) {
                isAhead = true
            } else {
                return world.judge(presented, row, shadowed, at: now)
            }
            let grant = world.rotate(row, presented, rotates: rotates, idleSeconds: idleSeconds, at: now)
            world.endSuperseded(by: grant, at: now)
            return isAhead ? .ahead(grant) : .renewed(grant)
        }
    }

    func presented(_ id: GrantID, at now: UnixTime) throws(StoreError) -> PresentedGrant? {
        try database.read { world in
            guard let (row, user) = world.live(id, at: now), let account = world.account(user.id) else { return nil }
            return PresentedGrant(grant: row.grant, account: account, row: row.refreshRow)
        }
    }

    func signsOfCopies(of user: UserID, since: UnixTime, limit: Int) throws(StoreError) -> [CopiedTokenSign] {
        try database.read { world in
            let signs = world.grants.values.filter { $0.grant.userID == user }.compactMap { $0.sign(since: since) }
            return Array(signs.sorted { $0.at > $1.at }.prefix(limit))
        }
    }
}

extension GrantRow {
    /// Whether the guards of a refresh hold, but for the counter.
    fileprivate func accepts(_ presented: RefreshRules.Presented, at now: UnixTime) -> Bool {
        grant.clientID == presented.clientID && isLive(at: now)
            && (grant.keyThumbprint == nil || grant.keyThumbprint == presented.keyThumbprint)
    }

    /// The token of the counter is superseded: tokens of the same second share an entry, and older entries than the last
    /// minute's are dropped.
    fileprivate mutating func noteRotation(at now: UnixTime) {
        guard let last = rotations.first?.time, last != now else {
            if rotations.isEmpty { rotations = [RefreshRules.Rotation(time: now, counter: grant.counter)] }
            return
        }
        let newest = RefreshRules.Rotation(time: now, counter: grant.counter)
        guard last >= now - RefreshRules.overlapSeconds else { return rotations = [newest] }
        rotations = Array(([newest] + rotations).prefix(Int(RefreshRules.overlapSeconds) + 1))
    }

    /// Two holders who take turns say more than one late use.
    fileprivate func sign(since: UnixTime) -> CopiedTokenSign? {
        func sign(_ kind: CopiedTokenSign.Kind, _ at: UnixTime) -> CopiedTokenSign {
            CopiedTokenSign(grantID: grant.id, clientID: grant.clientID, kind: kind, at: at)
        }
        if let endedAt {
            guard endedAt > since else { return nil }
            switch endReason {
            case .refreshReplay: return sign(.ended, endedAt)
            case .shadowed: return sign(.shadowed(isEnded: true), endedAt)
            default: return nil
            }
        }
        guard let newest = [lateElsewhereAt, shadowedAt].compactMap(\.self).max(), newest > since else { return nil }
        if let shadowedAt, shadowedAt > since { return sign(.shadowed(isEnded: false), newest) }
        return sign(.usedElsewhere(count: lateElsewhere), newest)
    }
}

extension StoreWorld {
    /// Uses a refresh token: it rotates, unless it is bound to a key or `rotates` is `false`.
    ///
    /// - Returns: the grant as it is then, but for what it went on from.
    fileprivate mutating func rotate(
        _ found: GrantRow, _ presented: RefreshRules.Presented, rotates: Bool, idleSeconds: Int64, at now: UnixTime
    ) -> Grant {
        var row = found
        let isRotated = row.grant.keyThumbprint == nil && rotates
        if isRotated { row.noteRotation(at: now) }
        row.grant.counter = isRotated ? presented.counter + 1 : presented.counter
        let (party, before) = (presented.party, row.refreshedBy)
        row.refreshedBy = RefreshParty(network: party.network ?? before.network, client: party.client ?? before.client)
        row.grant.idleExpiresAt = min(now + idleSeconds, row.grant.absoluteExpiresAt)
        grants[row.grant.id] = row
        return withReauthentication(row.grant)
    }

    /// Ends the session that `grant` went on from, and forgets that there was one.
    mutating func endSuperseded(by grant: Grant, at now: UnixTime) {
        guard let old = grant.supersedes else { return }
        endGrants(.superseded, at: now) { $0.grant.id == old && $0.grant.userID == grant.userID }
        grants[grant.id]?.grant.supersedes = nil
    }

    /// Decides whether it is an honest retry or a stolen token.
    fileprivate mutating func judge(
        _ presented: RefreshRules.Presented, _ row: GrantRow, _ shadowed: ShadowedSessions, at now: UnixTime
    ) -> Renewal {
        let (found, id) = (row.found, row.grant.id)
        switch RefreshRules.judge(presented, found, at: now) {
        case .answer(.repeated(_, let repetition)):
            return judgeShadow(presented, found, repetition, shadowed, at: now)
        case .answer(let renewal):
            return renewal
        case .forgiveLate(let isElsewhere):
            grants[id]?.lateRepetition = RefreshRules.Rotation(time: now, counter: row.grant.counter)
            grants[id]?.lateRepetitions += 1
            if isElsewhere {
                grants[id]?.lateElsewhere += 1
                grants[id]?.lateElsewhereAt = now
            }
            return judgeShadow(presented, found, isElsewhere ? .lateElsewhere : .late, shadowed, at: now)
        case .ahead:
            preconditionFailure("judged before")
        case .replay:
            endGrants(.refreshReplay, at: now) { $0.grant.id == id }
            return .replayed(row.grant)
        }
    }

    /// Keeps what ``ShadowRules`` find in a refresh that is answered again.
    private mutating func judgeShadow(
        _ presented: RefreshRules.Presented, _ found: RefreshRules.Found, _ repetition: Renewal.Repetition,
        _ shadowed: ShadowedSessions, at now: UnixTime
    ) -> Renewal {
        let id = found.grant.id
        guard let finding = RefreshRules.judgeShadow(presented, found, at: now) else {
            return .repeated(found.grant, repetition)
        }
        grants[id]?.shadow = finding.run
        guard finding.isTold else { return .repeated(found.grant, repetition) }
        grants[id]?.shadowedAt = now
        if shadowed == .end { endGrants(.shadowed, at: now) { $0.grant.id == id } }
        return .shadowed(found.grant, repetition, isEnded: shadowed == .end)
    }
}
