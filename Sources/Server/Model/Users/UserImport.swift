public import KeyturnBase

/// A user as another system, or an export of ours, describes them. What is `nil` or empty was not said.
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
    /// An authenticator that the user has already: it counts without a first code.
    public var authenticator: StoredTOTP?
    public var createdAt: UnixTime?
    public var updatedAt: UnixTime?

    public init(newID: UserID) {
        self.newID = newID
    }
}

/// What importing a user does, depending on who is there already.
public enum UserImport {
    /// What to do about somebody who is there and differs.
    public enum Rule: String, Hashable, Sendable, CaseIterable {
        /// Leave them as they are, and say so as a refusal.
        case refuse
        /// Give them what the row says; what it does not say stays.
        case update
        /// Leave them as they are.
        case skip
    }

    /// Why a row was refused.
    public enum Refusal: Hashable, Sendable {
        /// Somebody with these names is there, and is described differently.
        case differs(UserID)
        /// The `sub` is of one user, this identifier of another one.
        case taken(Identifier.Kind, by: UserID)
        /// The row names a tenant that is not there.
        case noTenant
        /// It would have more identifiers, tenants or roles than a user can have.
        case tooMuch
        /// A rule of the database forbids it.
        case conflict
    }

    /// What became of a row.
    public enum Outcome: Hashable, Sendable {
        case created(UserID)
        case updated(UserID)
        case unchanged(UserID)
        /// They differ, and were left as they are.
        case skipped(UserID)
        case refused(Refusal)
    }

    /// What must be written, if anything.
    public enum Decision: Hashable, Sendable {
        case create(Account)
        case update(Account)
        case leave(Outcome)
    }

    /// Judges one row.
    ///
    /// - Parameter found: whoever has the row's `sub` or one of its identifiers, each user once.
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

    /// Whether somebody whom one of these names led to is the person who is meant. Anybody may have signed up with an
    /// address that is not theirs: only a user name, or an address that was proved, says so.
    public static func isSamePerson(_ found: Account, named names: some Collection<Identifier>) -> Bool {
        names.contains { found.identifiers[$0] == .verified }
    }

    private static func new(_ row: ImportedUser, at now: UnixTime) -> Account {
        let created = row.createdAt ?? now
        let user = User(
            id: row.id ?? row.newID, status: row.status ?? .active, claims: row.claims, attributes: row.attributes,
            isTest: row.isTest ?? false, createdAt: created, updatedAt: max(created, row.updatedAt ?? now))
        return Account(
            user: user, identifiers: row.identifiers, passwordHash: row.passwordHash,
            memberships: Memberships(roles: row.roles ?? [], tenants: row.tenants ?? [:]),
            hasAuthenticator: row.authenticator != nil)
    }

    /// The account with what the row says. When it was made stays; so do a password and an authenticator that are there,
    /// which may be newer than the file, and every verification, which the file may not know of yet.
    private static func apply(_ row: ImportedUser, to account: Account, replacesPasswords: Bool) -> Account {
        var result = account
        result.user.status = row.status ?? account.user.status
        result.user.isTest = row.isTest ?? account.user.isTest
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

    /// The new roles; the old list where it holds the same ones in another order.
    private static func merged(_ new: [String]?, _ old: [String]) -> [String] {
        guard let new, Set(new) != Set(old) else { return old }
        return new
    }

    private static func isWithinLimits(_ account: Account) -> Bool {
        account.identifiers.count <= Limits.identifiersOfUserMax && account.memberships.isWithinLimits
    }
}
