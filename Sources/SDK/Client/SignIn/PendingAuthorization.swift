internal import KeyturnBase
internal import KeyturnVerify
internal import KeyturnWire

/// A sign-in between its two halves: what was sent, and what the callback must match.
struct PendingAuthorization: Sendable {
    enum Purpose: Sendable {
        case signIn
        /// Of the person whom this token names.
        case reauthenticate(IDToken)
        /// Of the user with this `sub`, whose session a method made: the new session takes its place.
        case signInAgain(subject: String)
        /// Of the user with this `sub`, who changes something about their account; without an ID token the app's session
        /// names them.
        case settings(SettingsAction, IDToken?, subject: String?)

        /// Whether the request names the user, by their ID token.
        var namesUser: Bool {
            switch self {
            case .reauthenticate: true
            case .settings(_, let token, _): token != nil
            case .signIn, .signInAgain: false
            }
        }

        /// Whether a session begins with it.
        var begins: Bool {
            switch self {
            case .signIn, .signInAgain: true
            case .reauthenticate, .settings: false
            }
        }
    }

    /// The address to open.
    var url: String
    /// The authorization request.
    let request: AuthorizationRequest
    let state: String
    let nonce: String
    let proofKey: PKCE
    let redirectURI: String
    let scope: Scope
    let maxAgeSeconds: Int64?
    let resource: [String]
    /// The app's own, returned with the result.
    let appState: String?
    let purpose: Purpose
    let expiresAt: UnixTime
    /// The service's issuer, of many tenants the template of theirs, and whether callbacks must name it (RFC 9207).
    let issuer: String
    let isIssuerRequired: Bool
    /// Whether another app answers, which knows neither the issuer nor the nonce.
    var isAnsweredByApp = false
}

extension PendingAuthorization {
    /// Builds the request (OpenID Connect Core §3.1.2.1).
    ///
    /// - Throws: `configuration.invalid` for options that contradict each other or this library.
    init(
        _ options: SignInOptions, redirectURI: String, purpose: Purpose, service: Service, metadata: ServerMetadata,
        keyThumbprint: String?, ambient: Ambient
    ) throws(AuthError) {
        let endpoint = try metadata.endpoint(.authorizationEndpoint)
        self.redirectURI = redirectURI
        self.purpose = purpose
        scope = try Self.scope(options, purpose, service, metadata)
        state = ambient.randomToken()
        nonce = ambient.randomToken()
        proofKey = PKCE(ambient: ambient)
        maxAgeSeconds = options.maxAgeSeconds
        resource = options.resource
        appState = options.state
        expiresAt = ambient.now() + Limits.pendingSeconds
        issuer = metadata.issuer
        isIssuerRequired =
            service.wire.alwaysSendsIssuer || metadata.authorizationResponseIssParameterSupported == true
        var request = AuthorizationRequest(clientID: service.clientID)
        request.redirectURI = redirectURI
        request.responseType = "code"
        request.scope = scope.isEmpty ? nil : scope.text
        request.state = state
        request.nonce = service.issuesIDTokens ? nonce : nil
        request.codeChallenge = proofKey.codeChallenge
        request.codeChallengeMethod = PKCE.method
        request.maxAge = maxAgeSeconds.map(String.init)
        request.loginHint = options.loginHint
        request.uiLocales = Self.joined(options.uiLocales)
        request.acrValues = Self.joined(options.acrValues)
        request.resource = options.resource
        if service.wire.authgear == nil || purpose.begins { request.dpopKeyThumbprint = keyThumbprint }
        switch purpose {
        case .signIn, .signInAgain: break
        case .reauthenticate(let token): request.idTokenHint = token.compact
        case .settings(let action, let token, _):
            request.idTokenHint = token?.compact
            request.responseType = SettingsAction.responseType
            request.extra.append(SettingsAction.parameter, action.rawValue)
        }
        try Self.present(options, in: &request, service)
        self.request = request
        url = URLText.adding(request.parameters, to: endpoint)
    }

    /// Prompt, page, color scheme, and whatever the app adds.
    private static func present(
        _ options: SignInOptions, in request: inout AuthorizationRequest, _ service: Service
    ) throws(AuthError) {
        var prompt = options.prompt
        if let page = options.page {
            if let name = service.wire.pageParameter {
                request.extra.append(name, page.rawValue)
            } else if page == .signup, !prompt.contains(.create) {
                prompt.append(.create)
            }
        }
        guard !prompt.contains(.none) || prompt.count == 1 else {
            throw AuthError(.misconfigured, "prompt none stands alone (Core §3.1.2.1)")
        }
        request.prompt = joined(prompt.map(\.rawValue))
        if let name = service.wire.colorSchemeParameter {
            request.extra.append(name, options.colorScheme?.rawValue)
        }
        for parameter in service.wire.authorizationParameters {
            request.extra.append(parameter.name, parameter.value)
        }
        // Authgear puts it into every ID token.
        if let claim = service.wire.canReauthenticateClaim, service.wire.authgear == nil,
            request.responseType == "code"
        {
            request.claims = try claims(options.extra["claims"], with: claim)
        }
        // The app's own are in there.
        let extra = options.extra.filter { request.claims == nil || $0.key != "claims" }
        let taken = Set(request.parameters.all.map(\.name)).union(reserved)
        for (name, value) in extra.sorted(by: { $0.key < $1.key }) {
            guard !taken.contains(name) else {
                throw AuthError(.misconfigured, "an extra parameter has a name that the library sends by itself")
            }
            request.extra.append(name, value)
        }
    }

    /// The claims that the app asks for by name, and in the ID token one that this library reads (Core §5.5).
    private static func claims(_ asked: String?, with claim: String) throws(AuthError) -> String {
        guard let json = try? JSONValue(parsing: (asked ?? "{}").utf8), var members = json.objectValue else {
            throw AuthError(.misconfigured, "claims is no JSON object (Core §5.5)")
        }
        var idToken = members["id_token"]?.objectValue ?? [:]
        if idToken[claim] == nil { idToken[claim] = .null }
        members["id_token"] = .object(idToken)
        return String(decoding: JSONValue.object(members).serialized, as: UTF8.self)
    }

    private static func scope(
        _ options: SignInOptions, _ purpose: Purpose, _ service: Service, _ metadata: ServerMetadata
    ) throws(AuthError) -> Scope {
        let scope = try scope(options.scope, service, metadata)
        // The session goes on with the refresh token it has; asking for another would start a second one.
        if purpose.begins { return Scope(names: scope.names + service.sharedScopes.filter { !scope.contains($0) }) }
        guard options.scope == nil else { return scope }
        guard service.wire.authgear == nil else { return AuthgearWire.reauthenticationScope }
        return Scope(names: scope.names.filter { $0 != Scope.offlineAccess })
    }

    /// What is asked for: the caller's wish, or as much of the service's default as it supports.
    static func scope(_ asked: Scope?, _ service: Service, _ metadata: ServerMetadata) throws(AuthError) -> Scope {
        if let asked {
            guard asked.contains(Scope.openID) || !service.issuesIDTokens else {
                throw AuthError(.misconfigured, "the scope must contain openid")
            }
            return asked
        }
        guard let supported = metadata.scopesSupported, service.wire.authgear == nil else {
            return service.defaultScope
        }
        return Scope(names: service.defaultScope.names.filter { $0 == Scope.openID || supported.contains($0) })
    }

    private static func joined(_ values: [String]) -> String? {
        values.isEmpty ? nil : values.joined(separator: " ")
    }

    /// What may change the meaning of the request and is not for the app to set.
    private static let reserved: Set<String> = [
        "client_id", "client_secret", "redirect_uri", "response_type", "response_mode", "scope", "state", "nonce",
        "code_challenge", "code_challenge_method", "prompt", "max_age", "id_token_hint", "login_hint", "ui_locales",
        "acr_values", "resource", "request", "request_uri", "code", "iss",
        "dpop_jkt",
    ]
}

extension PendingAuthorization {
    /// Checks a callback and takes the code out of it (RFC 6749 §4.1.2, RFC 9207 §2.4).
    ///
    /// - Throws: `sign_in.callback_mismatch` if it does not belong to this sign-in; otherwise what the service said.
    func code(from callbackURL: String) throws(AuthError) -> Secret {
        let (base, response) = try Callback.parse(callbackURL)
        guard base == redirectURI.prefix(while: { $0 != "?" }) else {
            throw AuthError(.callbackMismatch, "the callback came to another redirect URI")
        }
        guard let sent = response.state, ConstantTime.equal(Array(sent.utf8), Array(state.utf8)) else {
            throw AuthError(.callbackMismatch, "the callback has another state")
        }
        guard isAnswer(of: response.issuer) else {
            throw AuthError(.callbackMismatch, "the callback comes from another issuer (RFC 9207)")
        }
        switch response.outcome {
        case .code(let code): return Secret(code)
        case .refused(let problem): throw refusal(problem)
        }
    }

    /// Whether a callback that names `named` is the service's. Of many tenants it names one, and not the template.
    private func isAnswer(of named: String?) -> Bool {
        guard let named else { return !isIssuerRequired || isAnsweredByApp }
        guard let template = IssuerTemplate(issuer) else { return named == issuer }
        return template.tenant(of: named) != nil
    }

    /// A request that names the user by their ID token is answered with `login_required` if another one signed in (OpenID
    /// Connect Core §3.1.2.1). With `prompt=none` the same word says that the page would have had to ask.
    private func refusal(_ problem: OAuthProblem) -> AuthError {
        let error = Callback.error(problem)
        guard purpose.namesUser, problem.code == .loginRequired, request.prompt != "none" else { return error }
        return AuthError(.differentPerson, "another person is signed in than the session's", server: error.server)
    }
}

/// The URL that a browser was sent to. Nothing in it is verified.
enum Callback {
    /// The URL before its query, and what the query says.
    static func parse(_ url: String) throws(AuthError) -> (base: Substring, response: AuthorizationResponse) {
        guard url.utf8.count <= Limits.callbackMaxBytes, let (base, query) = URLText.split(url) else {
            throw AuthError(.callbackMismatch, "the callback is not one")
        }
        let response: AuthorizationResponse?
        do throws(FormProblem) {
            response = try AuthorizationResponse(FormParameters(parsing: query))
        } catch {
            throw AuthError(.callbackMismatch, "the callback is malformed")
        }
        guard let response else { throw AuthError(.callbackMismatch, "the callback holds neither code nor error") }
        return (base, response)
    }

    /// Makes sure that a callback which named its issuer named that of the ID token: of many tenants the same one.
    ///
    /// - Throws: `sign_in.callback_mismatch` if not.
    static func check(_ url: String, against idToken: IDToken) throws(AuthError) {
        guard let named = try parse(url).response.issuer, named != idToken.issuer else { return }
        throw AuthError(.callbackMismatch, "the callback and the ID token name two issuers (RFC 9207)")
    }

    /// A refusal, as this library's error (RFC 6749 §4.1.2.1, OpenID Connect Core §3.1.2.6).
    static func error(_ problem: OAuthProblem) -> AuthError {
        // The answer came through a redirect, so that is its status.
        let server = AuthError.ServerAnswer(
            status: 302, code: Exchange.clean(problem.code.rawValue, max: 128),
            description: Exchange.clean(problem.description, max: 512))
        switch problem.code {
        case OAuthProblem.Code(rawValue: SettingsAction.unsupported):
            return AuthError(.unsupported, "the service does not offer this change", server: server)
        case .accessDenied, OAuthProblem.Code(rawValue: SettingsAction.cancelled),
            OAuthProblem.Code(rawValue: AppToAppNames.rejected),
            _ where othersCancelled.contains(problem.code.rawValue):
            return AuthError(.cancelled, "the person refused or gave up", server: server)
        case .loginRequired, .interactionRequired, .consentRequired, .accountSelectionRequired:
            return AuthError(.interactionRequired, "the service must ask the person", server: server)
        case .serverError, .temporarilyUnavailable:
            return AuthError(.unavailable, "the service cannot do this now", server: server)
        default:
            return AuthError(.refused, "the service refused the sign-in", server: server)
        }
    }

    /// Apple's and LinkedIn's words for `access_denied`.
    private static let othersCancelled: Set<String> = ["user_cancelled_authorize", "user_cancelled_login"]
}
