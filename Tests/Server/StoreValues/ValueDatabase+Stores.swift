public import Model

extension ValueDatabase {
    /// Every store on this database.
    public func stores() -> Stores {
        Stores(
            isShared: false, users: ValueUserStore(database: self), tenants: ValueTenantStore(database: self),
            roles: ValueRoleStore(database: self), accessKeys: UnusedAccessKeyStore(),
            sessions: ValueSessionStore(database: self), grants: ValueGrantStore(database: self),
            consents: ValueConsentStore(database: self), clients: ValueClientStore(database: self),
            keys: ValueKeyStore(database: self), revokedTokens: ValueRevokedTokenStore(database: self),
            attempts: ValueAttemptStore(database: self), audit: ValueAuditStore(database: self),
            auditStreams: UnusedAuditStreamStore(), signalStreams: UnusedSignalStreamStore(),
            messages: ValueMessageStore(database: self), logoutNotices: ValueLogoutNoticeStore(database: self),
            pingNotices: UnusedPingNoticeStore(), codes: ValueOneTimeCodeStore(database: self),
            links: ValueLinkStore(database: self), authenticators: ValueTOTPStore(database: self),
            recoveryCodes: ValueRecoveryCodeStore(database: self), recoveries: ValueRecoveryStore(database: self),
            risks: ValueRiskStore(database: self), passkeys: ValuePasskeyStore(database: self),
            spent: ValueReplayStore(database: self), pushedRequests: ValuePushedRequestStore(database: self),
            passwords: ValuePasswordStore(database: self), rateLimits: ValueRateLimitStore(database: self),
            devices: UnusedDeviceStore(), backchannel: UnusedBackchannelStore(), dataKeys: UnusedKeyServiceStore(),
            biometrics: ValueBiometricStore(database: self), anonymous: UnusedAnonymousStore(),
            connections: ValueConnectionStore(database: self),
            identities: ValueFederatedIdentityStore(database: self),
            federation: ValueFederationStateStore(database: self), provisioned: ValueSCIMResourceStore(database: self),
            provisionedUsers: ValueSCIMUserStore(database: self),
            provisionedGroups: ValueSCIMGroupStore(database: self),
            provisioningTokens: ValueSCIMTokenStore(database: self),
            tenantDomains: ValueTenantDomainStore(database: self), providerTokens: UnusedProviderTokenStore(),
            consoleOperators: ValueConsoleOperatorStore(database: self), maintenance: UnusedMaintenanceStore())
    }
}
