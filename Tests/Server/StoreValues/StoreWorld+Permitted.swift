internal import Authority
internal import Model

extension StoreWorld {
    /// The user of a permission, as the transaction reads it.
    ///
    /// - Throws: `missing`; `forbidden` if the permission no longer holds.
    func permitted(_ grounds: Grounds) throws(StoreError) -> Account {
        guard let account = account(grounds.user) else { throw StoreError(.missing) }
        guard grounds.hold(for: account.standing) else { throw StoreError(.forbidden) }
        return account
    }

    /// Makes a change, and takes it back if the user could not sign in after it.
    ///
    /// - Parameter ways: what the server offers; `nil`: the change is made in any case.
    /// - Returns: what the change returned; `nil`: it was taken back.
    mutating func keep<Answer>(
        _ ways: SignInWays?, of user: UserID, _ change: (inout StoreWorld) throws -> Answer
    ) throws -> Answer? {
        guard let ways else { return try change(&self) }
        let before = self
        let answer = try change(&self)
        let linked = Set(identities.values.filter { $0.userID == user }.map(\.key.connectionID))
        if let account = account(user), ways.areOpen(to: account, linked: linked) { return answer }
        self = before
        return nil
    }
}
