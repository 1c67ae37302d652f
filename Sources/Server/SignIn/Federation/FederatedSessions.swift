package import KeyturnBase
package import Model

/// Ends browser sessions that began at a provider, because the provider says that they are over.
package struct FederatedSessions: Sendable {
    private let stores: Stores
    private let audit: any AuditLog
    private let ambient: Ambient

    package init(stores: Stores, audit: any AuditLog, ambient: Ambient) {
        self.stores = stores
        self.audit = audit
        self.ambient = ambient
    }

    /// Ends what a notice of a provider names. Its word from before counts no more, on pages that wait either.
    ///
    /// - Returns: how many sessions were ended by this call.
    package func end(_ notice: ProviderLogout, at connection: Connection) async throws(StoreError) -> Int {
        let identities = stores.identities
        if let subject = notice.subject {
            let key = FederatedIdentity.Key(connectionID: connection.id, issuer: notice.issuer, subject: subject)
            // Before the sessions are looked for: a page that waits opens none meanwhile.
            try await identities.noteSignOut(of: key, at: ambient.now())
            return try await end(
                identities.sessions(of: key, providerSession: notice.session, at: ambient.now()), at: connection)
        }
        guard let session = notice.session else { return 0 }
        return try await end(
            identities.sessions(
                inProviderSession: session, at: connection.id, issuer: notice.issuer, at: ambient.now()),
            at: connection)
    }

    /// Ends the sessions that began with sign-ins at a provider, as ``end(_:at:)`` of a notice.
    package func end(_ origins: [FederatedOrigin], at connection: Connection) async throws(StoreError) -> Int {
        for key in Set(origins.map(\.key)) { try await stores.identities.noteSignOut(of: key, at: ambient.now()) }
        return try await end(origins.map(\.session), at: connection)
    }

    /// Ends sessions with their grants, except offline ones, and queues the notices for their apps, also if another user
    /// has their browser by now.
    ///
    /// - Returns: how many were ended by this call.
    @discardableResult
    package func end(_ sessions: [FederatedSession], at connection: Connection) async throws(StoreError) -> Int {
        var count = 0
        for session in sessions {
            let now = ambient.now()
            guard try await stores.sessions.endByProvider(session.id, of: session.userID, at: now) else { continue }
            count += 1
            audit.record(
                AuditEvent(
                    .sessionEnded, at: now, userID: session.userID, sessionID: session.id,
                    reason: AuditEvent.byProvider,
                    target: connection.id))
        }
        return count
    }
}
