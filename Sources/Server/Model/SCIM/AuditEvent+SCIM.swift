/// What provisioning clients did, and what became of tenants' domains.
extension AuditEvent.Kind {
    public static let provisionedUserCreated = Self(rawValue: "scim.user_created")
    public static let provisionedUserChanged = Self(rawValue: "scim.user_changed")
    public static let provisionedUserDeactivated = Self(rawValue: "scim.user_deactivated")
    public static let provisionedUserActivated = Self(rawValue: "scim.user_activated")
    public static let provisionedUserRemoved = Self(rawValue: "scim.user_removed")
    public static let provisionedGroupCreated = Self(rawValue: "scim.group_created")
    public static let provisionedGroupChanged = Self(rawValue: "scim.group_changed")
    public static let provisionedGroupRemoved = Self(rawValue: "scim.group_removed")
    /// The operator said which role the members of a group have.
    public static let provisionedGroupMapped = Self(rawValue: "scim.group_mapped")
    public static let provisioningTokenMade = Self(rawValue: "scim.token_made")
    public static let provisioningTokenRevoked = Self(rawValue: "scim.token_revoked")
    public static let tenantDomainClaimed = Self(rawValue: "tenant_domain.claimed")
    public static let tenantDomainProven = Self(rawValue: "tenant_domain.proven")
    /// The operator's word stands in place of the proof.
    public static let tenantDomainTrusted = Self(rawValue: "tenant_domain.trusted")
    /// Another tenant has proven the domain.
    public static let tenantDomainLost = Self(rawValue: "tenant_domain.lost")
    public static let tenantDomainRemoved = Self(rawValue: "tenant_domain.removed")
}
