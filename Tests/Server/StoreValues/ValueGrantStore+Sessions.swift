internal import KeyturnBase
internal import Model

/// Grants without a code, and what is changed in live ones.
extension ValueGrantStore {
    func open(_ grant: Grant, epoch: Int64, endingOthers: Bool, at now: UnixTime) throws(StoreError) -> Bool {
        try database.write { world in
            guard world.isCurrent(epoch, of: grant.userID, vouchedBy: grant.authentication.tenantID) else {
                return false
            }
            if let older = grant.supersedes.flatMap({ world.grants[$0]?.grant }) {
                world.endSuperseded(by: older, at: now)
            }
            if endingOthers { world.end(RevocationScope(.logout, at: now), of: grant.userID) }
            try world.insert(GrantRow(grant.withoutRequest, isOffline: true, redeemedAt: grant.createdAt))
            return true
        }
    }

    func derive(_ grant: Grant, from parent: GrantID, at now: UnixTime) throws(StoreError) -> Bool {
        try database.write { world in
            guard let (row, _) = world.live(parent, at: now) else { return false }
            let derived = Grant(
                id: grant.id, clientID: grant.clientID, userID: row.grant.userID, sessionID: row.grant.sessionID,
                scope: grant.scope, resources: grant.resources, authentication: row.grant.authentication, nonce: nil,
                claimsRequest: nil, keyThumbprint: grant.keyThumbprint, wantsBearer: grant.wantsBearer, createdAt: now,
                idleExpiresAt: grant.idleExpiresAt,
                absoluteExpiresAt: min(grant.absoluteExpiresAt, row.grant.absoluteExpiresAt))
            try world.insert(GrantRow(derived, isOffline: grant.isOffline, redeemedAt: now, parent: parent))
            return true
        }
    }

    func bind(appKey thumbprint: String, to id: GrantID, at now: UnixTime) throws(StoreError) -> Bool {
        try database.write { world in
            guard let row = world.grants[id], row.isLive(at: now), row.appKey == nil || row.appKey == thumbprint else {
                return false
            }
            world.grants[id]?.appKey = thumbprint
            return true
        }
    }

    func appKey(of id: GrantID) throws(StoreError) -> String? {
        try database.read { $0.grants[id]?.appKey }
    }

    func select(tenant: String?, of id: GrantID, at now: UnixTime) throws(StoreError) -> Bool {
        try change(id, at: now) { $0.tenantID = tenant }
    }

    func set(_ claims: SessionClaims, of id: GrantID, at now: UnixTime) throws(StoreError) -> Bool {
        try change(id, at: now) { $0.sessionClaims = claims }
    }

    func stepUp(
        _ id: GrantID, of user: UserID, to facts: AuthenticationFacts, claims: SessionClaims, epoch: Int64,
        endingOthers: Bool, at now: UnixTime
    ) throws(StoreError) -> Bool {
        try database.write { world in
            guard world.isCurrent(epoch, of: user, vouchedBy: facts.tenantID), let row = world.grants[id],
                row.grant.userID == user, row.isLive(at: now)
            else { return false }
            var grant = row.grant.with(facts)
            grant.sessionClaims = claims
            world.grants[id]?.grant = grant
            guard endingOthers else { return true }
            var scope = RevocationScope(.logout, at: now)
            scope.keptGrant = id
            world.end(scope, of: user)
            return true
        }
    }

    private func change(_ id: GrantID, at now: UnixTime, _ rule: (inout Grant) -> Void) throws(StoreError) -> Bool {
        try database.write { world in
            guard var grant = world.grants[id]?.grant, world.grants[id]?.isLive(at: now) == true else { return false }
            rule(&grant)
            world.grants[id]?.grant = grant
            return true
        }
    }
}

extension Grant {
    /// Without what only a grant with a code has.
    var withoutRequest: Grant {
        Grant(
            id: id, clientID: clientID, userID: userID, sessionID: sessionID, scope: scope, resources: resources,
            authentication: authentication.stored, nonce: nil, claimsRequest: nil, keyThumbprint: keyThumbprint,
            wantsBearer: wantsBearer, tenantID: tenantID, sessionClaims: sessionClaims, supersedes: supersedes,
            counter: counter, createdAt: createdAt, idleExpiresAt: idleExpiresAt,
            absoluteExpiresAt: absoluteExpiresAt)
    }
}
