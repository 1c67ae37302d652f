package import Model

extension SQLDatabase {
    /// Every store, on this database.
    package func stores() -> Stores {
        Stores(
            isShared: dialect == .postgreSQL, users: SQLUserStore(database: self),
            tenants: SQLTenantStore(database: self),
            roles: SQLRoleStore(database: self), accessKeys: SQLAccessKeyStore(database: self),
            sessions: SQLSessionStore(database: self),
            grants: SQLGrantStore(database: self), consents: SQLConsentStore(database: self),
            clients: SQLClientStore(database: self), keys: SQLKeyStore(database: self),
            revokedTokens: SQLRevokedTokenStore(database: self), attempts: SQLAttemptStore(database: self),
            audit: SQLAuditStore(database: self), auditStreams: SQLAuditStreamStore(database: self),
            signalStreams: SQLSignalStreamStore(database: self),
            messages: SQLMessageStore(database: self),
            logoutNotices: SQLLogoutNoticeStore(database: self),
            pingNotices: SQLPingNoticeStore(database: self),
            codes: SQLOneTimeCodeStore(database: self), links: SQLLinkStore(database: self),
            authenticators: SQLTOTPStore(database: self),
            recoveryCodes: SQLRecoveryCodeStore(database: self), recoveries: SQLRecoveryStore(database: self),
            risks: SQLRiskStore(database: self),
            passkeys: SQLPasskeyStore(database: self), spent: SQLReplayStore(database: self),
            pushedRequests: SQLPushedRequestStore(database: self),
            passwords: SQLPasswordStore(database: self),
            rateLimits: SQLRateLimitStore(database: self), devices: SQLDeviceStore(database: self),
            backchannel: SQLBackchannelStore(database: self),
            dataKeys: SQLKeyServiceStore(database: self), biometrics: SQLBiometricStore(database: self),
            anonymous: SQLAnonymousStore(database: self),
            connections: SQLConnectionStore(database: self), identities: SQLFederatedIdentityStore(database: self),
            federation: SQLFederationStateStore(database: self), provisioned: SQLSCIMResourceStore(database: self),
            provisionedUsers: SQLSCIMUserStore(database: self), provisionedGroups: SQLSCIMGroupStore(database: self),
            provisioningTokens: SQLSCIMTokenStore(database: self), tenantDomains: SQLTenantDomainStore(database: self),
            providerTokens: SQLProviderTokenStore(database: self),
            consoleOperators: SQLConsoleOperatorStore(database: self),
            maintenance: SQLMaintenanceStore(database: self))
    }

    /// All stores for one change, in one transaction with `events`. If it changes no row, nothing is recorded.
    package func stores(recording events: [AuditEvent]) -> Stores {
        stores(recording: { events })
    }

    /// As ``stores(recording:)``, with events that the change itself completes: they are made after it.
    package func stores(recording events: @escaping @Sendable () -> [AuditEvent]) -> Stores {
        RecordingDatabase(database: self, events: events).stores()
    }
}

/// A database that records every changing write in the audit log, in the same transaction.
struct RecordingDatabase: ForwardingDatabase {
    let database: any SQLDatabase
    let events: @Sendable () -> [AuditEvent]

    func once<Value: Sendable>(
        _ durability: Durability, _ body: @escaping @Sendable (SQLSession) throws -> Value
    ) async throws(StoreError) -> Value {
        try await write(.guarded, body)
    }

    func once<Value: Sendable>(
        _ durability: Durability, _ body: @escaping @Sendable (SQLSession) throws -> Value?,
        otherwise rest: @escaping @Sendable (SQLSession) throws -> Value
    ) async throws(StoreError) -> Value {
        try await write(.guarded) { db in try body(db) ?? rest(db) }
    }

    func write<Value: Sendable>(
        _ isolation: Isolation, _ body: @escaping @Sendable (SQLSession) throws -> Value
    ) async throws(StoreError) -> Value {
        try await database.write(isolation) { [events] db in
            let before = db.connection.changes
            let value = try body(db)
            if db.connection.changes > before { try SQLAuditStore.append(events(), db) }
            return value
        }
    }
}
