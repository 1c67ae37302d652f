public import KeyturnBase

/// What users have allowed clients, so that they are not asked twice.
public protocol ConsentStore: Sendable {
    /// What the user allowed the client so far; ``Consent/none`` if nothing. One statement.
    func consent(of user: UserID, to clientID: String) async throws(StoreError) -> Consent

    /// The clients to which the user allowed anything, in order.
    func clients(of user: UserID) async throws(StoreError) -> [String]

    /// Adds to what was allowed, in one transaction.
    ///
    /// - Parameter redirectURI: the registered redirect URI that the user saw when they agreed; `nil`: none.
    func remember(
        _ consent: Consent, redirectURI: String?, of user: UserID, to clientID: String, at now: UnixTime
    ) async throws(StoreError)

    /// Whether the user agreed to the client with this registered redirect URI.
    func includes(redirectURI: String, of user: UserID, to clientID: String) async throws(StoreError) -> Bool

    /// Withdraws the consent, and ends the client's grants of this user, in one transaction.
    func withdraw(from user: UserID, to clientID: String, at now: UnixTime) async throws(StoreError)
}
