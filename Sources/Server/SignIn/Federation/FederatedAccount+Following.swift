internal import KeyturnBase
package import Model

/// Names and addresses change at a company. Its own provider keeps those of its users up to date, as its directory would by
/// SCIM: a name that was told once, or an address that another person has by now, would stay for ever otherwise.
extension FederatedAccount {
    /// Whether the provider keeps the profile: the user belongs to its organisation alone, by its word.
    private func keepsProfile(of account: Account, _ facts: IdentityUseFacts) -> Bool {
        guard let tenant = connection.tenantID, !provenDomains.isEmpty else { return false }
        // The directory of the organisation says more than its provider.
        return !facts.identity.isByOwner && !facts.isProvisioned && Set(account.memberships.tenants.keys) == [tenant]
    }

    /// Whether the provider's word may change more of the account than it lacks.
    package func wouldFollow(_ account: Account) -> Bool {
        guard connection.tenantID != nil, !connection.domains.isEmpty else { return false }
        let isMoved = LinkingRules.ownAddress(profile).map { account.identifiers[$0] != .verified } ?? false
        return isMoved
            || claims.contains { name in told(name).map { account.user.claims[name] != .string($0) } ?? false }
    }

    func follow(_ account: inout Account, _ facts: IdentityUseFacts) {
        adopt(&account, facts)
        guard keepsProfile(of: account, facts) else { return }
        for name in claims {
            if let text = told(name) { account.user.claims[name] = .string(text) }
        }
        move(&account, facts)
    }

    /// A user of the tenant's directory who had no login ID, because the domain was not proven then. An address elsewhere,
    /// of a guest, is a contact and nothing more.
    private func adopt(_ account: inout Account, _ facts: IdentityUseFacts) {
        guard facts.isProvisioned, account.identifiers.isEmpty else { return }
        guard let address = vouchedAddress else {
            guard account.email == nil, let contact = LinkingRules.ownAddress(profile) else { return }
            return account.set(.email, contact.value, isVerified: false)
        }
        guard facts.isAddressFree, account.email == nil || isPrimary(address, of: account) else { return }
        account.identifiers[address] = .verified
        account.set(.email, address.value, isVerified: true)
    }

    /// The address, if the provider may vouch for it.
    package var vouchedAddress: Identifier? {
        guard profile.emailTrust == .trusted, let address = LinkingRules.ownAddress(profile), isProven(address) else {
            return nil
        }
        return address
    }

    private func isProven(_ address: Identifier) -> Bool {
        EmailDomain(ofAddress: address.value).map { provenDomains.contains($0.name) } ?? false
    }

    /// The login ID follows an address that moved within the proven domains. Addresses elsewhere are the user's own.
    private func move(_ account: inout Account, _ facts: IdentityUseFacts) {
        guard let new = vouchedAddress, let old = formerAddress(of: account, facts), old != new else { return }
        guard facts.isAddressFree else {
            // The old one is another person's, or will be.
            account.identifiers[old] = .unverified
            if isPrimary(old, of: account) { account.set(.email, account.email, isVerified: false) }
            return
        }
        let wasPrimary = account.email == nil || isPrimary(old, of: account)
        account.identifiers[old] = nil
        account.identifiers[new] = .verified
        if wasPrimary { account.set(.email, new.value, isVerified: true) }
    }

    /// The address that the provider told before, or that messages go to, if it is the organisation's.
    private func formerAddress(of account: Account, _ facts: IdentityUseFacts) -> Identifier? {
        [facts.identity.email, account.email].compactMap { $0.flatMap(Identifier.init(loginID:)) }
            .first { $0.kind == .email && isProven($0) && account.identifiers[$0] != nil }
    }

    private func isPrimary(_ address: Identifier, of account: Account) -> Bool {
        account.email.flatMap(Identifier.init(loginID:)) == address
    }
}
