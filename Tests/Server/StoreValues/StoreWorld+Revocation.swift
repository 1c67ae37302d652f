internal import KeyturnBase
internal import Model

/// Carries out a ``RevocationScope``: one place, so that nothing is forgotten.
extension StoreWorld {
    /// Ends what the scope says, and raises the user's epoch.
    ///
    /// - Returns: how many grants ended.
    @discardableResult
    mutating func end(_ scope: RevocationScope, of user: UserID) -> Int {
        users[user]?.user.epoch += 1
        if scope.parts.contains(.grants) { users[user]?.user.endedAt = scope.now }
        var ended = 0
        for part in scope.parts { ended += end(part, scope, of: user) }
        return ended
    }

    /// - Returns: how many grants ended.
    private mutating func end(_ part: RevocationScope.Part, _ scope: RevocationScope, of user: UserID) -> Int {
        switch part {
        case .recovery:
            endRecovery(of: user, .revoked(scope.reason), at: scope.now)
        case .oneTimeCodes:
            codes = codes.filter { $0.value.facts.userID != user }
        case .unconfirmedAuthenticators:
            authenticators = authenticators.filter { $0.value.owner != .user(user) || $0.value.stored.isConfirmed }
        case .links:
            removeLinks(of: user, keeping: scope.keptReference)
        case .approvals:
            // No part of these stores.
            break
        case .biometricKeys:
            let kept = scope.keptGrant.flatMap { grants[$0]?.biometricKey }
            biometricKeys = biometricKeys.filter { $0.value.userID != user || $0.key == kept }
        case .browserSessions:
            sessions = sessions.filter { $0.value.session.userID != user || $0.key == scope.keptSession }
        case .grants:
            return endGrants(scope.reason, at: scope.now) { row in
                row.grant.userID == user && row.grant.id != scope.keptGrant && !row.isOf(scope.keptApp)
            }
        }
        return 0
    }

    /// Notes that sessions of the user ended, here and elsewhere.
    mutating func noteEnd(of user: UserID, at time: UnixTime) {
        let before = users[user]?.user.endedAt
        users[user]?.user.endedAt = before.map { max($0, time) } ?? time
    }

    /// Ends what a tenant vouched for, and sessions for which it was selected; the user's others go on, and so does a
    /// sign-in that is under way elsewhere.
    ///
    /// - Returns: how many sessions and grants that were.
    @discardableResult
    mutating func endVouched(
        by tenant: String, of user: UserID, keepsSelected: Bool = false, at now: UnixTime
    ) -> Int {
        let count = sessions.count
        sessions = sessions.filter {
            $0.value.session.userID != user || $0.value.session.authentication.tenantID != tenant
        }
        let ended = endGrants(.userDisabled, at: now) { row in
            row.grant.userID == user
                && (row.grant.authentication.tenantID == tenant || !keepsSelected && row.grant.tenantID == tenant)
        }
        return count - sessions.count + ended
    }

    /// Ends the grants of a condition, with those that derive from them, and tells their clients.
    ///
    /// - Returns: how many; derived ones are not counted.
    @discardableResult
    mutating func endGrants(
        _ reason: Grant.EndReason, at now: UnixTime, where condition: (GrantRow) -> Bool
    ) -> Int {
        addLogoutNotices(at: now, where: condition)
        var meant: Set<GrantID> = []
        var ended = 0
        for (id, row) in grants where condition(row) {
            meant.insert(id)
            guard row.endedAt == nil else { continue }
            grants[id]?.end(reason, at: now)
            ended += 1
        }
        guard ended > 0 else { return 0 }
        for id in derived(from: meant, following: { _ in true }) where grants[id]?.endedAt == nil {
            grants[id]?.end(reason, at: now)
        }
        return ended
    }

    /// The grants and all that derive from them, directly or not.
    ///
    /// - Parameter isFollowed: whether a derived grant counts, and those that derive from it.
    func derived(from ids: Set<GrantID>, following isFollowed: (GrantRow) -> Bool) -> Set<GrantID> {
        var all = ids
        var isComplete = false
        while !isComplete {
            isComplete = true
            for (id, row) in grants where !all.contains(id) && isFollowed(row) {
                guard let parent = row.parent, all.contains(parent) else { continue }
                all.insert(id)
                isComplete = false
            }
        }
        return all
    }
}

extension GrantRow {
    fileprivate mutating func end(_ reason: Grant.EndReason, at now: UnixTime) {
        endedAt = now
        endReason = reason
    }

    fileprivate func isOf(_ app: SignedInSession?) -> Bool {
        guard let app else { return false }
        return grant.clientID == app.clientID && grant.sessionID == app.sessionID
            && grant.authentication.time >= app.since && !grant.isOnOtherDevice
    }
}

extension Grant {
    /// Whether another device let it in.
    var isOnOtherDevice: Bool { authentication.methods.contains(AuthenticationMethod.otherDevice.word) }
}
