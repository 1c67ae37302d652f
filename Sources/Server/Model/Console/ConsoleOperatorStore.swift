public import Authority
public import KeyturnBase

/// A user who may open the console.
public struct ConsoleOperator: Hashable, Sendable {
    public let userID: UserID
    public let role: ConsoleRole
    /// When the user got this role.
    public let since: UnixTime
    /// Who gave it: an operator, or the system's user who ran the command line tool.
    public let grantedBy: String

    public init(userID: UserID, role: ConsoleRole, since: UnixTime, grantedBy: String) {
        self.userID = userID
        self.role = role
        self.since = since
        self.grantedBy = grantedBy
    }
}

/// What became of a change of an operator's role.
public enum ConsoleRoleChange: Hashable, Sendable {
    /// - `from`: the role before; `nil`: none.
    /// - `isVoided`: whether the user's passwords, factors, links and other addresses went, and every session, because
    ///   others had set up a way to sign in (``User/othersAt``): it would open the console.
    case changed(from: ConsoleRole?, isVoided: Bool = false)
    /// The user has this role already, or none is to be taken away.
    case unchanged
    /// There would be no owner.
    case lastOwner
}

/// Why an owner stays: no other one could enter the console. The cause of a ``StoreError``, `forbidden`.
public struct LastOwner: Error, Hashable, Sendable {
    public init() {}
}

/// Why a user gets no role in the console: others have set up a way to sign in (``User/othersAt``), and the address by which
/// the user is known was not said. The cause of a ``StoreError``, `forbidden`.
public struct UnknownAddress: Error, Hashable, Sendable {
    public init() {}
}

/// The users who may open the console. A user who is deleted is none.
///
/// An owner remains who can enter, unless the machine says otherwise: who is disabled, expired or invited is none for
/// this question. The store of accounts keeps it, too.
public protocol ConsoleOperatorStore: Sendable {
    /// - Returns: `nil`: the user is no operator.
    func role(of user: UserID) async throws(StoreError) -> ConsoleRole?

    /// The operators, owners first, then in the order in which they became operators.
    func all(limit: Int) async throws(StoreError) -> [ConsoleOperator]

    /// Gives the permission's user a role, in one transaction with the check that an owner remains. If others have set up
    /// a way to sign in (``User/othersAt``), the user's credentials are void, and one address stays.
    ///
    /// - Parameters:
    ///   - actor: as the role's row and audit events name the one who gives it.
    ///   - address: the address that was said for the user, if one was.
    ///   - keepingOwner: whether the last owner who can enter keeps the role.
    /// - Throws: ``StoreError/Code/missing`` if there is no such user; `forbidden` if the permission no longer holds, and
    ///   with ``UnknownAddress``: nothing is written then.
    func give(
        _ role: ConsoleRole, by allowed: consuming Allowed<Acts.GiveConsoleRole>, named actor: String,
        knownBy address: Identifier?, keepingOwner: Bool, at now: UnixTime
    ) async throws(StoreError) -> ConsoleRoleChange

    /// Takes the role of the permission's user away, in one transaction with the check that an owner remains.
    ///
    /// - Parameter keepingOwner: whether the last owner who can enter keeps the role.
    /// - Throws: as ``give(_:by:named:knownBy:keepingOwner:at:)``.
    func take(by allowed: consuming Allowed<Acts.TakeConsoleRole>, keepingOwner: Bool) async throws(StoreError)
        -> ConsoleRoleChange
}
