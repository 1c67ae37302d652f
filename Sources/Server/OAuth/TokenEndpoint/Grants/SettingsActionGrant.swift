internal import KeyturnBase
public import KeyturnWire
public import Model

extension TokenEndpoint {
    /// Whether a form has the code of a settings action.
    @Sendable public static func isSettingsAction(_ form: FormParameters) -> Bool {
        form.single("grant_type") == GrantType.settingsAction.rawValue
    }

    /// Redeems the code of a settings action, once. It proves that the action was done, and gives no tokens.
    ///
    /// - Throws: ``OAuthProblem``.
    public func redeemSettingsAction(
        _ form: FormParameters, client: Client?, _ seal: TransactionSeal
    ) async throws(OAuthProblem) {
        try checkForm(form)
        guard let client else { throw OAuthProblem(.invalidClient, "no client is named") }
        guard let code = form.single("code"), let verifier = form.single("code_verifier") else {
            throw OAuthProblem(.invalidRequest, "code or code_verifier is missing")
        }
        guard let proof = seal.open(code, as: SettingsActionCode.self, kind: SettingsActionCode.kind),
            proof.clientID == client.id, ambient.now() < proof.expiresAt
        else { throw OAuthProblem(.invalidGrant, "the code is unknown, was issued to another client, or has expired") }
        guard PKCE.isWellFormed(verifier), PKCE.challenge(for: verifier) == proof.codeChallenge,
            form.single("redirect_uri") == proof.redirectURI
        else { throw OAuthProblem(.invalidGrant, "redirect_uri or code_verifier does not belong to this code") }
        let mark = ReplayMark(
            of: Array(proof.id.utf8) + [0] + Array(SettingsActionCode.kind.utf8),
            expiresAt: proof.expiresAt + Limits.spentMarginSeconds)
        do throws(StoreError) {
            guard try await stores.spent.spend(mark) else {
                throw StoreError(.conflict)
            }
        } catch {
            guard error.code == .conflict else {
                throw OAuthProblem(.temporarilyUnavailable, "the server cannot reach its database: try again")
            }
            throw OAuthProblem(.invalidGrant, "the code was used before")
        }
    }
}
