internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import KeyturnBase
internal import KeyturnWire

/// `/signup`: a new account, which comes about when its address is proved and not before.
extension SignInRoutes {
    /// `GET /signup`.
    @Sendable func showSignUp(_ request: Request, _ context: WebContext) async throws -> Response {
        guard delivers, let journey = authorize.journey(try request.queryParameters()) else {
            return authorize.expired(request, context)
        }
        let hint = journey.loginHint.flatMap { $0.contains("@") ? $0 : nil } ?? ""
        return signUpPage(journey, SignUpPage.Typed(identifier: hint), request)
    }

    /// `POST /signup`: sends a code. Somebody who has an account gets one for that, and nobody else is told.
    @Sendable func signUp(_ request: Request, _ context: WebContext) async throws -> Response {
        let form = try await request.formParameters()
        guard delivers, let journey = authorize.journey(form) else { return authorize.expired(request, context) }
        guard authorize.admits(form, request, session: nil), let browser = authorize.cookies.browser(request) else {
            return authorize.crossSite(request, context)
        }
        if try form.one("action") == "deny" { return .seeOther(authorize.location("/login", of: journey)) }
        let typed = SignUpPage.Typed(
            name: String((try form.one("name") ?? "").prefix(Limits.nameBytesMax)),
            identifier: String((try form.one("email") ?? "").prefix(Identifier.bytesMax)))
        guard let identifier = Identifier(loginID: typed.identifier), identifier.kind == .email,
            identifier.value.first != "@", identifier.value.last != "@"
        else { return signUpPage(journey, typed, request, .emailInvalid, Refusal()) }
        let password = Secret(try form.one("password") ?? "")
        do {
            let refusals = try await refusals(of: password, for: [identifier])
            guard refusals.isEmpty else { return signUpPage(journey, typed, request, nil, Refusal(), refusals) }
            // Made before anybody looks whether there is such an account, so that time does not tell.
            guard let hash = try? await services.passwords.hash(password) else {
                throw MethodProblem.rateLimited(retryAfterSeconds: 2)
            }
            let name = typed.name.filter { !$0.isNewline }
            return try await sent(
                visit(
                    journey, .signUp, typed.identifier, browser, request, context, chosenHash: hash,
                    displayName: name.isEmpty ? nil : name))
        } catch let problem as MethodProblem {
            let refusal = Refusal(problem)
            return signUpPage(
                journey, typed, request, refusal.retryAfterSeconds == nil ? .emailInvalid : .tooManyAttempts, refusal)
        }
    }

    private func signUpPage(
        _ journey: AuthorizationJourney, _ typed: SignUpPage.Typed, _ request: Request,
        _ problem: SignUpPage.Problem? = nil, _ refusal: Refusal? = nil, _ refusals: [PasswordRefusal] = []
    ) -> Response {
        let (form, cookie) = plainForm(Self.signUpPath, journey, request)
        let client = services.clients.client(journey.clientID)
        var response = authorize.presenter.response(
            SignUpPage(
                form: form, appName: client?.name ?? services.project.name, identifier: .email, typed: typed,
                password: NewPasswordField(rules: rules, refusals: refusals), termsURI: client?.metadata.tosURI,
                policyURI: client?.metadata.policyURI, asksConsent: false, problem: problem,
                signInURI: authorize.location("/login", of: journey)), look: authorize.look(journey, request),
            status: refusal?.status ?? .ok, cookies: [cookie])
        response.headers[.retryAfter] = refusal?.retryAfterSeconds.map(String.init)
        return response
    }
}
