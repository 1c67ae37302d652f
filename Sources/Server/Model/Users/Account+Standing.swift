public import Authority

extension Account {
    /// What the rulebook knows about this account.
    public var standing: UserStanding {
        UserStanding(
            id: user.id.rawValue, epoch: user.epoch, consoleRole: consoleRole, hasAuthenticator: hasAuthenticator,
            hasPasskey: hasPasskey, hasPassword: passwordHash != nil, wasDisputed: user.disputedAt != nil,
            hasOtherFactor: passwordHash != nil || !provedAddresses.isEmpty,
            hasProvenAddress: hasProvenAddress, hasUnprovedAddress: !unprovedAddresses.isEmpty,
            tenants: Set(memberships.tenants.keys),
            roles: Set(memberships.roles).union(memberships.tenants.values.joined()), actsAsOthers: actsAsOthers)
    }

    /// The account as a subject.
    public var subject: Subject { .user(standing) }
}
