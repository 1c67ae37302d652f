package import Authority
package import KeyturnBase
package import Model

/// What a provider's word changes about an account: its profile, its tenant, its roles. Without I/O.
package struct FederatedAccount: Sendable {
    package let connection: Connection
    package let profile: FederatedProfile
    package let directory: AccessDirectory
    /// The domains of a tenant's connection that the tenant has proven: its provider keeps the profiles of its users up to
    /// date.
    package var provenDomains: Set<String> = []

    /// The claims that any provider may fill in. None of them decides anything.
    private static let claims = ["name", "given_name", "middle_name", "family_name", "picture", "locale"]

    /// The claims that this provider may fill in. Programs take `preferred_username` for a user's own name (OpenID Connect
    /// Core §5.7 warns of it): only a provider that the operator trusts says it, since another user may have that name.
    var claims: [String] { Self.claims + (connection.isTrusted ? ["preferred_username"] : []) }

    package init(connection: Connection, profile: FederatedProfile, directory: AccessDirectory) {
        self.connection = connection
        self.profile = profile
        self.directory = directory
    }

    /// A new user, and the roles that the provider gives.
    ///
    /// - Parameters:
    ///   - email: becomes a login ID; `nil`: none.
    ///   - permission: that the account may be opened.
    package func make(
        email: Identifier?, by permission: borrowing Allowed<Acts.CreateAccount>, _ ambient: Ambient
    ) -> (account: Account, roles: [String]) {
        let now = ambient.now()
        let user = User(id: .make(ambient), createdAt: now, updatedAt: now)
        var account = Account(user: user, identifiers: [:], passwordHash: nil)
        if let email {
            account.identifiers[email] = .verified
            account.set(.email, email.value, isVerified: true)
        }
        fill(&account)
        let roles = apply(to: &account.memberships, before: [], elsewhere: [])
        return (account, roles)
    }

    /// The user of an identity signs in: fills in what is missing from the profile, or brings it up to date, and sets the
    /// tenant and the mapped roles.
    ///
    /// - Returns: the roles that the provider gives from now on.
    package func apply(to account: inout Account, _ facts: IdentityUseFacts) -> [String] {
        // A role in the console is this server's own, and who acts as others is an owner's to say: no provider's word
        // changes who has it, beside a tenant of its own.
        if !account.reachesOthers {
            follow(&account, facts)
            if account.user.status == .invited { account.user.status = .active }
        }
        // The profile of who connected an account of their own is no tenant's.
        if connection.tenantID == nil || !facts.identity.isByOwner { fill(&account) }
        return applyRoles(to: &account, facts)
    }

    /// The tenant and the mapped roles alone: the owner of the account connected it.
    ///
    /// - Returns: the roles that the provider gives from now on.
    package func applyRoles(to account: inout Account, _ facts: IdentityUseFacts) -> [String] {
        var before = facts.identity.providedRoles
        // The identifier of a connection was used for another tenant's before.
        if let given = before, facts.identity.providedIn != connection.tenantID {
            for role in given { account.memberships.remove(role: role, in: facts.identity.providedIn) }
            before = []
        }
        // A user with a role in the console gets none of the project by a provider's word, and loses what it gives no longer.
        let mayGive = account.consoleRole == nil || connection.tenantID != nil
        return apply(
            to: &account.memberships, before: mayGive ? before : before ?? [], elsewhere: facts.rolesElsewhere,
            mayGive: mayGive)
    }

    private func fill(_ account: inout Account) {
        for name in claims where account.user.claims[name] == nil {
            account.user.claims[name] = told(name).map(JSONValue.string)
        }
    }

    /// A claim as the provider tells it; `nil`: not, or too long.
    func told(_ name: String) -> String? {
        profile.claims[name]?.stringValue.flatMap { (1...1_024).contains($0.utf8.count) ? $0 : nil }
    }

    /// The tenant, and the roles of the groups (``ProvidedRoles``).
    private func apply(
        to memberships: inout Memberships, before: [String]?, elsewhere: Set<String>, mayGive: Bool = true
    ) -> [String] {
        let tenant = connection.tenantID
        if let tenant, memberships.tenants[tenant] == nil {
            guard memberships.tenants.count < Limits.tenantsOfUserMax else { return [] }
            memberships.tenants[tenant] = directory.defaultRoles(of: tenant)
        }
        let mapped = connection.mappedRoles(directory)
        return ProvidedRoles(
            tenantID: tenant, mapped: Set(mapped.values),
            wanted: profile.groups.map { groups in
                let wanted = Set(groups.compactMap { mapped[$0] })
                return mayGive ? wanted : wanted.intersection(before ?? [])
            }
        ).apply(to: &memberships, before: before, elsewhere: elsewhere)
    }
}
