internal import KeyturnBase
internal import Model

/// The login IDs that directories gave: the one address of an account that a directory changes and removes.
extension StoreWorld {
    /// The login ID that the directory gave, if the account has it still.
    func given(_ row: ResourceRow, _ user: UserID, _ means: TenantMeans) -> Identifier? {
        let given = row.record.givenAddress(in: means.provenDomains)
        return given.flatMap { users[user]?.identifiers[$0] == .verified ? $0 : nil }
    }

    /// A login ID that goes, or is verified no longer, is not the directory's any more.
    mutating func forgetGiven(_ account: Account, before: Account) {
        for row in resources.values where row.userID == account.user.id {
            guard let given = Identifier(loginID: row.givenLoginID), before.identifiers[given] == .verified,
                account.identifiers[given] != .verified
            else { continue }
            resources[row.number]?.givenLoginID = ""
        }
    }

    /// The tenant's own provider gave an account that the directory made the address that the directory says.
    mutating func noteProvided(_ use: IdentityUse, _ account: Account, before: Account) {
        guard let tenant = use.tenantID, let address = use.address, before.identifiers[address] != .verified,
            account.identifiers[address] == .verified
        else { return }
        let found = resources.values.first {
            $0.userID == account.user.id && $0.tenantID == tenant && $0.madeUser && $0.givenLoginID.isEmpty
        }
        guard let row = found, row.record.says(address) else { return }
        resources[row.number]?.givenLoginID = address.value
    }
}
