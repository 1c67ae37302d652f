public import KeyturnBase

/// Browser sessions, found by the digest of their cookie.
public protocol SessionStore: Sendable {
    /// Adds a session and ends the one that the same browser had before, in one transaction: a new sign-in never
    /// continues an old cookie. Grants of the old session stay; they are the new one's if it has the same identifier, and
    /// so is what the old one's provider says.
    ///
    /// A session that an app opened (``BrowserSession/openedBy``) also ends the one that the same grant opened before.
    ///
    /// - Parameter epoch: the ``User/epoch`` in which the user was authenticated.
    /// - Returns: `false` if the user was signed out everywhere since, or may not sign in, or if the app's grant is over;
    ///   nothing is written then.
    func create(
        _ session: BrowserSession, epoch: Int64, digest: SecretDigest, replacing old: SecretDigest?, at now: UnixTime
    ) async throws(StoreError) -> Bool

    /// The live session with this cookie, and its active user. A session that an app opened lives no longer than the
    /// app's grant. One statement.
    func session(_ digest: SecretDigest, at now: UnixTime) async throws(StoreError) -> (BrowserSession, User)?

    /// Ends the session, every grant that came from it, except offline grants, and each access token that was issued in
    /// it; and queues a logout notice for each client that had a live grant from it, in one transaction. Offline grants
    /// give later tokens.
    ///
    /// - Returns: `false` if the session was over already, or is not this user's.
    func end(_ id: SessionID, of user: UserID, at now: UnixTime) async throws(StoreError) -> Bool

    /// As ``end(_:of:at:)``, because a provider where the session began says so: also if another user has signed in in
    /// its browser since, which ends the session and nothing that came from it.
    ///
    /// - Returns: `false` if nothing was left of it, or it was signed out, or is not this user's.
    func endByProvider(_ id: SessionID, of user: UserID, at now: UnixTime) async throws(StoreError) -> Bool

    /// The user's live sessions, without those that apps opened; the newest first, at most `limit`. One statement.
    func sessions(of user: UserID, limit: Int, at now: UnixTime) async throws(StoreError) -> [OpenSession]

    /// Replaces the cookie of a live session. One statement.
    ///
    /// - Returns: whether it was alive.
    func replaceCookie(of id: SessionID, by digest: SecretDigest, at now: UnixTime) async throws(StoreError) -> Bool

    /// Records a further verification in a live session. One statement.
    func strengthen(_ id: SessionID, to facts: AuthenticationFacts, at now: UnixTime) async throws(StoreError)

    /// Ends every session of the user but one, and every grant, wherever it came from, except the one that opened the
    /// kept session; and queues the logout notices. One transaction.
    func endOthers(of user: UserID, keeping kept: SessionID, at now: UnixTime) async throws(StoreError)

    /// Ends what a tenant vouched for: browser sessions and grants, offline ones too, and grants for which the tenant was
    /// selected; and queues the logout notices. The user's others go on. One transaction.
    ///
    /// - Returns: whether there was anything.
    func endVouched(by tenant: String, of user: UserID, at now: UnixTime) async throws(StoreError) -> Bool
}
