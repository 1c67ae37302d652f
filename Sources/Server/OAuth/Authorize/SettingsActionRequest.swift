internal import KeyturnBase
public import KeyturnWire
public import Model

/// An app sends a user to change one thing about their account, and waits for the result.
extension AuthorizationEndpoint {
    /// The actions that have pages.
    static let settingsActions: [SettingsAction] = [
        .changePassword, .deleteAccount, .verifyEmail, .addEmail, .addPhone, .addUsername, .changeEmail, .changePhone,
        .changeUsername, .linkOAuth, .unlinkOAuth, .setupTOTP, .removeTOTP, .setupRecoveryCodes, .addPasskey,
        .removePasskey,
    ]
    private static let replacing: Set<SettingsAction> = [.changeEmail, .changePhone, .changeUsername]
    private static let ofProviders: Set<SettingsAction> = [.linkOAuth, .unlinkOAuth]

    /// The provider that the request names.
    static func providerAlias(_ request: AuthorizationRequest) -> String? {
        request.extra.values(SettingsAction.providerParameter).first.flatMap {
            !$0.isEmpty && $0.utf8.count <= Limits.connectionIDLengthMax ? $0 : nil
        }
    }

    /// The login identifier in the action's own query.
    static func replacedLoginID(_ request: AuthorizationRequest) -> String? {
        guard let text = request.extra.values(SettingsAction.queryParameter).first, text.utf8.count <= 1_024,
            let query = try? FormParameters(parsing: text, parametersMax: 8)
        else { return nil }
        return query.values(SettingsAction.loginID).first.flatMap { $0.utf8.count <= Identifier.bytesMax ? $0 : nil }
    }

    /// The rules for a request for an action: from an app of the operator's own, for a user whom an ID token or the app's
    /// session names, with PKCE.
    ///
    /// - Returns: `nil` for a request of another kind.
    func settingsAction(of request: AuthorizationRequest, client: Client) throws(OAuthProblem) -> SettingsAction? {
        guard request.responseType == SettingsAction.responseType else { return nil }
        guard client.isFirstParty, client.profile != .fapi2, client.allows(.authorizationCode) else {
            throw OAuthProblem(.unauthorizedClient, "only the operator's own apps send people to their settings")
        }
        let name = request.extra.values(SettingsAction.parameter).first ?? ""
        guard let action = Self.settingsActions.first(where: { $0.rawValue == name }) else {
            let known = Self.settingsActions.map(\.rawValue).joined(separator: ", ")
            throw OAuthProblem(.invalidRequest, "\(SettingsAction.parameter) is one of: \(known)")
        }
        guard request.codeChallenge != nil, request.idTokenHint != nil || appUser != nil else {
            throw OAuthProblem(
                .invalidRequest, "a settings action needs code_challenge, and id_token_hint or an app session token")
        }
        guard !Self.replacing.contains(action) || Self.replacedLoginID(request) != nil else {
            throw OAuthProblem(
                .invalidRequest, "\(SettingsAction.queryParameter) has no \(SettingsAction.loginID) to be changed")
        }
        guard !Self.ofProviders.contains(action) || Self.providerAlias(request) != nil else {
            throw OAuthProblem(.invalidRequest, "\(SettingsAction.providerParameter) names no provider")
        }
        guard request.responseMode == nil || request.responseMode == ResponseMode.query.rawValue else {
            throw OAuthProblem(.invalidRequest, "a settings action is answered in the query")
        }
        return action
    }

    /// Whether the signed-in user may now do the action that an app asked for.
    public func permits(_ action: SettingsAction, _ transaction: AuthorizationTransaction, _ session: BrowserSession)
        -> Bool
    {
        guard let client = client(of: transaction), isRegistered(transaction, by: client) else { return false }
        return transaction.settingsAction == action && !transaction.isExpired(at: ambient.now())
            && !transaction.needsSignIn(session)
    }

    /// The waiting app's session from this browser: the action must not sign it out. A session from elsewhere may be an
    /// attacker's, whose link was followed.
    public func waiting(_ transaction: AuthorizationTransaction, _ session: BrowserSession) -> SignedInSession? {
        guard transaction.hintedSession == session.id.rawValue, let since = transaction.hintedTime else { return nil }
        return SignedInSession(clientID: transaction.clientID, sessionID: session.id, since: since)
    }

    /// The action was done: back to the app, with a code that shows it and gives no tokens. The request is used up.
    public func done(
        _ transaction: AuthorizationTransaction, _ seal: TransactionSeal
    ) async throws(StoreError) -> AuthorizationAnswer {
        guard try await useUp(transaction) else {
            let problem = OAuthProblem(.invalidRequestURI, "the request was answered before")
            return transaction.answer(.refused(problem), issuer: project.issuer)
        }
        let proof = SettingsActionCode(
            clientID: transaction.clientID, redirectURI: transaction.redirectURI,
            codeChallenge: transaction.codeChallenge ?? "",
            expiresAt: ambient.now() + Limits.codeSeconds, id: ambient.randomToken(byteCount: 16))
        return transaction.answer(.code(seal.close(proof, kind: SettingsActionCode.kind)), issuer: project.issuer)
    }

    /// The operator does not offer what the app asked for: back to the app.
    public func isNotOffered(_ transaction: AuthorizationTransaction) async throws(StoreError) -> AuthorizationAnswer {
        try await useUp(transaction)
        let problem = OAuthProblem(
            OAuthProblem.Code(rawValue: SettingsAction.unsupported), "this server does not offer the action")
        return transaction.answer(.refused(problem), issuer: project.issuer)
    }

    /// The user cancelled.
    public func gaveUp(_ transaction: AuthorizationTransaction) async throws(StoreError) -> AuthorizationAnswer {
        try await useUp(transaction)
        let problem = OAuthProblem(
            OAuthProblem.Code(rawValue: SettingsAction.cancelled), "the person did not want to")
        return transaction.answer(.refused(problem), issuer: project.issuer)
    }
}

/// The content of a settings action's code, sealed: there is no row for it.
struct SettingsActionCode: Codable, Sendable {
    static let kind = "settings-action"
    let clientID: String
    let redirectURI: String
    let codeChallenge: String
    let expiresAt: UnixTime
    /// Makes each code different.
    let id: String
}
