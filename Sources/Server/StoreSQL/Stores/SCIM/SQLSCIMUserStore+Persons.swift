internal import Authority
internal import KeyturnBase
internal import Model

/// Who a provisioned user is.
extension SQLSCIMUserStore {
    func match(
        _ names: ProvisionedNames, in tenant: String, connections: [String], provenDomains: Set<String>
    ) async throws(StoreError) -> ProvisionedMatch? {
        try await database.read { db in
            guard let named = try Self.named(names, in: tenant, db), let user = named.record.userID,
                let account = try SQLUserStore.find(user, db)
            else { return nil }
            let record = named.record
            let hold = Hold(
                record: record, user: user, connections: connections,
                given: Self.given(record, account, provenDomains))
            return ProvisionedMatch(
                account: account, isActive: record.isActive, isHeldHereAlone: try Self.isHeldHereAlone(hold, db),
                isDisabledElsewhere: named.isDisabledElsewhere)
        }
    }

    func rejoin(
        _ id: String, by allowed: consuming Allowed<Acts.Provision>, _ profile: SCIMProfile, connections: [String],
        at now: UnixTime
    ) async throws(StoreError) -> UserID? {
        let grounds = allowed.grounds
        let tenant = try grounds.requireTenant()
        return try await database.write(.locking([.name(Self.lock(tenant))])) { db in
            guard let record = try SCIMColumns.find(id, .user, in: tenant, db), let user = record.userID,
                try Self.isUnused(user, db), try SCIMMembership.isSoleHolder(record, user, db),
                try !Self.isDisabledElsewhere(record, user, db)
            else { return nil }
            let external = record.attributes["externalId"]?.stringValue
            if let person = try Self.person(of: profile, external, in: tenant, connections, db), person != user {
                return try Self.move(record, from: user, to: person, by: profile, db, at: now) ? person : nil
            }
            let said = profile.email.flatMap(Identifier.init(loginID:))
            guard var account = try SQLUserStore.find(user, db),
                // A contact that the user has proved is an address of their own.
                account.provedAddresses.allSatisfy({ $0 == said }),
                try Self.allows(.addAddress, of: user, in: tenant, grounds, db)
            else { return nil }
            let before = account
            // An account that is unused has no login ID.
            let given = profile.apply(
                to: &account, isFree: try Self.isFree(profile, for: user, db), replacing: record.email, given: nil)
            guard account != before else { return nil }
            try SQLUserStore.replace(account, db, at: now)
            try Self.setGiven(given, record.number, db)
            return user
        }
    }
}

extension SQLSCIMUserStore {
    /// The person's own account: the one that has verified the address in a proven domain, else the one that the tenant's
    /// own provider knows by the external identifier. The tenant may have no user with the second one yet.
    static func person(
        of profile: SCIMProfile, _ external: String?, in tenant: String, _ connections: [String], _ db: SQLSession
    ) throws -> UserID? {
        if let owner = try owner(of: profile, db) { return owner }
        let own = connections.prefix(Limits.connectionsMax)
        guard let external, !external.isEmpty, !own.isEmpty else { return nil }
        let marks = own.map { _ in "?" }.joined(separator: ", ")
        let rows = try db.search(
            """
            SELECT DISTINCT i.user_id FROM federated_identity i WHERE i.subject = ? AND i.connection_id IN (\(marks))
                AND NOT EXISTS (SELECT 1 FROM scim_resource r WHERE r.user_id = i.user_id AND r.tenant_id = ?)
            LIMIT 2
            """, [external] + Array(own) + [tenant])
        return rows.count == 1 ? UserID(rawValue: rows[0]["user_id"]) : nil
    }

    /// Whether no one ever signed in to the account, and no one can.
    private static func isUnused(_ user: UserID, _ db: SQLSession) throws -> Bool {
        for table in [
            "identifier", "federated_identity", "password", "authenticator", "passkey", "session", "grant_",
            "access_key", "biometric_key", "data_key",
        ] where try db.first("SELECT 1 FROM \(table) WHERE user_id = ? LIMIT 1", [user.rawValue]) != nil {
            return false
        }
        return true
    }

    /// The resource is about another account from now on. The one that it had is of no use, and goes.
    ///
    /// - Returns: `false` if another resource of the tenant is about that account.
    private static func move(
        _ record: SCIMRecord, from user: UserID, to person: UserID, by profile: SCIMProfile, _ db: SQLSession,
        at now: UnixTime
    ) throws -> Bool {
        let tenant = record.tenantID
        let other = try db.first(
            "SELECT 1 FROM scim_resource WHERE user_id = ? AND tenant_id = ?", [person.rawValue, tenant])
        guard other == nil else { return false }
        try db.run(
            """
            UPDATE scim_resource SET user_id = ?, made_user = 0, disabled_user = 0, given_login_id = ''
            WHERE number = ?
            """,
            [person.rawValue, record.number])
        try BroughtMemberships.note(record.number, naming: person, by: profile, db)
        try db.run("DELETE FROM \"user\" WHERE id = ?", [user.rawValue])
        if record.isActive {
            try SCIMMembership.join(person, record.number, in: tenant, db)
            try SCIMMembership.giveRoles(to: person, record.number, in: tenant, db)
        } else {
            try SCIMMembership.leave(person, tenant, isSole: false, db, at: now)
        }
        return true
    }
}
