internal import KeyturnBase
public import Model

/// The word of an organisation's directory stands above that of its provider.
extension FederatedSignIn {
    /// As ``complete(_:at:from:)``; refuses a user whom the tenant's directory has deactivated: the store wrote no
    /// membership, and a sign-in at the organisation's provider would lead nowhere.
    public func admit(_ profile: FederatedProfile, at connection: Connection, from address: NetworkAddress?)
        async throws(StoreError) -> Outcome
    {
        let outcome = try await complete(profile, at: connection, from: address)
        guard case .user(let account, _) = outcome, let tenant = connection.tenantID,
            account.memberships.tenants[tenant] == nil, account.memberships.tenants.count < Limits.tenantsOfUserMax
        else { return outcome }
        audit.recordOnce(
            AuditEvent(
                .identityRefused, at: ambient.now(), userID: account.user.id, address: address?.text,
                reason: FederationRefusal.disabled.rawValue, target: connection.id))
        return .refused(.disabled)
    }
}
