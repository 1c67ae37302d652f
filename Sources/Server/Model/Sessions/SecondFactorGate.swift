package import Authority
package import KeyturnWire

/// Asks the rules whether a session may begin after what a sign-in showed.
package struct SecondFactorGate: Sendable {
    private let rules: SecondFactorRules
    private let directory: AccessDirectory

    package init(_ policy: AuthorityPolicy, directory: AccessDirectory) {
        rules = SecondFactorRules(policy)
        self.directory = directory
    }

    /// Whether any user can need one without having set one up.
    package var canBeRequired: Bool { rules.canBeRequired }

    /// Whether the user needs a second factor, also without having set one up. Users without an account have none.
    package func isRequired(for account: Account) -> Bool {
        guard rules.canBeRequired, !account.user.isAnonymous else { return false }
        return rules.isRequired(roles: roles(of: account), tenants: account.memberships.tenants.keys)
    }

    /// What is missing before a session begins; `nil`: nothing.
    package func missing(_ account: Account, _ facts: AuthenticationFacts, on way: SessionStanding.Way) -> MissingStep?
    {
        guard !account.user.isAnonymous else { return nil }
        // A provider's word stands for two factors; a password and a mailbox do not stand for the authenticator.
        let countsSeveral = !account.hasAuthenticator || facts.holdsStrongFactor || facts.isOfProvider
        let factors = Set(facts.inMethods.methods.compactMap { AuthenticationMethod(word: $0)?.factor })
        return rules.missing(
            FactorStanding(
                hasAuthenticator: account.hasAuthenticator, hasPasskey: account.hasPasskey,
                hasOtherFactor: account.passwordHash != nil || account.hasProvenAddress,
                usedSeveral: countsSeveral && facts.methods.contains(AuthenticationMethod.severalFactors),
                usedAuthenticator: factors.contains(.authenticator), usedPasskey: factors.contains(.passkey),
                roles: Set(roles(of: account)), tenants: Set(account.memberships.tenants.keys)),
            on: way)
    }

    private func roles(of account: Account) -> [String] {
        directory.names(of: account.memberships.roles + account.memberships.tenants.values.flatMap(\.self))
    }
}
