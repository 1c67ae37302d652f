internal import KeyturnBase
public import KeyturnWire
public import Model

/// An app sends somebody to change one thing about their account, and waits for word that it was done.
extension AuthorizationEndpoint {
    /// The actions that there are pages for.
    static let settingsActions: [SettingsAction] = [.changePassword, .deleteAccount]

    /// What a request for an action must be: from an app of the operator's own, for somebody who is named, with PKCE.
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
        guard request.codeChallenge != nil, request.idTokenHint != nil else {
            throw OAuthProblem(.invalidRequest, "a settings action needs code_challenge and id_token_hint")
        }
        guard request.responseMode == nil || request.responseMode == ResponseMode.query.rawValue else {
            throw OAuthProblem(.invalidRequest, "a settings action is answered in the query")
        }
        return action
    }

    /// Whether whoever is there may do now what an app sent them for.
    public func permits(_ action: SettingsAction, _ journey: AuthorizationTransaction, _ session: BrowserSession)
        -> Bool
    {
        journey.settingsAction == action && !journey.isExpired(at: ambient.now()) && !journey.needsSignIn(session)
    }

    /// The app that waits, as it is signed in from this browser: it must not be signed out by what it asked for. One that
    /// is signed in from elsewhere may be a thief's, whose link was followed.
    public func waiting(_ journey: AuthorizationTransaction, _ session: BrowserSession) -> SignedInSession? {
        guard journey.hintedSession == session.id.rawValue else { return nil }
        return SignedInSession(clientID: journey.clientID, sessionID: session.id)
    }

    /// The action was done: back to the app, with a code that proves it and opens nothing. What the request came from is
    /// used up.
    public func done(
        _ journey: AuthorizationTransaction, _ seal: TransactionSeal
    ) async throws(StoreError) -> AuthorizationAnswer {
        guard try await useUp(journey) else {
            let problem = OAuthProblem(.invalidRequestURI, "the request was answered before")
            return journey.answer(.refused(problem), issuer: project.issuer)
        }
        let proof = SettingsActionCode(
            clientID: journey.clientID, redirectURI: journey.redirectURI, codeChallenge: journey.codeChallenge ?? "",
            expiresAt: ambient.now() + Limits.codeSeconds, id: ambient.randomToken(byteCount: 16))
        return journey.answer(.code(seal.close(proof, kind: SettingsActionCode.kind)), issuer: project.issuer)
    }

    /// The person did not want to.
    public func gaveUp(_ journey: AuthorizationTransaction) async throws(StoreError) -> AuthorizationAnswer {
        try await useUp(journey)
        let problem = OAuthProblem(
            OAuthProblem.Code(rawValue: SettingsAction.cancelled), "the person did not want to")
        return journey.answer(.refused(problem), issuer: project.issuer)
    }
}

/// What the code of a settings action says, sealed: there is no row for it.
struct SettingsActionCode: Codable, Sendable {
    static let kind = "settings-action"
    let clientID: String
    let redirectURI: String
    let codeChallenge: String
    let expiresAt: UnixTime
    /// Makes it another one each time.
    let id: String
}
