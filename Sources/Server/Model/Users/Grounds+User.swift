public import Authority
internal import KeyturnBase

extension Grounds {
    /// The user whom the permission concerns. One that names no existing user finds none.
    public var user: UserID { UserID(rawValue: userID ?? "") }

    /// - Throws: ``StoreError``, `forbidden`, if the permission is not for a user who has no account yet.
    public func requireNewUser() throws(StoreError) {
        guard isForNewUser else { throw StoreError(.forbidden) }
    }

    /// - Throws: ``StoreError``, `forbidden`, if the permission is for one user, client or connection, which alone may
    ///   then be concerned.
    public func requireNoUser() throws(StoreError) {
        guard userID == nil, !isForNewUser, clientID == nil, connectionID == nil else { throw StoreError(.forbidden) }
    }

    /// - Throws: ``StoreError``, `forbidden`, if the change is of something that the permission does not cover.
    public func requireCover(of before: Account, _ after: Account) throws(StoreError) {
        guard AccountAspect.changed(from: before, to: after).isSubset(of: aspects) else { throw StoreError(.forbidden) }
    }
}

extension AccountAspect {
    /// The parts of an account in which two versions differ.
    static func changed(from before: Account, to after: Account) -> Set<AccountAspect> {
        var result: Set<AccountAspect> = []
        if before.user.status != after.user.status {
            result.insert(before.user.status == .invited && after.user.status == .active ? .acceptance : .status)
        }
        if before.user.isTest != after.user.isTest { result.insert(.status) }
        if before.user.attributes != after.user.attributes { result.insert(.attributes) }
        if before.memberships != after.memberships { result.insert(.memberships) }
        if before.identifiers != after.identifiers || before.contactClaims != after.contactClaims {
            result.insert(.addresses)
        }
        if before.profileClaims != after.profileClaims || before.user.acceptances != after.user.acceptances {
            result.insert(.profile)
        }
        return result
    }
}

extension Account {
    private static let contactNames: Set<String> = ["email", "email_verified", "phone_number", "phone_number_verified"]

    /// The claims that say how the user is reached.
    fileprivate var contactClaims: [String: JSONValue] { user.claims.filter { Self.contactNames.contains($0.key) } }
    fileprivate var profileClaims: [String: JSONValue] { user.claims.filter { !Self.contactNames.contains($0.key) } }
}
