public import KeyturnBase
public import Model

/// Asks directories whether their users are still there, and ends the sessions of those who are not.
public struct DirectoryRounds: Sendable {
    private let stores: Stores
    private let connections: ConnectionDirectory
    private let directory: (any PasswordDirectory)?
    private let audit: any AuditLog
    private let ambient: Ambient

    /// - Parameter directory: asks the directories; `nil`: there is nothing to do.
    public init(
        stores: Stores, connections: ConnectionDirectory, directory: (any PasswordDirectory)?, audit: any AuditLog,
        ambient: Ambient
    ) {
        self.stores = stores
        self.connections = connections
        self.directory = directory
        self.audit = audit
        self.ambient = ambient
    }

    /// One round. A directory that does not answer ends nothing: it is asked again in the next round.
    ///
    /// - Returns: how many users were signed out.
    public func run() async throws(StoreError) -> Int {
        guard let directory else { return 0 }
        var ended = 0
        for connection in connections.all where connection.isEnabled {
            guard case .ldap = connection.settings else { continue }
            ended += try await round(connection, directory)
        }
        return ended
    }

    private func round(_ connection: Connection, _ directory: any PasswordDirectory) async throws(StoreError) -> Int {
        var ended = 0
        var last: String?
        while !Task.isCancelled {
            let batch = try await stores.identities.inUse(
                at: connection.id, after: last, limit: Limits.directoryRoundBatch, at: ambient.now())
            for identity in batch {
                let entry: DirectoryEntry?
                do throws(ConnectionProblem) {
                    entry = try await directory.find(subject: identity.key.subject, at: connection)
                } catch {
                    record(error.code, nil, connection)
                    return ended
                }
                guard entry?.isDisabled ?? true else { continue }
                ended += try await end(identity, connection) ? 1 : 0
            }
            guard batch.count == Limits.directoryRoundBatch else { break }
            last = batch.last?.key.subject
        }
        return ended
    }

    /// Sessions that began at the directory end, with every app's that came from them. The project's own directory decides
    /// about every session of its users; a tenant's does not decide about what its users did before or elsewhere.
    private func end(_ identity: FederatedIdentity, _ connection: Connection) async throws(StoreError) -> Bool {
        let now = ambient.now()
        var isEnded = false
        if let tenant = connection.tenantID {
            isEnded = try await stores.sessions.endVouched(by: tenant, of: identity.userID, at: now)
            for session in try await stores.identities.sessions(of: identity.key, providerSession: nil, at: now) {
                if try await stores.sessions.end(session.id, of: session.userID, at: now) { isEnded = true }
            }
        } else {
            _ = try await stores.grants.endEverything(of: identity.userID, reason: .userDisabled, at: now)
            isEnded = true
        }
        if isEnded { record("gone", identity.userID, connection) }
        return isEnded
    }

    private func record(_ reason: String, _ user: UserID?, _ connection: Connection) {
        audit.recordOnce(
            AuditEvent(.identityRefused, at: ambient.now(), userID: user, reason: reason, target: connection.id))
    }
}
