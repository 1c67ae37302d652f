internal import Authority
internal import KeyturnBase
internal import Model

/// Provisioned users with their memberships and accounts.
struct SQLSCIMUserStore: SCIMUserStore {
    let database: any SQLDatabase

    func createUser(_ user: NewSCIMUser, by allowed: consuming Allowed<Acts.Provision>, at now: UnixTime)
        async throws(StoreError) -> SCIMRecord
    {
        let tenant = try allowed.grounds.requireTenant()
        return try await database.write(.locking([.name(Self.lock(tenant))])) { db in
            try SQLUserStore.requireTenant(tenant, db)
            try Self.requireFreeNames(user.content, besides: nil, in: tenant, db)
            let present = try Self.person(of: user.profile, user.content.externalID, in: tenant, user.connections, db)
            let id = present ?? user.userID
            let given = try present == nil ? Self.add(user, db, at: now) : nil
            let number = try SCIMColumns.insert(
                user.id, .user, in: tenant, user.content, user: id, madeUser: present == nil, given: given, db,
                at: now)
            if present != nil { try BroughtMemberships.note(number, naming: id, by: user.profile, db) }
            if user.content.isActive {
                try SCIMMembership.join(id, number, in: tenant, db)
            } else if present != nil {
                try SCIMMembership.leave(id, tenant, isSole: false, db, at: now)
            } else {
                try db.run("UPDATE scim_resource SET disabled_user = 1 WHERE number = ?", [number])
            }
            guard let record = try SCIMColumns.find(user.id, .user, in: tenant, db) else {
                throw SQLProblem.noRow
            }
            return record
        }
    }

    func changeUser(
        _ id: String, by allowed: consuming Allowed<Acts.Provision>, connections: [String],
        provenDomains: Set<String>, at now: UnixTime, _ rule: @escaping SCIMUserRule
    ) async throws(StoreError) -> Result<SCIMRecord, SCIMProblem> {
        let grounds = allowed.grounds
        let tenant = try grounds.requireTenant()
        return try await database.write(.locking([.name(Self.lock(tenant))])) { db in
            guard let record = try SCIMColumns.find(id, .user, in: tenant, db), let user = record.userID else {
                throw StoreError(.missing)
            }
            switch rule(record) {
            case .failure(let problem): return .failure(problem)
            case .success(nil): return .success(record)
            case .success(let change?):
                // Else the names would be free for a resource of the same person with another account.
                if !record.keepsNames(change.content), try Self.isDisabledElsewhere(record, user, db) {
                    return .failure(.locked)
                }
                try Self.requireFreeNames(change.content, besides: record, in: tenant, db)
                try SCIMColumns.replace(record, change.content, db, at: now)
                let hold = try Self.hold(record, user, connections, provenDomains, db)
                let given = try Self.follow(hold, change, grounds, db, at: now)
                try Self.noteGiven(given, of: record, saying: change.content, db)
                return .success(try SCIMColumns.find(id, .user, in: tenant, db) ?? record)
            }
        }
    }

    func deleteUser(
        _ id: String, by allowed: consuming Allowed<Acts.Provision>, version: Int64?, connections: [String],
        provenDomains: Set<String>, at now: UnixTime
    ) async throws(StoreError) -> SCIMDeletion {
        let grounds = allowed.grounds
        let tenant = try grounds.requireTenant()
        return try await database.write(.locking([.name(Self.lock(tenant))])) { db in
            guard let record = try SCIMColumns.find(id, .user, in: tenant, db), let user = record.userID else {
                return .missing
            }
            if let version, version != record.version { return .changed }
            // Else the directory would have the user anew, with another account.
            if try Self.isDisabledElsewhere(record, user, db) {
                try SCIMMembership.leave(user, tenant, isSole: false, db, at: now)
                try SCIMColumns.deactivate(record, db, at: now)
                return .deleted(account: user, isAccountRemoved: false)
            }
            let hold = try Self.hold(record, user, connections, provenDomains, db)
            let isRemoved =
                try Self.isHeldHereAlone(hold, db)
                && SQLUserStore.find(user, db)?.user.status != .invited
                && Self.allows(.deleteAccount, of: user, in: tenant, grounds, db)
            if isRemoved {
                try SQLLogoutNoticeStore.add("user_id = ?", [user.rawValue], db, at: now)
                // The resource, its groups and everything of the user's go with it.
                try db.run("DELETE FROM \"user\" WHERE id = ?", [user.rawValue])
            } else {
                try SCIMMembership.leave(user, tenant, isSole: try Self.reaches(hold, db), db, at: now)
                try db.run("DELETE FROM scim_resource WHERE number = ?", [record.number])
            }
            return .deleted(account: user, isAccountRemoved: isRemoved)
        }
    }

    func hasAdopted(_ user: UserID, in tenant: String) async throws(StoreError) -> Bool {
        try await database.read { db in
            try !db.search(
                "SELECT 1 AS one FROM scim_resource WHERE tenant_id = ? AND user_id = ? AND made_user = 0 LIMIT 1",
                [tenant, user.rawValue]
            ).isEmpty
        }
    }

    func isIndependent(_ user: UserID, of tenant: String, connections: [String]) async throws(StoreError) -> Bool {
        try await database.read { db in
            // Who was taken out and called back by the tenant has not come back yet.
            if try FormerMemberships.has(user, of: tenant, db) { return true }
            let made: Bool? = try db.first(
                "SELECT made_user FROM scim_resource WHERE tenant_id = ? AND user_id = ? LIMIT 1",
                [tenant, user.rawValue])?["made_user"]
            guard made != true else { return false }
            let own = Array(connections.prefix(Limits.connectionsMax))
            guard !own.isEmpty else { return made == false }
            let marks = own.map { _ in "?" }.joined(separator: ", ")
            let links = try db.search(
                "SELECT by_owner FROM federated_identity WHERE user_id = ? AND connection_id IN (\(marks))",
                [user.rawValue] + own
            ).map { $0["by_owner"] as Bool }
            // Whom the provider made or linked once is its user, whichever identity the owner linked since.
            let former = try db.first(
                """
                SELECT 1 FROM unlinked_identity WHERE user_id = ? AND by_owner = 0 AND connection_id IN (\(marks)) LIMIT 1
                """, [user.rawValue] + own)
            guard former == nil else { return false }
            return links.isEmpty ? made == false : links.allSatisfy { $0 }
        }
    }

    /// An operator or a command changed the status: a directory that disabled the user before does not change it back.
    static func forgetDisabling(_ user: UserID, _ db: SQLSession) throws {
        try db.run("UPDATE scim_resource SET disabled_user = 0 WHERE user_id = ?", [user.rawValue])
    }

    static func lock(_ tenant: String) -> String { "scim:\(tenant)" }

    /// A resource with its account, and what is the tenant's own there: by it is told what the user has elsewhere.
    struct Hold {
        let record: SCIMRecord
        let user: UserID
        let connections: [String]
        /// The login ID of the account that the directory gave.
        let given: Identifier?
    }
}

extension SQLSCIMUserStore {
    /// The account that has verified the address, if the tenant has proven its domain.
    static func owner(of profile: SCIMProfile, _ db: SQLSession) throws -> UserID? {
        guard profile.isEmailProven, let email = profile.email.flatMap(Identifier.init(loginID:)) else { return nil }
        return try db.first(
            "SELECT user_id FROM identifier WHERE kind = ? AND value IN (?, ?) AND verified = 1",
            [email.kind.rawValue, email.value, email.formerSpelling ?? email.value]
        ).map { UserID(rawValue: $0["user_id"]) }
    }

    /// Whether no other user has the address: as a login ID, verified or not, or as a contact that was proved.
    static func isFree(_ profile: SCIMProfile, for user: UserID, _ db: SQLSession) throws -> Bool {
        guard let email = profile.email.flatMap(Identifier.init(loginID:)) else { return false }
        let other = try db.first(
            "SELECT 1 FROM identifier WHERE kind = ? AND value IN (?, ?) AND user_id <> ?",
            [email.kind.rawValue, email.value, email.formerSpelling ?? email.value, user.rawValue])
        return try other == nil && !SQLUserStore.isContact(email, besides: user, db)
    }

    /// Adds the account of a new user.
    ///
    /// - Returns: the login ID that the directory gives it.
    private static func add(_ new: NewSCIMUser, _ db: SQLSession, at now: UnixTime) throws -> Identifier? {
        let status = new.content.isActive ? User.Status.active : .disabled
        var account = Account(
            user: User(id: new.userID, status: status, createdAt: now, updatedAt: now), identifiers: [:],
            passwordHash: nil)
        let given = new.profile.apply(
            to: &account, isFree: try isFree(new.profile, for: new.userID, db), replacing: nil, given: nil)
        try SQLUserStore.add(account, db)
        return given
    }

    /// What a change means for the membership, and for an account that the directory reaches. Any other account stays
    /// as it is, whatever the resource says.
    ///
    /// - Returns: the login ID that the directory gives from now on.
    private static func follow(
        _ hold: Hold, _ change: SCIMUserChange, _ grounds: Grounds, _ db: SQLSession, at now: UnixTime
    ) throws -> Identifier? {
        let (record, user) = (hold.record, hold.user)
        let isHeldAlone = try isHeldHereAlone(hold, db)
        let mayChange = { act in try allows(act, of: user, in: record.tenantID, grounds, db) }
        let becomes = record.isActive == change.content.isActive ? nil : change.content.isActive
        // Before the user joins: what the tenant gives its users does not keep out whom the directory disabled.
        let restores = try becomes == true && hasDisabled(record, db) && mayChange(.restoreAccess)
        if becomes == true {
            try SCIMMembership.join(user, record.number, in: record.tenantID, db)
            if isHeldAlone { try FormerMemberships.end(user, of: record.tenantID, db, at: now) }
        }
        // Who joins or leaves by this change is a member for what else it says.
        let reaches = try Self.reaches(hold, db)
        if becomes == false { try SCIMMembership.leave(user, record.tenantID, isSole: reaches, db, at: now) }
        guard reaches || restores, var account = try SQLUserStore.find(user, db) else { return hold.given }
        let before = account
        var given = hold.given
        if reaches, try !isDisabledElsewhere(record, user, db), try mayChange(.addAddress) {
            // Whose account is their own by now gets a login ID in place of the given one alone: who reads that mailbox
            // would have all that the user set up since.
            let mayGive = try (isHeldAlone || given != nil) && isFree(change.profile, for: user, db)
            given = change.profile.apply(
                to: &account, isFree: mayGive, replacing: record.email, given: given, isHeldAlone: isHeldAlone)
        }
        if becomes == false, isHeldAlone, account.user.status == .active, try mayChange(.changeStatus) {
            account.user.status = .disabled
            try db.run("UPDATE scim_resource SET disabled_user = 1 WHERE number = ?", [record.number])
        }
        if restores {
            account.user.status = .active
            try db.run("UPDATE scim_resource SET disabled_user = 0 WHERE number = ?", [record.number])
        }
        if account != before { try SQLUserStore.replace(account, db, at: now) }
        if hold.given != nil, given != hold.given { try SQLUserStore.noteOthers(user, db, at: now) }
        return given
    }

    /// Whether the directory disabled the user, and no operator changed that since.
    private static func hasDisabled(_ record: SCIMRecord, _ db: SQLSession) throws -> Bool {
        try db.first("SELECT disabled_user FROM scim_resource WHERE number = ?", [record.number])?["disabled_user"]
            ?? false
    }

    /// Whether another caller than the directory disabled the user: the account stays then, or the user would come back
    /// with a new one.
    static func isDisabledElsewhere(_ record: SCIMRecord, _ user: UserID, _ db: SQLSession) throws -> Bool {
        guard let account = try SQLUserStore.find(user, db), [.disabled, .expired].contains(account.user.status) else {
            return false
        }
        return try !hasDisabled(record, db)
    }

    /// Whether the directory may do more to an account that it reaches (``reaches(_:_:)``). The user is a member for
    /// this question: one who is deactivated is none.
    static func allows(
        _ act: Act, of user: UserID, in tenant: String, _ grounds: Grounds, _ db: SQLSession
    ) throws -> Bool {
        guard var standing = try SQLUserStore.find(user, db)?.standing else { return false }
        standing.tenants.insert(tenant)
        return grounds.allow(act, on: standing)
    }

    /// Whether what the directory says reaches the account itself, with all its sessions: it made the account, no
    /// other tenant has the user, and the user is a member or the account is held here alone. A former member who has
    /// made the account their own has nothing to do with the directory any more, also if it calls them a member again.
    static func reaches(_ hold: Hold, _ db: SQLSession) throws -> Bool {
        guard try SCIMMembership.isSoleHolder(hold.record, hold.user, db) else { return false }
        let tenant = hold.record.tenantID
        let isMember =
            try SCIMMembership.has(hold.user, in: tenant, db) && !FormerMemberships.has(hold.user, of: tenant, db)
        return try isMember || isHeldHereAlone(hold, db)
    }

    /// Whether provisioning made the account and nothing else holds it.
    static func isHeldHereAlone(_ hold: Hold, _ db: SQLSession) throws -> Bool {
        let user = hold.user
        guard try SCIMMembership.isSoleHolder(hold.record, user, db), let account = try SQLUserStore.find(user, db),
            account.passwordHash == nil, !account.hasStrongFactor, account.user.disputedAt == nil,
            account.memberships.roles.isEmpty,
            account.provedAddresses.allSatisfy({ $0 == hold.given })
        else { return false }
        let own = hold.connections.prefix(Limits.connectionsMax)
        let marks = own.map { _ in "?" }.joined(separator: ", ")
        let condition = own.isEmpty ? "" : " AND connection_id NOT IN (\(marks))"
        return try db.search(
            "SELECT 1 AS one FROM federated_identity WHERE user_id = ?\(condition) LIMIT 1",
            [user.rawValue] + Array(own)
        ).isEmpty
    }
}
