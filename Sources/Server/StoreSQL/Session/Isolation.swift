package import Model

/// How a transaction is isolated from others. SQLite runs one write at a time and needs neither.
package enum Isolation: Sendable {
    /// Sees what was committed before each statement. The locks are taken before the first statement, in their order.
    case locking([SQLLock])
    /// Alone among the serializable transactions. For roles, permissions, tenants, connections and access keys, which no
    /// sign-in and no refresh writes.
    case serializable
    /// New rows alone, by which no transaction decides: no lock, and ``Durability/local``.
    case appending

    /// No lock: the guards of its statements, and the rows that they change, are enough.
    static let guarded = Isolation.locking([])

    /// The user's row, exclusively: against another change of the same user.
    static func changing(_ user: UserID) -> Isolation { .locking([.user(user, shared: false)]) }

    /// The user's row, shared: a revocation runs before or after.
    static func using(_ user: UserID) -> Isolation { .locking([.user(user, shared: true)]) }
}

/// What a transaction holds until it ends. Locks are ordered: names, then users, grants and rate limits, so that two
/// transactions do not wait for each other.
package enum SQLLock: Hashable, Sendable {
    /// A name that transactions agree on: for a limit that counts rows, or a name that two tables share.
    case name(String)
    /// The row of a user; shared if the transaction only needs that it does not change.
    case user(UserID, shared: Bool)
    /// The row of the user that a row belongs to, if it belongs to one.
    case owner(of: OwnedRow, shared: Bool)
    /// The row of a grant, which must not change.
    case grant(GrantID)
    /// A rate limit, which need not have a row.
    case rateLimit(String)

    /// The users of a site that keeps its passkeys here, and their passkeys.
    static func site(_ relyingParty: String) -> SQLLock { .name("site:\(relyingParty)") }

    /// A name that must not be the login ID of one user and the `id` of another.
    static func nameOfUser(_ name: String) -> SQLLock { .name("user:\(name)") }
}

/// A row with a user in its column `user_id`.
package enum OwnedRow: Hashable, Sendable {
    /// Of the table `authenticator`.
    case authenticator([UInt8])
    /// Of the table `passkey`.
    case passkey(PasskeyID)
}

extension SQLLock: Comparable {
    package static func < (one: SQLLock, other: SQLLock) -> Bool {
        (one.rank, one.key) < (other.rank, other.key)
    }

    private var rank: Int {
        switch self {
        case .name: 0
        case .user: 1
        case .owner: 2
        case .grant: 3
        case .rateLimit: 4
        }
    }

    private var key: String {
        switch self {
        case .name(let name): name
        case .user(let id, let shared): "\(id.rawValue) \(shared)"
        case .owner(let row, let shared): "\(row) \(shared)"
        case .grant(let id): "\(id.bytes)"
        case .rateLimit(let key): key
        }
    }
}
