internal import Authority
internal import KeyturnBase
internal import Model

/// Provisioned users with their memberships and accounts.
struct ValueSCIMUserStore: SCIMUserStore {
    let database: ValueDatabase

    func createUser(_ user: NewSCIMUser, by allowed: consuming Allowed<Acts.Provision>, at now: UnixTime)
        throws(StoreError) -> SCIMRecord
    {
        let tenant = try allowed.grounds.requireTenant()
        return try database.write { world in
            try world.requireTenant(tenant)
            try world.requireFreeNames(user.content, besides: nil, in: tenant)
            let present = world.person(
                of: user.profile, user.content.externalID, in: tenant, connections: user.connections)
            let id = present ?? user.userID
            let given = try present == nil ? world.addAccount(of: user, at: now) : nil
            let number = try world.insert(
                user.id, .user, in: tenant, user.content, user: id, madeUser: present == nil, at: now)
            world.resources[number]?.givenLoginID = given?.value ?? ""
            if present != nil { world.noteBrought(number, naming: id, by: user.profile) }
            if user.content.isActive {
                try world.join(id, number, in: tenant)
            } else if present != nil {
                world.leave(id, tenant, isSole: false, at: now)
            } else {
                world.resources[number]?.disabledUser = true
            }
            guard let row = world.resources[number] else { throw StoreError(.unavailable) }
            return row.record
        }
    }

    func changeUser(
        _ id: String, by allowed: consuming Allowed<Acts.Provision>, connections: [String],
        provenDomains: Set<String>, at now: UnixTime, _ rule: @escaping SCIMUserRule
    ) throws(StoreError) -> Result<SCIMRecord, SCIMProblem> {
        let grounds = allowed.grounds
        let tenant = try grounds.requireTenant()
        return try database.write { world in
            guard let row = world.resource(id, .user, in: tenant), let user = row.userID else {
                throw StoreError(.missing)
            }
            switch rule(row.record) {
            case .failure(let problem): return .failure(problem)
            case .success(nil): return .success(row.record)
            case .success(let change?):
                if !row.record.keepsNames(change.content), world.isDisabledElsewhere(row, user) {
                    return .failure(.locked)
                }
                try world.requireFreeNames(change.content, besides: row.record, in: tenant)
                try world.replace(row, change.content, at: now)
                let means = TenantMeans(connections: connections, provenDomains: provenDomains)
                let given = try world.follow(row, user, change, means, grounds, at: now)
                world.resources[row.number]?.givenLoginID = given?.value ?? ""
                return .success((world.resources[row.number] ?? row).record)
            }
        }
    }

    func deleteUser(
        _ id: String, by allowed: consuming Allowed<Acts.Provision>, version: Int64?, connections: [String],
        provenDomains: Set<String>, at now: UnixTime
    ) throws(StoreError) -> SCIMDeletion {
        let grounds = allowed.grounds
        let tenant = try grounds.requireTenant()
        return try database.write { world in
            guard let row = world.resource(id, .user, in: tenant), let user = row.userID else { return .missing }
            if let version, version != row.version { return .changed }
            if world.isDisabledElsewhere(row, user) {
                world.leave(user, tenant, isSole: false, at: now)
                world.deactivate(row, at: now)
                return .deleted(account: user, isAccountRemoved: false)
            }
            let means = TenantMeans(connections: connections, provenDomains: provenDomains)
            let isRemoved =
                world.isHeldHereAlone(row, user, means) && world.account(user)?.user.status != .invited
                && world.allows(.deleteAccount, of: user, in: tenant, grounds)
            if isRemoved {
                world.addLogoutNotices(at: now) { $0.grant.userID == user }
                // The resource, its groups and everything of the user's go with it.
                world.remove(user)
            } else {
                world.leave(user, tenant, isSole: world.reaches(row, user, means), at: now)
                world.removeResource(row.number)
            }
            return .deleted(account: user, isAccountRemoved: isRemoved)
        }
    }

    func hasAdopted(_ user: UserID, in tenant: String) throws(StoreError) -> Bool {
        try database.read { world in
            world.resources.values.contains { $0.tenantID == tenant && $0.userID == user && !$0.madeUser }
        }
    }

    func isIndependent(_ user: UserID, of tenant: String, connections: [String]) throws(StoreError) -> Bool {
        try database.read { world in
            if world.isFormer(user, of: tenant) { return true }
            let made = world.resources.values.first { $0.tenantID == tenant && $0.userID == user }?.madeUser
            guard made != true else { return false }
            let own = connections.prefix(Limits.connectionsMax)
            let links = world.identities.values.filter { $0.userID == user && own.contains($0.key.connectionID) }
            let isFormer = world.unlinkedIdentities.values.contains {
                $0.userID == user && !$0.isByOwner && own.contains($0.key.connectionID)
            }
            guard !isFormer else { return false }
            return links.isEmpty ? made == false : links.allSatisfy(\.isByOwner)
        }
    }
}

extension StoreWorld {
    /// Whether no other user has the address: as a login ID, verified or not, or as a contact that was proved.
    func isFree(_ profile: SCIMProfile, for user: UserID) -> Bool {
        guard let email = profile.email.flatMap(Identifier.init(loginID:)) else { return false }
        return identifierOwners[email].map { $0 == user } ?? true && !isContact(email, besides: user)
    }

    /// An operator or a command changed the status: a directory that disabled the user before does not change it back.
    mutating func forgetDisabling(_ user: UserID) {
        for (number, row) in resources where row.userID == user && row.disabledUser {
            resources[number]?.disabledUser = false
        }
    }

    /// - Returns: the login ID that the directory gives the account.
    fileprivate mutating func addAccount(of new: NewSCIMUser, at now: UnixTime) throws(StoreError) -> Identifier? {
        let status = new.content.isActive ? User.Status.active : .disabled
        var account = Account(
            user: User(id: new.userID, status: status, createdAt: now, updatedAt: now), identifiers: [:],
            passwordHash: nil)
        let given = new.profile.apply(
            to: &account, isFree: isFree(new.profile, for: new.userID), replacing: nil, given: nil)
        try add(account)
        return given
    }

    /// What a change means for the membership, and for an account that the directory reaches.
    ///
    /// - Returns: the login ID that the directory gives from now on.
    fileprivate mutating func follow(
        _ row: ResourceRow, _ user: UserID, _ change: SCIMUserChange, _ means: TenantMeans, _ grounds: Grounds,
        at now: UnixTime
    ) throws(StoreError) -> Identifier? {
        let former = self.given(row, user, means)
        var given = former
        let (tenant, number) = (row.tenantID, row.number)
        let isHeldAlone = isHeldHereAlone(row, user, means)
        let becomes = row.content.isActive == change.content.isActive ? nil : change.content.isActive
        let restores =
            becomes == true && row.disabledUser && allows(.restoreAccess, of: user, in: tenant, grounds)
        if becomes == true {
            try join(user, number, in: tenant)
            if isHeldAlone { endAbsence(of: user, from: tenant, at: now) }
        }
        // Who joins or leaves by this change is a member for what else it says.
        let reaches = self.reaches(row, user, means)
        if becomes == false { leave(user, tenant, isSole: reaches, at: now) }
        guard reaches || restores, var account = account(user) else { return given }
        let before = account
        if reaches, !isDisabledElsewhere(row, user), allows(.addAddress, of: user, in: tenant, grounds) {
            // Whose account is their own by now gets a login ID in place of the given one alone.
            let mayGive = (isHeldAlone || given != nil) && isFree(change.profile, for: user)
            given = change.profile.apply(
                to: &account, isFree: mayGive, replacing: row.record.email, given: given, isHeldAlone: isHeldAlone)
        }
        if becomes == false, isHeldAlone, account.user.status == .active,
            allows(.changeStatus, of: user, in: tenant, grounds)
        {
            account.user.status = .disabled
            resources[number]?.disabledUser = true
        }
        if restores {
            account.user.status = .active
            resources[number]?.disabledUser = false
        }
        if account != before { try replace(account, at: now) }
        if former != nil, given != former { noteOthers(user, at: now) }
        return given
    }

    /// Whether another caller than the directory disabled the user.
    func isDisabledElsewhere(_ row: ResourceRow, _ user: UserID) -> Bool {
        guard let account = account(user), [.disabled, .expired].contains(account.user.status) else { return false }
        return !row.disabledUser
    }

    fileprivate mutating func deactivate(_ row: ResourceRow, at now: UnixTime) {
        var content = row.content
        content.isActive = false
        content.attributes["active"] = false
        content.values = content.values.map {
            $0.path == "active" ? SCIMContent.Value($0.path, element: $0.element, "false") : $0
        }
        resources[row.number]?.content = content
        resources[row.number]?.version += 1
        resources[row.number]?.updatedAt = now
        members = members.filter { $0.user != row.number }
    }

    /// Whether the directory may do more to an account that it reaches (``reaches(_:_:_:)``). The user is a member for
    /// this question: one who is deactivated is none.
    func allows(_ act: Act, of user: UserID, in tenant: String, _ grounds: Grounds) -> Bool {
        guard var standing = account(user)?.standing else { return false }
        standing.tenants.insert(tenant)
        return grounds.allow(act, on: standing)
    }
}
