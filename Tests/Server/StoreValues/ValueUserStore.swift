internal import Authority
internal import KeyturnBase
internal import Model

/// Users, identifiers, passwords and memberships.
struct ValueUserStore: UserStore {
    let database: ValueDatabase

    func account(_ identifier: Identifier) throws(StoreError) -> Account? {
        try database.read { world in world.identifierOwners[identifier].flatMap { world.account($0) } }
    }

    func account(_ id: UserID) throws(StoreError) -> Account? {
        try database.read { $0.account(id) }
    }

    func isContact(_ address: Identifier, besides user: UserID?) throws(StoreError) -> Bool {
        try database.read { $0.isContact(address, besides: user) }
    }

    func accounts(after last: UserID?, limit: Int) throws(StoreError) -> [Account] {
        try database.read { world in
            let ids = world.users.keys.filter { $0.rawValue > last?.rawValue ?? "" }
            return ids.sorted { $0.rawValue < $1.rawValue }.prefix(limit).compactMap { world.account($0) }
        }
    }

    func create(_ account: Account, authenticator: StoredTOTP?, by allowed: consuming Allowed<Acts.CreateAccount>)
        throws(StoreError)
    {
        let isOfOthers = allowed.grounds.isOfOthers && (authenticator != nil || account.hasMoreThanOneName)
        try allowed.grounds.requireNewUser()
        try database.write { world in
            try world.add(account)
            try world.addFirst(authenticator, of: account.user.id, at: account.user.createdAt)
            if isOfOthers { world.noteOthers(account.user.id, areOperators: true, at: account.user.createdAt) }
        }
    }

    func create(_ account: Account, withAccepted id: [UInt8], by allowed: consuming Allowed<Acts.CreateAccount>)
        throws(StoreError)
    {
        try allowed.grounds.requireNewUser()
        try database.write { world in
            try world.add(account)
            guard let row = world.authenticators[id], case .signUp = row.owner, row.stored.isConfirmed else {
                throw StoreError(.missing)
            }
            let stored = row.stored
            world.authenticators[id] = AuthenticatorRow(
                stored: stored.stored(
                    isConfirmed: true, usedStep: stored.usedStep, facts: nil, begunIn: stored.begunIn,
                    at: stored.createdAt),
                owner: .user(account.user.id))
        }
    }

    func change(
        by allowed: consuming Allowed<Acts.ChangeAccount>, leaving ways: SignInWays?, at now: UnixTime,
        _ rule: @escaping @Sendable (inout Account) -> Void
    ) throws(StoreError) -> Account {
        let grounds = allowed.grounds
        let isMachines = allowed.caller.kind == .machine
        return try database.write { world in
            let before = try world.permitted(grounds)
            var account = before
            rule(&account)
            try grounds.requireCover(of: before, account)
            if !isMachines, before.user.status == .active, account.user.status != .active {
                try world.requireAnotherOwner(than: before)
            }
            let changed = account
            let isComplete = try world.keep(ways, of: grounds.user) { try $0.replace(changed, at: now) }
            guard let isComplete else { return before }
            if grounds.isOfOthers, account.isNamedAnew(since: before) {
                world.noteOthers(grounds.user, areOperators: grounds.isOfOperator, at: now)
            }
            if grounds.aspects.contains(.status) { world.forgetDisabling(grounds.user) }
            // Provisioning may keep the user out of a tenant: the account is not what the rule made of it.
            guard isComplete else { return world.account(grounds.user) ?? account }
            account.user.updatedAt = now
            if !account.identifiers.isEmpty { account.user.anonymousAt = nil }
            return account
        }
    }

    func merge(
        by allowed: consuming Allowed<Acts.MergeAccounts>, with other: consuming Allowed<Acts.GiveUpAccount>,
        proved identifier: Identifier, keeping kept: UserMerge.Kept, at now: UnixTime
    ) throws(StoreError) -> Account {
        let (asks, gives) = (allowed.grounds, other.grounds)
        let caller = allowed.caller.kind
        guard asks.user != gives.user else { throw StoreError(.missing) }
        return try database.write { world in
            let (one, other) = (try world.permitted(asks), try world.permitted(gives))
            let asking = kept == .asking ? one : world.carried(one, into: other.user.id)
            let existing = kept == .asking ? world.carried(other, into: one.user.id) : other
            guard
                var plan = UserMerge.plan(
                    asking: asking, existing: existing, proved: identifier, keeping: kept,
                    isAskedBySession: ![.operator, .managementKey].contains(caller))
            else { throw StoreError(.conflict) }
            let id = plan.account.user.id
            if caller != .machine { try world.requireAnotherOwner(than: plan.removed == one.user.id ? one : other) }
            let brought = [.operator, .managementKey, .machine].contains(caller) ? nil : now
            world.move(from: plan.removed, to: id, brought: brought, at: now)
            world.moveMemberships(from: plan.removed, to: id, at: brought)
            world.remove(plan.removed)
            try world.replace(
                plan.account, bringing: Set(one.identifiers.keys).union(other.identifiers.keys), at: now)
            let removed = plan.removed == one.user.id ? one : other
            if asks.isOfOthers || removed.user.othersAt != nil {
                let areOperators = asks.isOfOthers && asks.isOfOperator || removed.user.operatorsAt != nil
                world.noteOthers(id, areOperators: areOperators, at: now)
            }
            if let endedAt = removed.user.endedAt { world.noteEnd(of: id, at: endedAt) }
            plan.account.user.endedAt = [one, other].compactMap(\.user.endedAt).max()
            if plan.voidsPassword {
                world.passwords[id]?.hash = nil
                world.end(RevocationScope(.credentialChanged, at: now), of: id)
                plan.account.user.epoch += 1
                plan.account.user.endedAt = now
            }
            plan.account.user.updatedAt = now
            return plan.account
        }
    }

    func rehash(_ id: UserID, from old: String, to new: String) throws(StoreError) {
        try database.write { world in
            if world.passwords[id]?.hash == old { world.passwords[id]?.hash = new }
        }
    }

    func delete(by allowed: consuming Allowed<Acts.DeleteAccount>, at now: UnixTime) throws(StoreError) -> Bool {
        let grounds = allowed.grounds
        let isMachines = allowed.caller.kind == .machine
        return try database.write { world in
            guard let account = world.account(grounds.user) else { return false }
            guard grounds.hold(for: account.standing) else { throw StoreError(.forbidden) }
            if !isMachines { try world.requireAnotherOwner(than: account) }
            world.addLogoutNotices(at: now) { $0.grant.userID == grounds.user }
            world.forgetAttempts(at: account)
            try world.keepDeactivated(grounds.user, at: now)
            world.remove(grounds.user)
            return true
        }
    }

    func deleteTestUsers(by allowed: consuming Allowed<Acts.DeleteAccount>, limit: Int) throws(StoreError) -> [UserID] {
        try allowed.grounds.requireNoUser()
        return try database.write { world in
            let tests = world.users.values.filter(\.user.isTest).sorted { $0.number < $1.number }
            let ids = tests.prefix(limit).map(\.user.id)
            for id in ids { world.remove(id) }
            return ids
        }
    }
}

extension StoreWorld {
    /// Whether it is the contact of another account that has proved it.
    func isContact(_ address: Identifier, besides user: UserID?) -> Bool {
        accounts.contains { $0.user.id != user && $0.knowsVerified(address) }
    }

    /// What goes from an account that is merged to the one that stays.
    fileprivate mutating func move(from old: UserID, to new: UserID, brought: UnixTime?, at now: UnixTime) {
        // To a provider that the account did not have they are what its owner linked.
        let known = Set(
            (Array(identities.values) + unlinkedIdentities.values).filter { $0.userID == new }.map(\.key.connectionID))
        for identity in identities.values where identity.userID == old {
            // New to this account, as a dispute must see them.
            identities[identity.key] = identity.moved(to: new, knowing: known, at: now)
        }
        // The user disconnected them: they open the account that stays no more than the one that goes.
        for identity in unlinkedIdentities.values where identity.userID == old {
            let moved = identity.moved(to: new, knowing: known, at: now)
            let isKnown = unlinkedIdentities[moved.endedKey] != nil
            let isOfConnection = endedIdentities.contains(identity.endedKey)
            if !isKnown { unlinkedIdentities[moved.endedKey] = moved }
            if !isOfConnection {
                endedIdentities.remove(moved.endedKey)
            } else if !isKnown {
                endedIdentities.insert(moved.endedKey)
            }
        }
        // What directories manage goes along, unless the same tenant's directory has both.
        let own = Set(resources.values.filter { $0.userID == new }.map(\.tenantID))
        for row in resources.values where row.userID == old && !own.contains(row.tenantID) {
            resources[row.number]?.userID = new
            resources[row.number]?.broughtAt = brought ?? row.broughtAt
        }
        // None has made the account any longer, once another one of the user's is in it.
        for row in resources.values where row.userID == new {
            resources[row.number]?.madeUser = false
            resources[row.number]?.givenLoginID = ""
        }
    }
}

extension FederatedIdentity {
    fileprivate func moved(to user: UserID, knowing connections: Set<String>, at now: UnixTime) -> FederatedIdentity {
        var identity = FederatedIdentity(
            key: key, userID: user, email: email, name: name, linkedAt: now, usedAt: usedAt,
            isByOwner: isByOwner || !connections.contains(key.connectionID))
        identity.providedRoles = providedRoles
        identity.providedIn = providedIn
        return identity
    }
}
