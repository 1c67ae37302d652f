internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// Checks of an authorization request, once its redirect URI is known.
extension AuthorizationEndpoint {
    /// Non-standard parameters that are read here: no other has an effect, pushed or not.
    static let extensions: Set<String> = [
        journeyParameter, flowGroupParameter, journeyInputsParameter, "x_color_scheme", pageParameter,
        connectionParameter, SettingsAction.parameter, SettingsAction.queryParameter, SettingsAction.providerParameter,
    ]
    /// The identity provider to which the user is led straight.
    private static let connectionParameter = "connection"
    /// Authgear's parameter for the first page: `signup`, or `login`.
    private static let pageParameter = "x_page"

    /// A valid request, as a transaction.
    ///
    /// - Throws: the error for the client.
    func checked(_ sent: AuthorizationRequest, client: Client, redirectURI: String)
        throws(OAuthProblem) -> AuthorizationTransaction
    {
        var request = sent
        // As it is kept if it is pushed: a parameter that is missing in the list counts nowhere.
        request.extra = sent.extra.keeping(Self.extensions)
        let action = try settingsAction(of: request, client: client)
        if action == nil { try checkResponse(request, client: client) }
        let claims = try claims(of: request).map(ClaimRules(client: client).permitted)
        let journey = action == nil ? try journey(of: request, claims, client) : nil
        return AuthorizationTransaction(
            clientID: client.id, redirectURI: redirectURI, redirectURIWasSent: request.redirectURI != nil,
            responseMode: request.responseMode ?? ResponseMode.query.rawValue,
            scope: try scope(of: request, client: client).names,
            resources: try project.checkedResources(request.resource),
            state: try bounded(request.state, "state"), nonce: try bounded(request.nonce, "nonce"),
            codeChallenge: try codeChallenge(of: request, client: client),
            keyThumbprint: try keyThumbprint(of: request), prompts: try prompts(of: request),
            maxAge: try maxAge(of: request, for: action) ?? client.metadata.defaultMaxAge,
            requiredSubject: try requiredSubject(of: request, claims: claims, client: client),
            loginHint: request.loginHint.map { String($0.prefix(Identifier.bytesMax)) },
            uiLocales: request.uiLocales.map { String($0.prefix(256)) },
            colorScheme: request.extra.values("x_color_scheme").first.flatMap {
                ["light", "dark"].contains($0) ? $0 : nil
            },
            claims: claims.flatMap { $0.isEmpty ? nil : $0.text },
            authorizationDetails: try authorizationDetails(of: request, client: client)?.text,
            wantsSeveralFactors: needsSeveralFactors(request, claims, client),
            essentialClasses: try essentialClasses(claims, client), settings: action?.rawValue,
            replacedLoginID: Self.replacedLoginID(request),
            providerAlias: action == nil ? nil : Self.providerAlias(request),
            isHinted: request.idTokenHint == nil ? nil : true,
            hintedSession: request.idTokenHint.flatMap(hints.read)?.sessionID?.rawValue,
            hintedTime: request.idTokenHint.flatMap(hints.read)?.authenticatedAt,
            startedAt: ambient.now(),
            askedConnection: action == nil ? Self.askedConnection(request) : nil, journey: journey?.name,
            journeyClass: journey?.contextClass,
            journeyInputs: try journeyInputs(of: request))
    }

    /// The identity provider to which the user is led straight, by our name of the parameter or Authgear's. The page says if
    /// there is none of this name.
    private static func askedConnection(_ request: AuthorizationRequest) -> String? {
        [connectionParameter, SettingsAction.providerParameter].compactMap { request.extra.values($0).first }.first
            .map { String($0.prefix(Limits.connectionIDLengthMax)) }
    }

    private func checkResponse(_ request: AuthorizationRequest, client: Client) throws(OAuthProblem) {
        guard let type = request.responseType else { throw OAuthProblem(.invalidRequest, "response_type is missing") }
        guard type == "code" else {
            throw OAuthProblem(
                .unsupportedResponseType, "only response_type=code: tokens never travel through a browser")
        }
        guard client.allows(.authorizationCode), (client.metadata.responseTypes ?? ["code"]).contains("code") else {
            throw OAuthProblem(.unauthorizedClient, "the client is not registered for authorization codes")
        }
        if let mode = request.responseMode, ResponseMode(rawValue: mode) == nil {
            throw OAuthProblem(.invalidRequest, "response_mode is query, fragment or form_post")
        }
    }

    private func codeChallenge(of request: AuthorizationRequest, client: Client) throws(OAuthProblem) -> String? {
        guard let challenge = request.codeChallenge else {
            guard !client.requiresChallenge else {
                throw OAuthProblem(.invalidRequest, "code_challenge is missing: this client must use PKCE")
            }
            guard request.codeChallengeMethod == nil else {
                throw OAuthProblem(.invalidRequest, "code_challenge_method without code_challenge")
            }
            return nil
        }
        guard request.codeChallengeMethod == PKCE.method else {
            throw OAuthProblem(.invalidRequest, "code_challenge_method must be S256")
        }
        guard challenge.utf8.count == 43, PKCE.isWellFormed(challenge) else {
            throw OAuthProblem(.invalidRequest, "code_challenge is not a SHA-256 hash in base64url")
        }
        return challenge
    }

    /// RFC 9449 §10.
    private func keyThumbprint(of request: AuthorizationRequest) throws(OAuthProblem) -> String? {
        guard let thumbprint = request.dpopKeyThumbprint else { return nil }
        guard Base64URL.decode(thumbprint)?.count == 32 else {
            throw OAuthProblem(.invalidRequest, "dpop_jkt is not a SHA-256 thumbprint in base64url")
        }
        return thumbprint
    }

    /// The requested scope that the client may have; unregistered names are left out (OpenID Connect Core §3.1.2.1).
    private func scope(of request: AuthorizationRequest, client: Client) throws(OAuthProblem) -> Scope {
        let allowed = client.permittedScope
        guard let text = request.scope else {
            // Details alone are a complete request (RFC 9396 §2).
            guard request.authorizationDetails == nil else { return .none }
            return Scope(names: allowed.names.filter { $0 != Scope.openID && $0 != Scope.offlineAccess })
        }
        return try Scope(asked: text).granted(from: allowed)
    }

    private func prompts(of request: AuthorizationRequest) throws(OAuthProblem) -> [String] {
        let prompts = (request.prompt ?? "").split(separator: " ").map(String.init)
        guard prompts.allSatisfy({ Prompt(rawValue: $0) != nil }) else {
            throw OAuthProblem(.invalidRequest, "prompt holds a value that this server does not know")
        }
        guard !prompts.contains(Prompt.none.rawValue) || prompts.count == 1 else {
            throw OAuthProblem(.invalidRequest, "prompt=none stands alone")
        }
        let wantsSignUp =
            request.extra.values(Self.pageParameter).first == "signup" && !prompts.contains(Prompt.none.rawValue)
        return wantsSignUp && !prompts.contains(Prompt.create.rawValue) ? prompts + [Prompt.create.rawValue] : prompts
    }

    /// A user who changes how they sign in must have signed in recently: asked before, so that they get back.
    private func maxAge(
        of request: AuthorizationRequest, for action: SettingsAction?
    ) throws(OAuthProblem) -> Int64? {
        let asked = try maxAge(of: request)
        return action == nil ? asked : min(asked ?? .max, Limits.sensitiveSeconds / 2)
    }

    private func maxAge(of request: AuthorizationRequest) throws(OAuthProblem) -> Int64? {
        guard let text = request.maxAge else { return nil }
        guard let seconds = Int64(text), seconds >= 0 else {
            throw OAuthProblem(.invalidRequest, "max_age is a number of seconds")
        }
        return seconds
    }

    private func claims(of request: AuthorizationRequest) throws(OAuthProblem) -> ClaimsRequest? {
        guard let text = request.claims else { return nil }
        guard let claims = ClaimsRequest(parsing: text) else {
            throw OAuthProblem(.invalidRequest, "claims is not a JSON object as OpenID Connect Core 5.5 describes it")
        }
        return claims
    }

    /// The first known class is the app's preferred one (OpenID Connect Core §3.1.2.1); an essential one counts before
    /// it (§5.5.1.1).
    private func needsSeveralFactors(_ request: AuthorizationRequest, _ claims: ClaimsRequest?, _ client: Client)
        -> Bool
    {
        let essential = claims?.idToken["acr"].flatMap { $0.isEssential ? $0.values.compactMap(\.stringValue) : nil }
        let wanted = [
            essential, request.acrValues?.split(separator: " ").map(String.init), client.metadata.defaultACRValues,
        ].compactMap { $0?.first(where: AuthenticationFacts.classes.contains) }
        return wanted.first == AuthenticationFacts.severalFactorsClass
    }

    /// The classes of which the sign-in must have one (OpenID Connect Core §5.5.1.1).
    ///
    /// - Throws: `unmet_authentication_requirements` if this server knows none of them.
    private func essentialClasses(_ claims: ClaimsRequest?, _ client: Client) throws(OAuthProblem) -> [String]? {
        guard let claim = claims?.idToken["acr"], claim.isEssential, !claim.values.isEmpty else { return nil }
        let classes = AuthenticationFacts.classes + journeys(of: client).compactMap(\.contextClass)
        let known = claim.values.compactMap(\.stringValue).filter(classes.contains)
        guard !known.isEmpty else {
            throw OAuthProblem(
                .unmetAuthenticationRequirements, "no sign-in at this server is of a class that the request insists on")
        }
        return known
    }

    /// Details of types that the project offers and the client may use (RFC 9396 §5).
    private func authorizationDetails(of request: AuthorizationRequest, client: Client)
        throws(OAuthProblem) -> AuthorizationDetails?
    {
        guard let text = request.authorizationDetails else { return nil }
        let refusal = { OAuthProblem(.invalidAuthorizationDetails, $0) }
        guard let details = AuthorizationDetails(parsing: text, bytesMax: Limits.detailsBytesMax),
            details.elements.count <= Limits.detailsMax
        else { throw refusal("it is not an array of objects that have a type each, or is too long") }
        guard details.types.allSatisfy(project.detailTypes(of: client).contains) else {
            throw refusal("it holds a type that this server does not offer to this client")
        }
        guard details.elements.allSatisfy(AuthorizationDetails.isWellFormed) else {
            throw refusal("a common field is of another type than RFC 9396 2.2 says")
        }
        // Users read all of it before they agree.
        guard VisibleText.holds(.array(details.json)) else {
            throw refusal("it holds characters that nobody sees")
        }
        return details
    }

    private func requiredSubject(of request: AuthorizationRequest, claims: ClaimsRequest?, client: Client)
        throws(OAuthProblem) -> String?
    {
        var subject: String?
        if let hint = request.idTokenHint {
            guard let token = hints.read(hint), token.clientID == client.id else {
                throw OAuthProblem(.invalidRequest, "id_token_hint is not an ID token of this server for this client")
            }
            subject = token.subject
        } else if request.responseType == SettingsAction.responseType {
            subject = appUser?.rawValue
        }
        guard let wanted = claims?.idToken["sub"]?.values.first else { return subject }
        guard let value = wanted.stringValue, subject == nil || subject == value else {
            throw OAuthProblem(.invalidRequest, "id_token_hint and claims ask for different people")
        }
        return value
    }

    private func bounded(_ text: String?, _ name: String) throws(OAuthProblem) -> String? {
        guard let text else { return nil }
        guard text.utf8.count <= Limits.stateBytesMax else {
            throw OAuthProblem(.invalidRequest, "\(name) is longer than \(Limits.stateBytesMax) bytes")
        }
        return text
    }
}
