internal import KeyturnBase
internal import Model

/// Keeps a user from removing the last way to sign in, within the transaction that removes it.
enum LastWay {
    /// Makes a change, and takes it back if the user could not sign in after it.
    ///
    /// - Parameter ways: what the server offers; `nil`: the change is made in any case.
    /// - Returns: what the change returned; `nil`: it was taken back.
    static func keep<Answer>(
        _ ways: SignInWays?, of user: UserID, _ db: SQLSession, _ change: () throws -> Answer
    ) throws -> Answer? {
        guard let ways else { return try change() }
        try db.run("SAVEPOINT last_way", [])
        let answer = try change()
        let areOpen =
            try SQLUserStore.find(user, db).map { ways.areOpen(to: $0, linked: try linked(user, db)) } ?? false
        if !areOpen { try db.run("ROLLBACK TO last_way", []) }
        try db.run("RELEASE last_way", [])
        return areOpen ? answer : nil
    }

    private static func linked(_ user: UserID, _ db: SQLSession) throws -> Set<String> {
        Set(
            try db.all("SELECT DISTINCT connection_id FROM federated_identity WHERE user_id = ?", [user.rawValue])
                .map { $0["connection_id"] })
    }
}
