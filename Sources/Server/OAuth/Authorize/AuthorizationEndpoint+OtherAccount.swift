internal import KeyturnBase
internal import KeyturnWire
public import Model

/// Requests for one user, where another one signs in (OpenID Connect Core §3.1.2.1, `id_token_hint`).
extension AuthorizationEndpoint {
    /// Whether the user who signed in during this transaction is not the one that it is for.
    public func isOfAnother(_ transaction: AuthorizationTransaction, than session: BrowserSession?) -> Bool {
        guard let session, let required = transaction.requiredSubject else { return false }
        return transaction.authenticatedSession == session.id.rawValue && session.userID.rawValue != required
    }

    /// An address of the account that a request is for, with most of it hidden; `nil`: there is none to show.
    ///
    /// Only an ID token lets a page name the account: a bare identifier (`claims`) shows nothing of who sends it.
    public func requiredAccount(_ transaction: AuthorizationTransaction) async throws(StoreError) -> String? {
        guard transaction.isHinted == true, let subject = transaction.requiredSubject,
            let account = try await stores.users.account(UserID(rawValue: subject))
        else { return nil }
        let proved = account.identifiers.filter { $0.value == .verified }.keys
        let mail = proved.filter { $0.kind == .email }.map(\.value).min()
        return (mail ?? proved.map(\.value).min() ?? account.identifiers.keys.map(\.value).min()).map(Destination.mask)
    }

    /// The user does not sign in as the one that the request is for: the answer to the client is `login_required`.
    public func giveUp(_ transaction: AuthorizationTransaction, session: BrowserSession?)
        async throws(StoreError) -> AuthorizationAnswer
    {
        guard transaction.ownPath == nil, isOfAnother(transaction, than: session) else {
            return try await deny(transaction, session: session)
        }
        try await useUp(transaction)
        audit.recordOnce(
            AuditEvent(
                .consentRefused, at: ambient.now(), userID: session?.userID, clientID: transaction.clientID,
                sessionID: session?.id, reason: "other_account"))
        return transaction.answer(
            .refused(OAuthProblem(.loginRequired, "another person signed in than the request is for")),
            issuer: project.issuer)
    }
}
