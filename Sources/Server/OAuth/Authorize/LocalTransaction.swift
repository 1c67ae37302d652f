internal import KeyturnBase
internal import KeyturnWire
public import Model

/// Sign-ins that no app asked for: they lead to a page of this server, through the same pages as any other.
extension AuthorizationEndpoint {
    /// A journey to one of this server's own pages.
    ///
    /// - Parameters:
    ///   - path: where it ends; never anything that came in with a request.
    ///   - user: who must sign in, where somebody is there already and must prove it again.
    ///   - maxAgeSeconds: how old their sign-in may be; `nil`: any age.
    ///   - needsSeveralFactors: whether it must be one with two factors.
    ///   - choosesAccount: whoever is there already wants to be somebody else.
    ///   - uiLocales: languages of the sign-in pages, separated by spaces; `nil`: as the browser says.
    ///   - colorScheme: `light` or `dark`; `nil`: as the browser prefers.
    public func journey(
        to path: String, as user: UserID? = nil, maxAgeSeconds: Int64? = nil, needsSeveralFactors: Bool = false,
        choosesAccount: Bool = false, uiLocales: String? = nil, colorScheme: String? = nil
    ) -> AuthorizationTransaction {
        precondition(path.hasPrefix("/") && !path.hasPrefix("//"), "a page of this server")
        return AuthorizationTransaction(
            clientID: "", redirectURI: path, redirectURIWasSent: false, responseMode: ResponseMode.query.rawValue,
            scope: [], resources: [], state: nil, nonce: nil, codeChallenge: nil, keyThumbprint: nil,
            prompts: choosesAccount ? [Prompt.selectAccount.rawValue] : [],
            maxAge: maxAgeSeconds, requiredSubject: user?.rawValue, loginHint: nil, uiLocales: uiLocales,
            colorScheme: colorScheme,
            claims: nil, wantsSeveralFactors: needsSeveralFactors ? true : nil, startedAt: ambient.now(), ownPath: path)
    }

    /// Who a journey is for: the client that began it, or this server itself.
    public func client(of journey: AuthorizationTransaction) -> Client? {
        guard journey.ownPath != nil else { return clients.client(journey.clientID) }
        var metadata = ClientMetadata()
        metadata.clientName = project.name
        return Client(id: "", metadata: metadata, secretDigests: [], isFirstParty: true)
    }

    /// The end of a journey to a page of ours. Nothing of the response is sent to anybody.
    func arrive(_ journey: AuthorizationTransaction) -> AuthorizationAnswer {
        journey.answer(.code(""), issuer: project.issuer)
    }

    /// Somebody did not want to go on with such a journey.
    func leave(_ journey: AuthorizationTransaction) -> AuthorizationAnswer {
        journey.answer(.refused(OAuthProblem(.accessDenied, "the person refused")), issuer: project.issuer)
    }
}
