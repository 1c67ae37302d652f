internal import KeyturnBase
internal import Model

/// Reads what ``LinkingRules`` decide by.
struct LinkingFacts: Sendable {
    let stores: Stores
    let domains: any ProvenDomains

    func rules(_ profile: FederatedProfile, _ connection: Connection) async throws(StoreError) -> LinkingRules {
        var rules = LinkingRules(connection: connection, profile: profile)
        let key = profile.key(at: connection.id)
        try await readKnown(key, &rules)
        guard rules.known == nil else { return rules }
        rules.wasUnlinked = try await stores.identities.wasUnlinked(key)
        try await readHolder(&rules)
        try await readProvisioned(&rules)
        if let phone = profile.phone.flatMap(Identifier.init(loginID:)), phone.kind == .phone {
            rules.phoneHolder = try await stores.users.account(phone)
        }
        // Another request may have linked the identity meanwhile: what was read since is of its own account.
        try await readKnown(key, &rules)
        return rules
    }

    private func readKnown(_ key: FederatedIdentity.Key, _ rules: inout LinkingRules) async throws(StoreError) {
        guard let identity = try await stores.identities.identity(key) else { return }
        rules.known = try await stores.users.account(identity.userID)
        guard let known = rules.known else { return }
        rules.hasKnownEnded = identity.hasEnded(for: known, in: rules.connection.tenantID)
        rules.absence = try await absence(of: known, rules)
    }

    /// Whether the user was taken out of the connection's tenant, and whose the account is by now.
    private func absence(of account: Account, _ rules: LinkingRules) async throws(StoreError) -> Absence {
        let (user, connection) = (account.user.id, rules.connection)
        guard let tenant = connection.tenantID, try await stores.identities.formerTenants(of: user).contains(tenant)
        else {
            return .none
        }
        guard account.passwordHash == nil, !account.hasStrongFactor, account.user.disputedAt == nil,
            !account.reachesOthers, account.memberships.roles.isEmpty,
            account.memberships.tenants.keys.allSatisfy({ $0 == tenant })
        else { return .own }
        let own = try await domains.names(of: tenant)
        let identities = try await stores.identities.identities(of: user)
        // What the tenant's providers said; any other address the user has added, or brought by a merge.
        let ofTenant = identities.filter { $0.providedIn == tenant }
        let told = ofTenant.isEmpty ? [rules.profile.email] : ofTenant.map(\.email)
        let given = Set(told.compactMap { $0.flatMap(Identifier.init(loginID:)) })
        let isElsewhere = account.provedAddresses.contains { address in
            !given.contains(address) || !(EmailDomain(ofAddress: address.value).map { own.contains($0.name) } ?? false)
        }
        let isConnected = identities.contains { identity in
            identity.isByOwner || identity.key.connectionID != connection.id && identity.providedIn != tenant
        }
        let hasDevices = try await !stores.biometrics.keys(of: user).isEmpty
        // A password that a dispute removed was the user's own, too.
        let password = try await stores.passwords.state(of: user)
        let hadPassword = password.setAt != nil || !password.history.isEmpty
        return isElsewhere || isConnected || hasDevices || hadPassword ? .own : .held
    }

    private func readHolder(_ rules: inout LinkingRules) async throws(StoreError) {
        let connection = rules.connection
        guard let email = LinkingRules.address(rules.profile) else { return }
        rules.addressHolder = try await stores.users.account(email)
        if let holder = rules.addressHolder {
            rules.isHolderKnown = try await stores.identities.hasIdentity(
                holder.user.id, at: connection.id, besides: rules.profile.key(at: connection.id))
        }
        // An invitation is the operator's word.
        if rules.addressHolder.map({ $0.identifiers[email] != .verified && $0.user.status != .invited }) ?? true {
            rules.isContact = try await stores.users.isContact(email, besides: rules.addressHolder?.user.id)
        }
        guard let tenant = connection.tenantID, let domain = EmailDomain(ofAddress: email.value) else { return }
        rules.isDomainProven = try await domains.isProven(domain, of: tenant, for: connection)
        if let holder = rules.addressHolder {
            rules.absence = try await absence(of: holder, rules)
            rules.isAdopted = try await stores.provisionedUsers.hasAdopted(holder.user.id, in: tenant)
            let identities = try await stores.identities.identities(of: holder.user.id)
            let ofTenant = identities.filter { $0.providedIn == tenant }
            rules.isConnectedByOwner = !ofTenant.isEmpty && ofTenant.allSatisfy(\.isByOwner)
        }
    }

    private func readProvisioned(_ rules: inout LinkingRules) async throws(StoreError) {
        let names = ProvisionedNames(rules.profile)
        guard let tenant = rules.connection.tenantID, !names.isEmpty else { return }
        rules.provisioned = try await stores.provisionedUsers.match(
            names, in: tenant, connections: [rules.connection.id],
            provenDomains: try await domains.names(of: tenant))
        if let user = rules.provisioned?.account.user.id {
            rules.isProvisionedKnown = try await stores.identities.hasIdentity(
                user, at: rules.connection.id, besides: rules.profile.key(at: rules.connection.id))
        }
    }
}
