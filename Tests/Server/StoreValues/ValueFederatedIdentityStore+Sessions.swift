internal import KeyturnBase
internal import Model

/// The sessions that began at a provider.
extension ValueFederatedIdentityStore {
    private static let sessionsMax = 1_000

    func note(
        session: SessionID, of key: FederatedIdentity.Key, providerSession: String?, providerName: String?,
        expiresAt: UnixTime
    ) throws(StoreError) {
        try database.write { world in
            guard let user = world.sessions[session]?.session.userID else { return }
            world.keepOrigin(of: session, besides: key, providerSession)
            world.federatedSessions[session] = FederatedSessionRow(
                userID: user, key: key, providerSession: providerSession, providerName: providerName,
                expiresAt: expiresAt)
        }
    }

    func origin(of session: SessionID, at now: UnixTime) throws(StoreError) -> FederatedOrigin? {
        try database.read { world in
            guard let row = world.federatedSessions[session], row.expiresAt > now,
                world.sessions[session]?.session.userID == row.userID
            else { return nil }
            return row.origin(of: session)
        }
    }

    func origins(named name: String, at connection: String, issuer: String, at now: UnixTime)
        throws(StoreError) -> [FederatedOrigin]
    {
        try database.read { world in
            let found = world.origins(at: now) { row in
                row.providerName == name && row.key.connectionID == connection && row.key.issuer == issuer
            }
            let left = found.filter { world.isLeft($0.session) }
            return Array(left.sorted { $0.session.id.rawValue < $1.session.id.rawValue }.prefix(Self.sessionsMax))
        }
    }

    func sessions(of key: FederatedIdentity.Key, providerSession: String?, at now: UnixTime)
        throws(StoreError) -> [FederatedSession]
    {
        try sessions(at: now) { row in
            row.key == key && (providerSession == nil || row.providerSession == providerSession)
        }
    }

    func sessions(inProviderSession session: String, at connection: String, issuer: String, at now: UnixTime)
        throws(StoreError) -> [FederatedSession]
    {
        try sessions(at: now) { row in
            row.providerSession == session && row.key.connectionID == connection && row.key.issuer == issuer
        }
    }

    private func sessions(at now: UnixTime, where condition: (FederatedSessionRow) -> Bool)
        throws(StoreError) -> [FederatedSession]
    {
        try database.read { world in
            let found = Set(world.origins(at: now, where: condition).map(\.session))
            return Array(found.sorted { $0.id.rawValue < $1.id.rawValue }.prefix(Self.sessionsMax))
        }
    }
}

extension StoreWorld {
    /// Keeps what is recorded of a session before another sign-in at a provider is.
    fileprivate mutating func keepOrigin(
        of session: SessionID, besides key: FederatedIdentity.Key, _ providerSession: String?
    ) {
        guard let last = federatedSessions[session], last.key != key || last.providerSession != providerSession
        else { return }
        let others = formerOrigins[session, default: []].filter {
            $0.key != last.key || $0.providerSession != last.providerSession
        }
        formerOrigins[session] = others + [last]
    }

    /// The last sign-in at a provider to each session, and those before it.
    fileprivate func origins(at now: UnixTime, where condition: (FederatedSessionRow) -> Bool) -> [FederatedOrigin] {
        let ids = Set(federatedSessions.keys).union(formerOrigins.keys)
        return ids.flatMap { id -> [FederatedOrigin] in
            let rows = formerOrigins[id, default: []] + [federatedSessions[id]].compactMap(\.self)
            return rows.filter { $0.expiresAt > now && condition($0) }.map { $0.origin(of: id) }
        }
    }

    /// The session is open, or an app goes on that it let in.
    fileprivate func isLeft(_ session: FederatedSession) -> Bool {
        sessions[session.id]?.session.userID == session.userID
            || grants.values.contains {
                $0.grant.sessionID == session.id && $0.grant.userID == session.userID && $0.endedAt == nil
            }
    }
}

extension FederatedSessionRow {
    fileprivate func origin(of session: SessionID) -> FederatedOrigin {
        FederatedOrigin(
            session: FederatedSession(id: session, userID: userID), key: key, providerSession: providerSession,
            providerName: providerName)
    }
}
