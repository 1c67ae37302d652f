public import KeyturnBase
public import Model

/// A user with identifiers, password and memberships.
public struct UserRow: Hashable, Sendable {
    public var user: User
    public var identifiers: [Identifier: Account.IdentifierState]
    public var memberships: Memberships
    /// When everything that had been set up went, because the account changed hands.
    public var voidedAt: UnixTime?
    /// Its place in the order of creation.
    public let number: Int64
}

/// A verified address, as long as it counts as new.
public struct NewAddressRow: Hashable, Sendable {
    public var provedAt: UnixTime
    /// Whether it stood on the account before, unverified.
    public var wasListed: Bool
}

extension StoreWorld {
    /// Others than the user had a hand in how the account is entered.
    mutating func noteOthers(_ id: UserID, areOperators: Bool = false, at now: UnixTime) {
        let (first, operators) = (users[id]?.user.othersAt ?? now, users[id]?.user.operatorsAt)
        users[id]?.user.othersAt = first
        users[id]?.user.operatorsAt = operators ?? (areOperators ? now : nil)
    }

    func account(_ id: UserID) -> Account? {
        users[id].map { account($0) }
    }

    func account(_ row: UserRow) -> Account {
        let id = row.user.id
        return Account(
            user: row.user, identifiers: row.identifiers, passwordHash: passwords[id]?.hash,
            memberships: row.memberships, hasAuthenticator: hasAuthenticator(id), hasPasskey: hasPasskey(id),
            consoleRole: consoleOperators[id]?.role, actsAsOthers: actsAsOthers(row.memberships))
    }

    /// Whether one of the roles lets its users act as others.
    private func actsAsOthers(_ memberships: Memberships) -> Bool {
        let held: [String] = memberships.roles + memberships.tenants.values.joined()
        return held.contains { !ActingPermissions.names.isDisjoint(with: roles[$0]?.permissions ?? []) }
    }

    /// The accounts in the order of creation.
    var accounts: [Account] {
        users.values.sorted { $0.number < $1.number }.map { account($0) }
    }

    func hasAuthenticator(_ id: UserID) -> Bool {
        authenticators.contains { $0.value.owner == .user(id) && $0.value.stored.isConfirmed }
    }

    func hasPasskey(_ id: UserID) -> Bool {
        passkeys.contains { $0.value.userID == id && $0.value.passkey.isActive }
    }

    /// Whether nothing was revoked since `epoch` was read, and the user may sign in; and the directory of the tenant that
    /// vouched has not deactivated the user.
    func isCurrent(_ epoch: Int64, of id: UserID, vouchedBy tenant: String? = nil) -> Bool {
        guard let user = users[id]?.user, user.epoch == epoch, user.status == .active else { return false }
        guard let tenant else { return true }
        return !isDeactivated(id, in: tenant)
    }

    /// Whether a tenant's directory has deactivated the user there.
    func isDeactivated(_ id: UserID, in tenant: String) -> Bool {
        resources.contains { $0.value.userID == id && $0.value.tenantID == tenant && !$0.value.content.isActive }
    }

    func requireTenant(_ id: String) throws(StoreError) {
        guard tenants[id] != nil else { throw StoreError(.missing) }
    }
}
