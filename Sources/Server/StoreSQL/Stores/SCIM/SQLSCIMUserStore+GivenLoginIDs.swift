internal import KeyturnBase
internal import Model

/// The login IDs that directories gave: the one address of an account that a directory changes and removes.
extension SQLSCIMUserStore {
    static func hold(
        _ record: SCIMRecord, _ user: UserID, _ connections: [String], _ provenDomains: Set<String>, _ db: SQLSession
    ) throws -> Hold {
        Hold(
            record: record, user: user, connections: connections,
            given: try SQLUserStore.find(user, db).flatMap { given(record, $0, provenDomains) })
    }

    /// The login ID that the directory gave, if the account has it still.
    static func given(_ record: SCIMRecord, _ account: Account, _ provenDomains: Set<String>) -> Identifier? {
        record.givenAddress(in: provenDomains).flatMap { account.identifiers[$0] == .verified ? $0 : nil }
    }

    /// Records what the directory gives from now on. A resource from before this was recorded is judged by its address,
    /// as long as that stays.
    static func noteGiven(_ given: Identifier?, of record: SCIMRecord, saying content: SCIMContent, _ db: SQLSession)
        throws
    {
        let isSaid = SCIMProfile.email(in: content.attributes) == record.email
        guard given != nil || record.givenLoginID != nil || !isSaid else { return }
        try setGiven(given, record.number, db)
    }

    static func setGiven(_ given: Identifier?, _ number: Int64, _ db: SQLSession) throws {
        try db.run("UPDATE scim_resource SET given_login_id = ? WHERE number = ?", [given?.value ?? "", number])
    }

    /// A login ID that goes, or is verified no longer, is not the directory's any more: a user who proves it again has
    /// it of their own.
    static func forgetGiven(_ account: Account, before: Account, _ db: SQLSession) throws {
        for (name, state) in before.identifiers
        where state == .verified && name.kind == .email && account.identifiers[name] != .verified {
            try db.run(
                "UPDATE scim_resource SET given_login_id = '' WHERE user_id = ? AND given_login_id IN (?, ?)",
                [account.user.id.rawValue, name.value, name.formerSpelling ?? name.value])
        }
    }

    /// The tenant's own provider gave an account that the directory made the address that the directory says: it is the
    /// directory's, as if the domain had been proven when the account was made.
    static func noteProvided(_ use: IdentityUse, _ account: Account, before: Account, _ db: SQLSession) throws {
        guard let tenant = use.tenantID, let address = use.address, before.identifiers[address] != .verified,
            account.identifiers[address] == .verified
        else { return }
        let row = try db.first(
            """
            SELECT \(SCIMColumns.list) FROM scim_resource r
            WHERE r.user_id = ? AND r.tenant_id = ? AND r.made_user = 1 AND r.given_login_id = ''
            """, [account.user.id.rawValue, tenant])
        guard let record = try row.map(SCIMColumns.record), record.says(address) else { return }
        try setGiven(address, record.number, db)
    }
}
