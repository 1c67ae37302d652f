internal import KeyturnBase
internal import Model

/// Writes users with everything that belongs to them.
extension StoreWorld {
    mutating func add(_ account: Account) throws(StoreError) {
        let user = account.user
        // Such a name is reserved for a client's own tokens (RFC 9700 §4.15).
        guard !user.id.isClients, users[user.id] == nil else { throw StoreError(.conflict) }
        var stored = user
        stored.epoch = 0
        users[user.id] = UserRow(
            user: stored, identifiers: [:], memberships: Memberships(roles: account.memberships.roles),
            number: nextNumber())
        try insert(account.identifiers, of: user.id, known: [])
        _ = try insert(account.memberships, of: user.id, at: user.createdAt)
        if let hash = account.passwordHash { passwords[user.id, default: PasswordRow()].hash = hash }
    }

    /// Writes everything but the password.
    ///
    /// - Parameters:
    ///   - former: login IDs that the user had, or that come with another account.
    ///   - identity: by which the user signs in; `nil`: none.
    /// - Returns: whether every membership was written (``insert(_:of:)``).
    @discardableResult
    mutating func replace(
        _ account: Account, bringing former: Set<Identifier> = [], signingInBy identity: FederatedIdentity.Key? = nil,
        at now: UnixTime
    ) throws(StoreError) -> Bool {
        let id = account.user.id
        guard var row = users[id] else { throw StoreError(.missing) }
        let before = self.account(row)
        row.user.status = account.user.status
        row.user.claims = account.user.claims
        row.user.attributes = account.user.attributes
        row.user.acceptances = account.user.acceptances
        row.user.isTest = account.user.isTest
        row.user.updatedAt = now
        row.memberships.roles = account.memberships.roles
        if !account.identifiers.isEmpty { row.user.anonymousAt = nil }
        users[id] = row
        note(account, before: before, at: now)
        forgetGiven(account, before: before)
        for identifier in before.identifiers.keys { identifierOwners[identifier] = nil }
        try insert(account.identifiers, of: id, known: former.union(before.identifiers.keys))
        let isComplete = try insert(account.memberships, of: id, at: now)
        if before.user.isAnonymous, !account.identifiers.isEmpty { forgetMethods(of: id, besides: identity, at: now) }
        if let scope = RevocationScope(becoming: account.user.status, at: now) { end(scope, of: id) }
        return isComplete
    }

    /// Removes ways to sign in that were set up before the user had an account.
    private mutating func forgetMethods(of id: UserID, besides identity: FederatedIdentity.Key?, at now: UnixTime) {
        for one in identities(of: id) where one.key != identity {
            withdrawRoles(givenBy: one)
            identities[one.key] = nil
        }
        if identity == nil { endBrought(of: id, at: now) }
        passwords[id] = nil
        authenticators = authenticators.filter { $0.value.owner != .user(id) }
        recoveryCodes[id] = nil
        passkeys = passkeys.filter { $0.value.userID != id }
        biometricKeys = biometricKeys.filter { $0.value.userID != id }
    }

    /// - Parameter known: those that looked like others before, and stay.
    /// - Throws: `conflict` also for a new login ID with a flaw: the ways in say so before.
    private mutating func insert(
        _ identifiers: [Identifier: Account.IdentifierState], of id: UserID, known: Set<Identifier>
    ) throws(StoreError) {
        for identifier in identifiers.keys {
            guard identifier.flaw == nil || known.contains(identifier) else { throw StoreError(.conflict) }
            // The name may be the identifier of another user, and could be confused with it.
            let namesake = UserID(rawValue: identifier.value)
            guard identifierOwners[identifier] == nil, namesake == id || users[namesake] == nil else {
                throw StoreError(.conflict)
            }
            identifierOwners[identifier] = id
        }
        users[id]?.identifiers = identifiers
    }

    /// - Returns: `false` if a tenant's directory has deactivated the user there: no caller writes this
    ///   membership.
    private mutating func insert(_ memberships: Memberships, of id: UserID, at now: UnixTime) throws(StoreError) -> Bool
    {
        var written: [String: [String]] = [:]
        for (tenant, roles) in memberships.tenants {
            try requireTenant(tenant)
            if !isDeactivated(id, in: tenant) { written[tenant] = roles }
        }
        let held = Set(users[id]?.memberships.tenants.keys ?? [:].keys)
        for tenant in held.subtracting(written.keys) {
            noteFormer(id, of: tenant)
            broughtMemberships[id]?[tenant] = nil
            endVouched(by: tenant, of: id, keepsSelected: true, at: now)
        }
        forgetFormer(id, of: Set(written.keys).subtracting(held))
        users[id]?.memberships.tenants = written
        return written.count == memberships.tenants.count
    }

    /// Tenants that deactivated the user keep the resource, with a disabled account that has nothing else.
    mutating func keepDeactivated(_ id: UserID, at now: UnixTime) throws(StoreError) {
        for resource in resources.values where resource.userID == id && !resource.content.isActive {
            let standIn = UserID(rawValue: "\(id.rawValue)/\(resource.number)")
            try add(
                Account(
                    user: User(id: standIn, status: .disabled, createdAt: now, updatedAt: now), identifiers: [:],
                    passwordHash: nil))
            resources[resource.number]?.userID = standIn
            resources[resource.number]?.madeUser = true
            resources[resource.number]?.disabledUser = true
            resources[resource.number]?.givenLoginID = ""
        }
    }

    /// Removes a user with everything that belongs to them.
    mutating func remove(_ id: UserID) {
        guard let row = users.removeValue(forKey: id) else { return }
        for identifier in row.identifiers.keys { identifierOwners[identifier] = nil }
        formerIdentifiers[id] = nil
        newAddresses[id] = nil
        broughtMemberships[id] = nil
        formerMemberships[id] = nil
        returnedMembers[id] = nil
        consents = consents.filter { $0.key.userID != id }
        consoleOperators[id] = nil
        pastSignIns[id] = nil
        removeCredentials(of: id)
        sessions = sessions.filter { $0.value.session.userID != id }
        grants = grants.filter { $0.value.grant.userID != id }
        // An app's session goes with its grant.
        sessions = sessions.filter { row in row.value.session.openedBy.map { grants[$0] != nil } ?? true }
        identities = identities.filter { $0.value.userID != id }
        unlinkedIdentities = unlinkedIdentities.filter { $0.key.userID != id }
        endedIdentities = endedIdentities.filter { $0.userID != id }
        federatedSessions = federatedSessions.filter { $0.value.userID != id }
        formerOrigins = formerOrigins.filter { $0.value.first?.userID != id }
        for resource in resources.values where resource.userID == id { removeResource(resource.number) }
        audit = audit.map { $0.userID == id ? $0.withoutChanges : $0 }
    }

    private mutating func removeCredentials(of id: UserID) {
        passwords[id] = nil
        authenticators = authenticators.filter { $0.value.owner != .user(id) }
        recoveryCodes[id] = nil
        recoveries[id] = nil
        passkeys = passkeys.filter { $0.value.userID != id }
        biometricKeys = biometricKeys.filter { $0.value.userID != id }
        codes = codes.filter { $0.value.facts.userID != id }
        links = links.filter { $0.value.userID != id }
        pendingLinks = pendingLinks.filter { $0.value.userID != id }
    }
}
