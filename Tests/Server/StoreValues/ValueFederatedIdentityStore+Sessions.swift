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
            world.federatedSessions[session] = FederatedSessionRow(
                userID: user, key: key, providerSession: providerSession, providerName: providerName,
                expiresAt: expiresAt)
        }
    }

    func origin(of session: SessionID, at now: UnixTime) throws(StoreError) -> FederatedOrigin? {
        try origins(at: now) { $0.key == session }.first
    }

    func origins(named name: String, at connection: String, issuer: String, at now: UnixTime)
        throws(StoreError) -> [FederatedOrigin]
    {
        try origins(at: now) { row in
            row.value.providerName == name && row.value.key.connectionID == connection && row.value.key.issuer == issuer
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
            let found = world.federatedSessions.filter { $0.value.expiresAt > now && condition($0.value) }
            let sorted = found.sorted { $0.key.rawValue < $1.key.rawValue }.prefix(Self.sessionsMax)
            return sorted.map { FederatedSession(id: $0.key, userID: $0.value.userID) }
        }
    }

    /// Of sessions that are not over: the rows of the others stay until their time, and would fill the limit.
    private func origins(
        at now: UnixTime, where condition: ((key: SessionID, value: FederatedSessionRow)) -> Bool
    ) throws(StoreError) -> [FederatedOrigin] {
        try database.read { world in
            let found = world.federatedSessions.filter { row in
                row.value.expiresAt > now && world.sessions[row.key]?.session.userID == row.value.userID
                    && condition(row)
            }
            let sorted = found.sorted { $0.key.rawValue < $1.key.rawValue }.prefix(Self.sessionsMax)
            return sorted.map { id, row in
                FederatedOrigin(
                    session: FederatedSession(id: id, userID: row.userID), key: row.key,
                    providerSession: row.providerSession, providerName: row.providerName)
            }
        }
    }
}
