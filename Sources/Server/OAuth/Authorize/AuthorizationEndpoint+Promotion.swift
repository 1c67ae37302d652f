internal import Authority
internal import KeyturnBase
internal import KeyturnWire
public import Model

/// Sign-ins that give an anonymous user an account.
extension AuthorizationEndpoint {
    /// What is known of an anonymous user and of the account that their user signed in to.
    public struct PromotionQuestion: Hashable, Sendable {
        public let anonymous: Account
        /// The account that exists.
        public let user: User
    }

    /// A request with the anonymous user that its hint names.
    ///
    /// The user always signs in on the pages: another user's session in this browser must not decide. And the code is
    /// worth nothing without the verifier of the application that asked.
    func promoting(
        _ transaction: AuthorizationTransaction, _ request: AuthorizationRequest, client: Client
    ) async throws(StoreError) -> Result<AuthorizationTransaction, OAuthProblem> {
        switch try await promotions.read(request.loginHint, from: client) {
        case .none: return .success(transaction)
        case .refused(let problem): return .failure(problem)
        case .requested(let requested):
            guard transaction.codeChallenge != nil, transaction.settingsAction == nil else {
                return .failure(OAuthProblem(.invalidRequest, "code_challenge is missing: a promotion needs PKCE"))
            }
            guard !transaction.asks(.none) else {
                return .failure(OAuthProblem(.loginRequired, "a promotion needs the pages: prompt=login"))
            }
            var transaction = transaction
            transaction.promotion = requested
            transaction.loginHint = nil
            if !transaction.asks(.login) { transaction.prompts.append(Prompt.login.rawValue) }
            return .success(transaction)
        }
    }

    /// What a promotion needs before its code.
    enum PromotionState {
        /// Nothing: there is none, or the account was made in this sign-in, or the user has chosen.
        case settled
        case open(PromotionQuestion)
        /// The anonymous user has an account, or is gone.
        case refused(OAuthProblem)
    }

    /// - Parameter user: who signed in.
    func promotionState(
        _ transaction: AuthorizationTransaction, user: User, _ session: BrowserSession
    ) async throws(StoreError) -> PromotionState {
        guard let requested = transaction.promotion else { return .settled }
        guard let anonymous = try await promotions.account(requested) else {
            return .refused(AnonymousPromotions.notGood)
        }
        // A passkey or an identity in place of an address: an account comes of it all the same.
        if user.id == anonymous.user.id, anonymous.user.isAnonymous,
            !project.rulebook.allows(.createAccount, to: .anonymous, on: .newUser)
        {
            return .refused(OAuthProblem(.accessDenied, "no accounts are opened here"))
        }
        if user.id == anonymous.user.id || requested.chosen(by: user.id) != nil { return .settled }
        if try await isMade(user.id, in: session, of: transaction) { return .settled }
        return .open(PromotionQuestion(anonymous: anonymous, user: user))
    }

    /// Whether the account was made in this sign-in, no other caller had a hand in it since, and no one has signed in to it
    /// elsewhere. It would be another person's otherwise, who signed up while the page waited.
    private func isMade(
        _ user: UserID, in session: BrowserSession, of transaction: AuthorizationTransaction
    ) async throws(StoreError) -> Bool {
        guard transaction.madeUser == user.rawValue, !session.authentication.isOfApproval,
            let account = try await stores.users.account(user),
            account.user.othersAt == nil, !account.reachesOthers
        else { return false }
        let now = ambient.now()
        let open = try await stores.sessions.sessions(of: user, limit: 2, at: now)
        guard open.allSatisfy({ $0.session.id == session.id }) else { return false }
        return try await stores.risks.past(of: user, at: now).count <= 1
    }

    /// The transaction with the choice of its user.
    public func choose(
        _ choice: AnonymousPromotion.Choice, by user: UserID, _ transaction: AuthorizationTransaction
    ) -> AuthorizationTransaction {
        var transaction = transaction
        transaction.promotion?.choice = choice.rawValue
        transaction.promotion?.chosenBy = user.rawValue
        return transaction
    }
}
