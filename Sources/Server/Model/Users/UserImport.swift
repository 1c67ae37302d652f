public import KeyturnBase

/// A user as another system, or an export of ours, describes them. `nil` or empty: not stated.
public struct ImportedUser: Hashable, Sendable {
    public var id: UserID?
    /// Used if the user is new and `id` is `nil`.
    public var newID: UserID
    public var status: User.Status?
    public var isTest: Bool?
    public var identifiers: [Identifier: Account.IdentifierState] = [:]
    public var claims: [String: JSONValue] = [:]
    public var attributes: [String: JSONValue] = [:]
    /// Identifiers of the roles that the user has everywhere.
    public var roles: [String]?
    /// Tenants, each with the identifiers of the roles that the user has there.
    public var tenants: [String: [String]]?
    /// In a form that ``Passwords`` checks.
    public var passwordHash: String?
    /// The user's existing authenticator: valid without a first code.
    public var authenticator: StoredTOTP?
    public var createdAt: UnixTime?
    public var updatedAt: UnixTime?
    /// ``User/othersAt`` on the server that the row comes from.
    public var othersAt: UnixTime?
    /// ``User/operatorsAt`` there.
    public var operatorsAt: UnixTime?
    /// ``User/disputedAt`` there.
    public var disputedAt: UnixTime?

    public init(newID: UserID) {
        self.newID = newID
    }
}

/// The effect of importing a user, depending on the existing users.
public enum UserImport {
    /// What to do about an existing user who differs.
    public enum Rule: String, Hashable, Sendable, CaseIterable {
        /// Leave them as they are, and report a refusal.
        case refuse
        /// Apply what the row says; the rest stays.
        case update
        /// Leave them as they are.
        case skip
    }

    /// Why a row was refused.
    public enum Refusal: Hashable, Sendable {
        /// A user with these names exists, and differs.
        case differs(UserID)
        /// The `sub` is one user's, this identifier another's.
        case taken(Identifier.Kind, by: UserID)
        /// The row names a tenant that does not exist.
        case noTenant
        /// The user would exceed the maximum of identifiers, tenants or roles.
        case tooMuch
        /// A rule of the database forbids it.
        case conflict
    }

    /// The result of a row.
    public enum Outcome: Hashable, Sendable {
        case created(UserID)
        case updated(UserID)
        case unchanged(UserID)
        /// They differ, and were left as they are.
        case skipped(UserID)
        case refused(Refusal)
    }

    /// What to write, if anything.
    public enum Decision: Hashable, Sendable {
        case create(Account)
        case update(Account)
        case leave(Outcome)
    }

    /// Judges one row.
    ///
    /// - Parameter found: the users with the row's `sub` or one of its identifiers, each once.
    public static func decide(
        _ row: ImportedUser, found: [Account], rule: Rule, replacesPasswords: Bool, at now: UnixTime
    ) -> Decision {
        let owner = row.id.map { id in found.first { $0.user.id == id } } ?? found.first
        if let stranger = found.first(where: { $0.user.id != owner?.user.id || row.id != nil && $0.user.id != row.id })
        {
            let kind = stranger.identifiers.keys.first { row.identifiers[$0] != nil }?.kind ?? .username
            return .leave(.refused(.taken(kind, by: stranger.user.id)))
        }
        guard let owner else {
            let account = new(row, at: now)
            return isWithinLimits(account) ? .create(account) : .leave(.refused(.tooMuch))
        }
        let isSame = row.id != nil || isSamePerson(owner, named: row.identifiers.keys)
        let changed = apply(row, to: owner, replacesPasswords: replacesPasswords)
        guard changed != owner else { return .leave(.unchanged(owner.user.id)) }
        switch rule {
        case .refuse: return .leave(.refused(.differs(owner.user.id)))
        case .skip: return .leave(.skipped(owner.user.id))
        case .update where !isSame: return .leave(.refused(.differs(owner.user.id)))
        case .update: return isWithinLimits(changed) ? .update(changed) : .leave(.refused(.tooMuch))
        }
    }

    /// Whether a user found by one of these names is the same person. An attacker may have signed up with another's address
    /// or user name: only a verified address tells.
    public static func isSamePerson(_ found: Account, named names: some Collection<Identifier>) -> Bool {
        names.contains { $0.kind != .username && found.identifiers[$0] == .verified }
    }

    private static func new(_ row: ImportedUser, at now: UnixTime) -> Account {
        let created = row.createdAt ?? now
        let user = User(
            id: row.id ?? row.newID, status: row.status ?? .active, claims: row.claims, attributes: row.attributes,
            isTest: row.isTest ?? false, othersAt: row.othersAt ?? row.operatorsAt, operatorsAt: row.operatorsAt,
            disputedAt: row.disputedAt, createdAt: created, updatedAt: max(created, row.updatedAt ?? now))
        return Account(
            user: user, identifiers: row.identifiers, passwordHash: row.passwordHash,
            memberships: Memberships(roles: row.roles ?? [], tenants: row.tenants ?? [:]),
            hasAuthenticator: row.authenticator != nil)
    }

    /// The account with the row applied. Its creation time stays; so do an existing password and authenticator, which
    /// may be newer than the file, and every verification, which the file may not know of yet.
    private static func apply(_ row: ImportedUser, to account: Account, replacesPasswords: Bool) -> Account {
        var result = account
        result.user.status = row.status ?? account.user.status
        result.user.isTest = row.isTest ?? account.user.isTest
        result.user.othersAt = account.user.othersAt ?? row.othersAt ?? row.operatorsAt
        result.user.operatorsAt = account.user.operatorsAt ?? row.operatorsAt
        result.user.disputedAt = account.user.disputedAt ?? row.disputedAt
        result.user.claims.merge(row.claims) { _, new in new }
        for (claim, verified) in [("email", "email_verified"), ("phone_number", "phone_number_verified")]
        where account.user.claims[verified] == true && result.user.claims[claim] == account.user.claims[claim] {
            result.user.claims[verified] = true
        }
        result.user.attributes.merge(row.attributes) { _, new in new }
        if !row.identifiers.isEmpty {
            result.identifiers = row.identifiers
            for (identifier, state) in account.identifiers
            where state == .verified && row.identifiers[identifier] != nil {
                result.identifiers[identifier] = .verified
            }
        }
        result.memberships.roles = merged(row.roles, account.memberships.roles)
        if let tenants = row.tenants {
            result.memberships.tenants = Dictionary(
                uniqueKeysWithValues: tenants.map { id, roles in
                    (id, merged(roles, account.memberships.tenants[id] ?? []))
                })
        }
        if account.passwordHash == nil || replacesPasswords {
            result.passwordHash = row.passwordHash ?? account.passwordHash
        }
        result.hasAuthenticator = account.hasAuthenticator || row.authenticator != nil
        return result
    }

    /// The new roles; the old list if it holds the same ones in another order.
    private static func merged(_ new: [String]?, _ old: [String]) -> [String] {
        guard let new, Set(new) != Set(old) else { return old }
        return new
    }

    private static func isWithinLimits(_ account: Account) -> Bool {
        account.identifiers.count <= Limits.identifiersOfUserMax && account.memberships.isWithinLimits
    }
}
