internal import KeyturnBase
package import Model

/// Why a sign-in at a provider is refused.
public enum FederationRefusal: String, Hashable, Sendable, CaseIterable {
    /// The connection was switched off or removed.
    case connectionOff = "connection_off"
    /// No user is made for identities that are not known.
    case unknownUser = "unknown_user"
    /// The address is not in a domain that the tenant has proven.
    case foreignDomain = "foreign_domain"
    /// The provider's word about the address is not enough for the tenant.
    case unprovenAddress = "unproven_address"
    /// The provider says that the address is not verified.
    case deniedAddress = "denied_address"
    /// The user may not sign in.
    case disabled
    /// The provider did not ask the user again, although that was demanded.
    case stale
    /// The sign-in was not begun in this browser, took too long, was used before, or the provider has signed the user
    /// out since.
    case state
    /// The identity belongs to another user.
    case taken
    /// The user's organisation wants a sign-in at its own provider.
    case singleSignOn = "single_sign_on"
}

/// What to do with an identity that a provider vouched for.
package enum LinkingDecision: Hashable, Sendable {
    /// The identity is known: its user signs in, whatever address the provider tells now.
    case signIn(Account)
    /// A user is made; the address, if there is one, becomes a verified login ID.
    case create(email: Identifier?)
    /// The provider's word links the identity to the account that has verified the same address.
    case link(Account)
    /// The account claimed the address and never verified it: whatever was set up there is removed first.
    case reclaim(Account, Identifier)
    /// The account claimed the address and never verified it, and its owner is another person at this provider: they keep
    /// their account without the address.
    case release(Account, Identifier)
    /// The tenant's own directory made the account for this person. The address becomes its login ID, if there is one.
    case occupy(Account)
    /// The user must sign in to an account in this browser first. The answer is the same whether there is one.
    case ask
    case refuse(FederationRefusal)
}

extension LinkingDecision {
    /// The account that the identity opens; `nil`: none that is there.
    var account: Account? {
        switch self {
        case .signIn(let account), .link(let account), .reclaim(let account, _), .occupy(let account): account
        case .create, .release, .ask, .refuse: nil
        }
    }
}

/// What is left of a membership that ended: who was taken out of a tenant, and perhaps called back by its directory.
package enum Absence: Hashable, Sendable {
    /// The user was not taken out, or has come back since.
    case none
    /// Nothing but the tenant holds the account: its provider's word opens it again.
    case held
    /// The account is the user's own by now.
    case own
}

/// Which account an identity belongs to: one rule for every kind of provider, without I/O.
///
/// An address links accounts only if the provider may vouch for it, and the account has verified it too. A person who can
/// make a provider say an address would otherwise get the account. An account with a role in the console, or with one
/// that acts as others, is linked by its owner alone, and so is one whose owner is, or was, known to the connection
/// under another subject: addresses are given to other people.
package struct LinkingRules: Sendable {
    package var connection: Connection
    package var profile: FederatedProfile
    /// The account that the identity is linked to.
    package var known: Account?
    /// Whether the identity ended with the membership in the tenant (``FederatedIdentity/hasEnded(for:in:)``).
    package var hasKnownEnded = false
    /// For a tenant's connection: of the user of the known account, else of the one with the address.
    package var absence: Absence = .none
    /// The account with the provider's address.
    package var addressHolder: Account?
    /// Whether another account has proved the address, without signing in by it.
    package var isContact = false
    /// The account with the provider's telephone number.
    package var phoneHolder: Account?
    /// The identity was unlinked before: only its owner links it again.
    package var wasUnlinked = false
    /// Whether the account with the address has, or had, another identity at this connection.
    package var isHolderKnown = false
    /// For a tenant's connection: the user of the tenant's directory whom the identity names.
    package var provisioned: ProvisionedMatch?
    /// Whether that user has, or had, another identity at this connection.
    package var isProvisionedKnown = false
    /// For a tenant's connection: whether the tenant's directory took in the account with the address. Its owner never
    /// joined, so the tenant's provider alone does not open it.
    package var isAdopted = false
    /// For a tenant's connection: whether the account with the address belongs to the tenant by what its owner connected
    /// alone. Another connection of the tenant does not open it either.
    package var isConnectedByOwner = false
    /// For a tenant's connection: whether the tenant has proven the address's domain.
    package var isDomainProven = false

    package init(connection: Connection, profile: FederatedProfile) {
        self.connection = connection
        self.profile = profile
    }

    /// The provider's address in the spelling that is compared; `nil`: none that can be a login ID.
    package static func address(_ profile: FederatedProfile) -> Identifier? {
        guard let email = profile.email, let identifier = Identifier(loginID: email), identifier.kind == .email,
            identifier.flaw != .mailbox, !identifier.value.hasSuffix(".")
        else { return nil }
        return identifier
    }

    /// The provider's address, if it is written as it is compared: the mailbox of another spelling may be another person's.
    package static func ownAddress(_ profile: FederatedProfile) -> Identifier? {
        guard let email = profile.email, Identifier.isOwnForm(of: email) else { return nil }
        return address(profile)
    }

    package func decide() -> LinkingDecision {
        guard connection.isEnabled else { return .refuse(.connectionOff) }
        if let known {
            guard [.active, .invited].contains(known.user.status), !hasKnownEnded else { return .refuse(.disabled) }
            return absence == .own ? .ask : .signIn(known)
        }
        return connection.tenantID == nil ? decideForProject() : decideForTenant()
    }

    private func decideForProject() -> LinkingDecision {
        guard let address = Self.address(profile) else { return create(nil) }
        let isTrusted = profile.emailTrust == .trusted && Self.ownAddress(profile) != nil
        guard let holder = addressHolder else {
            // A stranger could otherwise take an address before its owner signs up, or learn whether it is taken.
            return isTrusted && !isContact ? create(address) : .ask
        }
        guard isTrusted, !wasUnlinked, !isAmbiguous(holder) else { return .ask }
        return join(holder, address)
    }

    private func decideForTenant() -> LinkingDecision {
        // Another resource of the directory's may have given the person's address to another account.
        if provisioned?.isDisabledElsewhere == true { return .refuse(.disabled) }
        // A tenant's provider can say any address: it vouches for the tenant's own domains alone.
        guard isDomainProven, let address = Self.address(profile),
            let domain = EmailDomain(ofAddress: address.value)?.name, connection.domains.contains(domain)
        else {
            // A guest or a contractor, with an address elsewhere: the tenant's directory knows them.
            if let provisioned { return occupy(provisioned) }
            return connection.domains.isEmpty ? create(nil) : .refuse(.foreignDomain)
        }
        // A provider of many organisations passes on what its users typed, also for a domain that is proven here.
        guard profile.emailTrust == .trusted else {
            return .refuse(profile.emailTrust == .denied ? .deniedAddress : .unprovenAddress)
        }
        guard Self.ownAddress(profile) != nil else { return .ask }
        guard let holder = addressHolder else {
            return provisioned.map(occupy) ?? (isContact ? .ask : create(address))
        }
        // An account from before the tenant's connection is its owner's: they join by signing in to it.
        guard let tenant = connection.tenantID, holder.memberships.tenants[tenant] != nil, !isAdopted,
            !isConnectedByOwner, absence != .own, !wasUnlinked, !isAmbiguous(holder)
        else { return .ask }
        return join(holder, address)
    }

    /// The address names one account and the telephone number another: nothing is guessed.
    private func isAmbiguous(_ holder: Account) -> Bool {
        phoneHolder.map { $0.user.id != holder.user.id } ?? false
    }

    private func join(_ holder: Account, _ address: Identifier) -> LinkingDecision {
        guard [.active, .invited].contains(holder.user.status) else { return .refuse(.disabled) }
        guard !holder.reachesOthers else { return .ask }
        guard holder.identifiers[address] == .verified else {
            guard !isContact else { return .ask }
            return isHolderKnown ? .release(holder, address) : .reclaim(holder, address)
        }
        return isHolderKnown ? .ask : .link(holder)
    }

    /// The account is the directory's alone: nothing but the tenant's provider opens it.
    private func occupy(_ match: ProvisionedMatch) -> LinkingDecision {
        let account = match.account
        guard match.isActive, [.active, .invited].contains(account.user.status) else { return .refuse(.disabled) }
        guard match.isHeldHereAlone, !isProvisionedKnown, !wasUnlinked, !account.reachesOthers else { return .ask }
        return .occupy(account)
    }

    private func create(_ address: Identifier?) -> LinkingDecision {
        connection.createsUsers ? .create(email: address) : .refuse(.unknownUser)
    }
}
