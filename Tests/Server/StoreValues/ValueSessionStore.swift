internal import KeyturnBase
internal import Model

/// Browser sessions by the digest of their cookie.
struct ValueSessionStore: SessionStore {
    let database: ValueDatabase

    func create(
        _ session: BrowserSession, epoch: Int64, digest: SecretDigest, replacing old: SecretDigest?, at now: UnixTime
    ) throws(StoreError) -> Bool {
        try database.write { world in
            let (user, tenant) = (session.userID, session.authentication.tenantID)
            guard world.isCurrent(epoch, of: user, vouchedBy: tenant) else { return false }
            world.removeSession(old)
            if let grant = session.openedBy {
                guard let row = world.grants[grant], row.grant.userID == user, row.isLive(at: now) else { return false }
                world.sessions = world.sessions.filter { $0.value.session.openedBy != grant }
            }
            let isTaken = world.sessions[session.id] != nil || world.sessions.contains { $0.value.digest == digest }
            guard !isTaken else { throw StoreError(.conflict) }
            world.sessions[session.id] = SessionRow(session: session.with(session.authentication), digest: digest)
            if old != nil { world.prolongOrigins(of: session) }
            return true
        }
    }

    func session(_ digest: SecretDigest, at now: UnixTime) throws(StoreError) -> (BrowserSession, User)? {
        try database.read { world in
            guard let session = world.sessions.values.first(where: { $0.digest == digest })?.session,
                session.expiresAt > now, let user = world.users[session.userID]?.user, user.status == .active
            else { return nil }
            if let grant = session.openedBy {
                guard world.grants[grant]?.isLive(at: now) == true else { return nil }
            }
            return (session, user)
        }
    }

    func end(_ id: SessionID, of user: UserID, at now: UnixTime) throws(StoreError) -> Bool {
        try database.write { world in
            guard world.sessions[id]?.session.userID == user else { return false }
            world.sessions[id] = nil
            world.removeOrigins(of: id, user)
            world.endGrants(of: id, at: now)
            return true
        }
    }

    func endByProvider(_ id: SessionID, of user: UserID, at now: UnixTime) throws(StoreError) -> Bool {
        try database.write { world in
            let wasOpen = world.sessions[id]?.session.userID == user
            if wasOpen { world.sessions[id] = nil }
            let began = world.removeOrigins(of: id, user)
            guard wasOpen || began else { return false }
            return world.endGrants(of: id, at: now) > 0 || wasOpen
        }
    }

    func sessions(of user: UserID, limit: Int, at now: UnixTime) throws(StoreError) -> [OpenSession] {
        try database.read { world in
            let open = world.sessions.values.map(\.session).filter {
                $0.userID == user && $0.expiresAt > now && $0.openedBy == nil
            }
            let told = open.map { OpenSession(session: $0, usedAt: world.lastUse(of: $0)) }
            let sorted = told.sorted {
                $0.usedAt == $1.usedAt ? $0.session.id.rawValue < $1.session.id.rawValue : $0.usedAt > $1.usedAt
            }
            return Array(sorted.prefix(limit))
        }
    }

    func replaceCookie(of id: SessionID, by digest: SecretDigest, at now: UnixTime) throws(StoreError) -> Bool {
        try database.write { world in
            guard let row = world.sessions[id], row.session.expiresAt > now else { return false }
            world.sessions[id]?.digest = digest
            return true
        }
    }

    func strengthen(_ id: SessionID, to facts: AuthenticationFacts, at now: UnixTime) throws(StoreError) {
        try database.write { world in
            guard let session = world.sessions[id]?.session, session.expiresAt > now else { return }
            var facts = facts
            // Who vouched for the sign-in stays.
            facts.tenantID = session.authentication.tenantID
            world.sessions[id]?.session = session.with(facts)
        }
    }

    func endOthers(of user: UserID, keeping kept: SessionID, at now: UnixTime) throws(StoreError) {
        try database.write { world in
            var scope = RevocationScope(.logout, at: now)
            scope.keptSession = kept
            scope.keptGrant = world.sessions[kept]?.session.openedBy
            world.end(scope, of: user)
        }
    }

    func endVouched(by tenant: String, of user: UserID, at now: UnixTime) throws(StoreError) -> Bool {
        try database.write { world in world.endVouched(by: tenant, of: user, at: now) > 0 }
    }
}

extension StoreWorld {
    fileprivate mutating func removeSession(_ digest: SecretDigest?) {
        guard let id = digest.flatMap({ digest in sessions.first { $0.value.digest == digest }?.key }) else { return }
        sessions[id] = nil
    }

    fileprivate mutating func prolongOrigins(of session: BrowserSession) {
        federatedSessions[session.id]?.expiresAt = session.expiresAt
        formerOrigins[session.id] = formerOrigins[session.id]?.map { row in
            var row = row
            row.expiresAt = session.expiresAt
            return row
        }
    }

    /// - Returns: whether anything was known of a provider where the session began.
    @discardableResult
    fileprivate mutating func removeOrigins(of session: SessionID, _ user: UserID) -> Bool {
        guard federatedSessions[session]?.userID == user else { return false }
        federatedSessions[session] = nil
        formerOrigins[session] = nil
        return true
    }

    /// - Returns: how many grants ended, or lost their access tokens.
    @discardableResult
    fileprivate mutating func endGrants(of session: SessionID, at now: UnixTime) -> Int {
        addLogoutNotices(at: now) { $0.grant.sessionID == session }
        var count = endGrants(.logout, at: now) { $0.grant.sessionID == session && !$0.isOffline }
        // The others live on; their access tokens do not, because the notice ends them at other servers too.
        for (grant, row) in grants where row.grant.sessionID == session && row.endedAt == nil {
            grants[grant]?.tokensAfter = now
            count += 1
        }
        return count
    }

    /// When a session was last used to sign in to an app, or opened.
    fileprivate func lastUse(of session: BrowserSession) -> UnixTime {
        let uses = grants.values.filter { $0.grant.sessionID == session.id }.map(\.grant.createdAt)
        return max(session.createdAt, uses.max() ?? session.createdAt)
    }
}
