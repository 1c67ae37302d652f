internal import Authority
internal import KeyturnBase
internal import Model

/// Users' identities at providers.
struct ValueFederatedIdentityStore: FederatedIdentityStore {
    let database: ValueDatabase

    func identity(_ key: FederatedIdentity.Key) throws(StoreError) -> FederatedIdentity? {
        try database.read { $0.identities[key] }
    }

    func identities(of user: UserID) throws(StoreError) -> [FederatedIdentity] {
        try database.read { $0.identities(of: user) }
    }

    func inUse(at connection: String, after subject: String?, limit: Int, at now: UnixTime)
        throws(StoreError) -> [FederatedIdentity]
    {
        try database.read { world in
            let signedIn = Set(
                world.sessions.values.filter { $0.session.expiresAt > now }.map(\.session.userID)
                    + world.grants.values.filter { $0.isOpen(at: now) }.map(\.grant.userID))
            let found = world.identities.values.filter {
                $0.key.connectionID == connection && $0.key.subject > subject ?? "" && signedIn.contains($0.userID)
            }
            let sorted = found.sorted { ($0.key.subject, $0.key.issuer) < ($1.key.subject, $1.key.issuer) }
            return Array(sorted.prefix(limit))
        }
    }

    func wasUnlinked(_ key: FederatedIdentity.Key) throws(StoreError) -> Bool {
        try database.read { world in
            world.unlinkedIdentities.keys.contains { $0.key == key && !world.endedIdentities.contains($0) }
        }
    }

    func hasIdentity(_ user: UserID, at connection: String, besides key: FederatedIdentity.Key?)
        throws(StoreError) -> Bool
    {
        try database.read { world in
            world.identities.values.contains { $0.userID == user && $0.key.connectionID == connection }
                || world.unlinkedIdentities.keys.contains {
                    $0.userID == user && $0.key.connectionID == connection
                        && !($0.key == key && world.endedIdentities.contains($0))
                }
        }
    }

    func formerTenants(of user: UserID) throws(StoreError) -> Set<String> {
        try database.read { $0.formerMemberships[user] ?? [] }
    }

    func link(_ identity: FederatedIdentity, by allowed: consuming Allowed<Acts.LinkIdentity>)
        throws(StoreError) -> IdentityLinking
    {
        let grounds = allowed.grounds
        let user = identity.userID
        guard user == grounds.user else { throw StoreError(.forbidden) }
        return try database.write { world in
            guard let account = world.account(user), account.user.epoch == grounds.epoch else { return .overtaken }
            guard grounds.hold(for: account.standing) else { throw StoreError(.forbidden) }
            if let present = world.identities[identity.key] { return present.userID == user ? .present : .taken }
            let count = world.identities.values.count { $0.userID == user }
            guard count < Limits.identitiesOfUserMax else { return .tooMany }
            world.insert(identity)
            world.removeAddressChanges(of: user)
            return .linked
        }
    }

    func create(
        _ account: Account, with identity: FederatedIdentity, by allowed: consuming Allowed<Acts.CreateAccount>
    ) throws(StoreError) -> Bool {
        try allowed.grounds.requireNewUser()
        do throws(StoreError) {
            try database.write { world in
                try world.add(account)
                guard identity.userID == account.user.id, world.identities[identity.key] == nil else {
                    throw StoreError(.conflict)
                }
                world.insert(identity)
                if let tenant = identity.providedIn {
                    world.noteBrought(identity.userID, in: tenant, at: identity.linkedAt)
                }
            }
            return true
        } catch {
            guard error.code == .conflict else { throw error }
            return false
        }
    }

    func use(
        _ use: IdentityUse, by allowed: consuming Allowed<Acts.ChangeAccount>, at now: UnixTime,
        _ rule: @escaping IdentityRule
    ) throws(StoreError) -> Account {
        let grounds = allowed.grounds
        return try database.write { world in
            guard let identity = world.identities[use.key], identity.userID == grounds.user else {
                throw StoreError(.missing)
            }
            let before = try world.permitted(grounds)
            guard !identity.hasEnded(for: before, in: use.tenantID) else { throw StoreError(.missing) }
            let former = use.tenantID.flatMap { world.isFormer(grounds.user, of: $0) ? $0 : nil }
            guard former == nil || use.endsAbsence else { throw StoreError(.missing) }
            var account = before
            let given = rule(&account, world.facts(identity, use))
            try grounds.requireCover(of: before, account)
            var isComplete = true
            if account != before {
                isComplete = try world.replace(account, signingInBy: use.key, at: now)
                if let tenant = use.tenantID, before.memberships.tenants[tenant] == nil {
                    world.noteBrought(grounds.user, in: tenant, at: now)
                }
                world.noteProvided(use, account, before: before)
                if account.isNamedAnew(since: before) { world.noteOthers(grounds.user, at: now) }
            }
            if let former { world.endAbsence(of: grounds.user, from: former, at: now) }
            world.identities[use.key]?.note(use, given, at: now)
            // Provisioning may keep the user out of a tenant: the account is not what the rule made of it.
            guard isComplete else { return world.account(grounds.user) ?? account }
            if account != before { account.user.updatedAt = now }
            if !account.identifiers.isEmpty { account.user.anonymousAt = nil }
            return account
        }
    }

    func unlink(
        _ key: FederatedIdentity.Key, by allowed: consuming Allowed<Acts.UnlinkIdentity>, leaving ways: SignInWays,
        at now: UnixTime
    ) throws(StoreError) -> IdentityUnlinking {
        let grounds = allowed.grounds
        let user = grounds.user
        return try database.write { world in
            guard let account = world.account(user) else { return .missing }
            guard grounds.hold(for: account.standing) else { throw StoreError(.forbidden) }
            guard let before = world.identities[key], before.userID == user else { return .missing }
            let removed = try world.keep(ways, of: user) { $0.identities.removeValue(forKey: key) }
            guard removed != nil else { return .lastWay }
            world.withdrawRoles(givenBy: before)
            world.endBrought(with: before, at: now)
            world.noteDisconnected(before)
            return .unlinked
        }
    }
}

extension StoreWorld {
    fileprivate mutating func insert(_ identity: FederatedIdentity) {
        var identity = identity
        // To link again what a provider's word had linked makes no link of the owner's.
        endedIdentities.remove(identity.endedKey)
        if let former = unlinkedIdentities.removeValue(forKey: identity.endedKey) {
            identity.isByOwner = identity.isByOwner && former.isByOwner
        }
        identities[identity.key] = identity
    }

    fileprivate func facts(_ identity: FederatedIdentity, _ use: IdentityUse) -> IdentityUseFacts {
        let user = identity.userID
        let isTaken = use.address.map { address in
            identifierOwners[address].map { $0 != user } ?? false || isContact(address, besides: user)
        }
        let isProvisioned = use.tenantID.map { tenant in
            resources.values.contains { $0.userID == user && $0.tenantID == tenant }
        }
        return IdentityUseFacts(
            identity: identity, rolesElsewhere: rolesFromElsewhere(of: user, in: use.tenantID, besides: use.key),
            isAddressFree: isTaken != true, isProvisioned: isProvisioned ?? false)
    }
}

extension FederatedIdentity {
    fileprivate mutating func note(_ use: IdentityUse, _ given: [String], at now: UnixTime) {
        email = use.email
        name = use.name
        usedAt = now
        if let signedOut = signedOutAt, signedOut >= now { signedOutAt = now - 1 }
        providedRoles = given
        providedIn = use.tenantID
    }
}
