package import KeyturnBase
package import Model

/// What a provider's word changes about an account: its profile, its tenant, its roles.
package struct FederatedAccount: Sendable {
    package let connection: Connection
    package let profile: FederatedProfile
    package let directory: AccessDirectory

    /// The claims that a provider may fill in. None of them decides anything.
    private static let claims = [
        "name", "given_name", "middle_name", "family_name", "picture", "locale", "preferred_username",
    ]

    package init(connection: Connection, profile: FederatedProfile, directory: AccessDirectory) {
        self.connection = connection
        self.profile = profile
        self.directory = directory
    }

    /// A new user.
    ///
    /// - Parameters:
    ///   - email: becomes a login ID; `nil`: none.
    package func make(email: Identifier?, _ ambient: Ambient) -> Account {
        let now = ambient.now()
        let user = User(id: .make(ambient), createdAt: now, updatedAt: now)
        var account = Account(user: user, identifiers: [:], passwordHash: nil)
        if let email {
            account.identifiers[email] = .verified
            account.set(.email, email.value, isVerified: true)
        }
        apply(to: &account)
        return account
    }

    /// Fills in what is missing from the profile, and sets the tenant and the mapped roles.
    package func apply(to account: inout Account) {
        for name in Self.claims where account.user.claims[name] == nil {
            guard let text = profile.claims[name]?.stringValue, (1...1_024).contains(text.utf8.count) else { continue }
            account.user.claims[name] = .string(text)
        }
        if account.user.status == .invited { account.user.status = .active }
        apply(to: &account.memberships)
    }

    /// The tenant, and the roles of the groups. Roles that the connection maps follow the groups; others stay. Unknown
    /// groups change nothing.
    package func apply(to memberships: inout Memberships) {
        let tenant = connection.tenantID
        if let tenant, memberships.tenants[tenant] == nil {
            guard memberships.tenants.count < Limits.tenantsOfUserMax else { return }
            memberships.tenants[tenant] = directory.defaultRoles(of: tenant)
        }
        guard let groups = profile.groups else { return }
        let named = Set(groups)
        for (group, name) in connection.roles.sorted(by: { $0.key < $1.key }) {
            guard let role = directory.role(named: name, in: tenant)?.id else { continue }
            let isGiven =
                named.contains(group) || connection.roles.contains { $0.value == name && named.contains($0.key) }
            if isGiven {
                memberships.add(role: role, in: tenant)
            } else {
                memberships.remove(role: role, in: tenant)
            }
        }
    }
}
