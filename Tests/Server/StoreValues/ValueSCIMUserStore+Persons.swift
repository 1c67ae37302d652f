internal import Authority
internal import KeyturnBase
internal import Model

/// Who a provisioned user is.
extension ValueSCIMUserStore {
    func match(
        _ names: ProvisionedNames, in tenant: String, connections: [String], provenDomains: Set<String>
    ) throws(StoreError) -> ProvisionedMatch? {
        try database.read { world in
            guard let row = world.resource(named: names, in: tenant), let user = row.userID,
                let account = world.account(user)
            else { return nil }
            let means = TenantMeans(connections: connections, provenDomains: provenDomains)
            return ProvisionedMatch(
                account: account, isActive: row.content.isActive,
                isHeldHereAlone: world.isHeldHereAlone(row, user, means),
                isDisabledElsewhere: world.isDisabledElsewhere(row, user))
        }
    }

    func rejoin(
        _ id: String, by allowed: consuming Allowed<Acts.Provision>, _ profile: SCIMProfile, connections: [String],
        at now: UnixTime
    ) throws(StoreError) -> UserID? {
        let grounds = allowed.grounds
        let tenant = try grounds.requireTenant()
        return try database.write { world in
            guard let row = world.resource(id, .user, in: tenant), let user = row.userID, world.isUnused(user),
                world.isSoleHolder(row, user), !world.isDisabledElsewhere(row, user)
            else { return nil }
            let external = row.content.attributes["externalId"]?.stringValue
            if let person = world.person(of: profile, external, in: tenant, connections: connections), person != user {
                return try world.move(row, from: user, to: person, by: profile, at: now) ? person : nil
            }
            let said = profile.email.flatMap(Identifier.init(loginID:))
            guard var account = world.account(user), account.provedAddresses.allSatisfy({ $0 == said }),
                world.allows(.addAddress, of: user, in: tenant, grounds)
            else { return nil }
            let before = account
            let given = profile.apply(
                to: &account, isFree: world.isFree(profile, for: user), replacing: row.record.email, given: nil)
            guard account != before else { return nil }
            try world.replace(account, at: now)
            world.resources[row.number]?.givenLoginID = given?.value ?? ""
            return user
        }
    }
}

extension StoreWorld {
    /// The user that the names stand for: one whom another caller than the directory disabled, by whichever of the names;
    /// else the one user with a name, by the first kind of name that there is one for.
    fileprivate func resource(
        named names: ProvisionedNames, in tenant: String, besides own: Int64? = nil
    ) -> ResourceRow? {
        let users = resources.values.filter { $0.tenantID == tenant && $0.kind == .user && $0.number != own }
            .sorted { $0.number < $1.number }
        let kinds: [[ResourceRow]] = [
            users.filter { $0.content.externalID.map(names.externalIDs.contains) ?? false },
            users.filter { names.userNames.contains($0.content.nameKey) },
            users.filter { row in
                row.content.values.contains { $0.path == "emails.value" && names.emails.contains($0.text) }
            },
        ]
        if let disabled = kinds.joined().first(where: { isDisabledElsewhere($0) }) { return disabled }
        let found = kinds.first { !$0.isEmpty } ?? []
        return found.count == 1 ? found[0] : nil
    }

    private func isDisabledElsewhere(_ row: ResourceRow) -> Bool {
        row.userID.map { isDisabledElsewhere(row, $0) } ?? false
    }

    /// A user whom another caller than the directory disabled keeps the names.
    ///
    /// - Throws: `conflict` if the content takes a name of such a user.
    func requireFreeNames(_ content: SCIMContent, besides record: SCIMRecord?, in tenant: String) throws(StoreError) {
        let names = content.takenNames(besides: record)
        guard let row = resource(named: names, in: tenant, besides: record?.number), isDisabledElsewhere(row) else {
            return
        }
        throw StoreError(.conflict)
    }

    /// The person's own account: the one that has verified the address in a proven domain, else the one that the tenant's
    /// own provider knows by the external identifier. The tenant may have no user with the second one yet.
    func person(of profile: SCIMProfile, _ external: String?, in tenant: String, connections: [String]) -> UserID? {
        if let owner = owner(of: profile) { return owner }
        let own = connections.prefix(Limits.connectionsMax)
        guard let external, !external.isEmpty else { return nil }
        let known = identities.values.filter { $0.key.subject == external && own.contains($0.key.connectionID) }
        let free = Set(known.map(\.userID)).filter { user in
            !resources.values.contains { $0.userID == user && $0.tenantID == tenant }
        }
        return free.count == 1 ? free.first : nil
    }

    /// The account that has verified the address, if the tenant has proven its domain.
    private func owner(of profile: SCIMProfile) -> UserID? {
        guard profile.isEmailProven, let email = profile.email.flatMap(Identifier.init(loginID:)),
            let owner = identifierOwners[email], users[owner]?.identifiers[email] == .verified
        else { return nil }
        return owner
    }

    /// Whether no one ever signed in to the account, and no one can.
    fileprivate func isUnused(_ user: UserID) -> Bool {
        users[user]?.identifiers.isEmpty == true && passwords[user]?.hash == nil
            && !identities.values.contains { $0.userID == user }
            && !authenticators.values.contains { $0.owner == .user(user) }
            && !passkeys.values.contains { $0.userID == user }
            && !biometricKeys.values.contains { $0.userID == user }
            && !sessions.values.contains { $0.session.userID == user }
            && !grants.values.contains { $0.grant.userID == user }
    }

    /// The resource is about another account from now on. The one that it had is of no use, and goes.
    ///
    /// - Returns: `false` if another resource of the tenant is about that account.
    fileprivate mutating func move(
        _ row: ResourceRow, from user: UserID, to person: UserID, by profile: SCIMProfile, at now: UnixTime
    ) throws(StoreError) -> Bool {
        let tenant = row.tenantID
        guard !resources.values.contains(where: { $0.userID == person && $0.tenantID == tenant }) else { return false }
        resources[row.number]?.userID = person
        resources[row.number]?.madeUser = false
        resources[row.number]?.disabledUser = false
        resources[row.number]?.givenLoginID = ""
        noteBrought(row.number, naming: person, by: profile)
        remove(user)
        if row.content.isActive {
            try join(person, row.number, in: tenant)
            giveRoles(to: person, row.number, in: tenant)
        } else {
            leave(person, tenant, isSole: false, at: now)
        }
        return true
    }
}
