internal import Authority
internal import KeyturnBase
internal import KeyturnWire
public import Model

/// What the user agrees to, and what was agreed to before.
extension AuthorizationEndpoint {
    /// What the user of a transaction is asked to allow.
    func asked(_ transaction: AuthorizationTransaction, by client: Client) -> Consent {
        let request = transaction.claims.flatMap(ClaimsRequest.init(parsing:))
        let claims = ClaimRules(client: client).toConsent(request, scope: transaction.requestedScope)
        return Consent(
            scope: transaction.requestedScope, claims: claims,
            resources: project.othersResources(transaction.resources))
    }

    func needsConsent(_ transaction: AuthorizationTransaction, client: Client, user: User)
        async throws(StoreError) -> Bool
    {
        // Each time, for clients of one's own too: with one click an operator's browser would give the whole server away.
        if transaction.requestedScope.contains(Scope.management) { return true }
        if client.isFirstParty { return false }
        // Details need consent each time: this payment, not payments.
        if transaction.asks(.consent) || transaction.authorizationDetails != nil { return true }
        // Its owner, or an operator, may have added an address since the user agreed.
        if try await !isAgreed(transaction.redirectURI, client, user.id) { return true }
        let allowed = try await stores.consents.consent(of: user.id, to: client.id)
        return !allowed.covers(asked(transaction, by: client))
    }

    /// An error of a client that registered itself goes to an address that the user of this browser agreed to for that
    /// client, so that `prompt=none` works. Any other such error is shown on a page (RFC 9700 §4.11.2).
    ///
    /// An ID token hint does not count as a user: the client's owner has one of their own account.
    ///
    /// - Parameter user: the user signed in in this browser; `nil`: none.
    public func released(_ answer: AuthorizationAnswer, for user: UserID?)
        async throws(StoreError) -> AuthorizationAnswer
    {
        guard let user, let client = answer.heldClientID.flatMap(clients.client),
            try await isAgreed(answer.redirectURI, client, user)
        else { return answer }
        var answer = answer
        answer.heldClientID = nil
        return answer
    }

    /// Whether the user of a session may allow a client anything: not in one that an approval on another device opened.
    func mayConsent(_ session: BrowserSession) async throws(StoreError) -> Bool {
        guard let account = try await stores.users.account(session.userID) else { return false }
        let standing = session.authentication.standing(session.openedBy == nil ? .page : .app, at: ambient.now())
        return project.rulebook.allows(.giveConsent, to: .session(standing), on: account.subject)
    }

    func isAgreed(_ redirectURI: String, _ client: Client, _ user: UserID) async throws(StoreError) -> Bool {
        guard let registered = client.registeredURI(of: redirectURI) else { return false }
        return try await stores.consents.includes(redirectURI: registered, of: user, to: client.id)
    }
}
