internal import HTTPTypes
internal import KeyturnBase
internal import KeyturnWire
internal import OAuth

extension Demand {
    private static let refusal = Demand.Refusal.error(401, OAuthProblem.Code.invalidToken.rawValue)

    /// Every client may register where the operator gave out no tokens.
    static func initialAccessToken(of registrar: ClientRegistrar) -> Demand {
        let isOpen = !registrar.wantsInitialAccessToken
        return Demand(.initialAccessToken, isOpen ? .admitted : refusal)
    }

    static let registrationToken = Demand(.registrationToken, refusal)
}

/// The registrar, which keeps the tokens, makes the values of these checks.
extension Checks {
    /// `nil`: the request may not register a client.
    func registrationPermit(
        _ request: Request, _ context: WebContext, _ registrar: ClientRegistrar
    ) -> RegistrationPermit? {
        registrar.permit(Self.bearer(request), from: addresses.address(of: request, context))
    }

    /// `nil`: the request does not come from the client.
    func registrationHolder(of clientID: String?, _ request: Request, _ registrar: ClientRegistrar)
        -> RegistrationHolder?
    {
        registrar.holder(of: clientID, token: Self.bearer(request))
    }

    private static func bearer(_ request: Request) -> Secret? {
        credentials(request).flatMap { $0.scheme == TokenType.bearer.lowercased() ? $0.credentials : nil }
    }
}
