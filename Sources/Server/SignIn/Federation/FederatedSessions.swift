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

    /// Ends sessions with their grants, except offline ones, and queues the notices for their apps; whoever has signed
    /// in in their browsers since.
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
