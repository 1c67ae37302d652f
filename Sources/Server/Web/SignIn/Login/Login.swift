internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

/// `/login`: the first page, with the password and the other methods.
extension SignInRoutes {
    /// `GET /login`: shows the page, or moves on if the user does not have to sign in (any more).
    @Sendable func showLogin(_ opened: OpenedTransaction, _ request: Request, _ context: WebContext) async throws
        -> Response
    {
        let transaction = opened.transaction
        let person = try await checks.person(request)
        let step = try await services.authorization.next(transaction, session: person?.asPair)
        guard case .signIn(let client, let user) = step else {
            return try await authorize.respond(step, transaction, request, context)
        }
        if let person, services.authorization.isOfAnother(transaction, than: person.session) {
            return try await otherAccount(transaction, client, person, request)
        }
        let isAgain = !opened.fields.values("problem").isEmpty
        if let person, let browser = cookies.browser(request), !isAgain,
            try await services.authorization.lacksFactorOnly(transaction, person.session)
        {
            return try await stepUp(opened, person, in: browser)
        }
        if let person, let browser = cookies.browser(request), !isAgain,
            let response = try await resume(opened, person, in: browser)
        {
            return response
        }
        let entry = entry(transaction)
        if entry.beginsWithSignUp, reach.kind != nil,
            !entry.allowsSignIn || opened.fields.values(Self.pageField).first != Self.signInPage && !isAgain
        {
            return .seeOther(authorize.location(Routes.signUp, of: transaction))
        }
        if let connection = entry.onlyConnection.flatMap(gate.connection), !isAgain {
            return try await depart(
                to: connection, opened, in: checks.browser(request),
                loginHint: transaction.typedLoginID ?? transaction.loginHint, isUnseen: true)
        }
        if let connection = transaction.askedConnection.flatMap(gate.connection),
            opened.fields.values("problem").isEmpty, transaction.pendingIdentity == nil
        {
            return try await depart(
                to: connection, opened, in: checks.browser(request), loginHint: transaction.loginHint, isUnseen: true)
        }
        return try await loginPage(
            transaction, client: client, user: user,
            problem: opened.fields.values("problem").first == Self.methodRefused
                ? .methodRefused : federationProblem(opened.fields), request,
            organisation: organisation(opened.fields))
    }

    /// `POST /login`: checks the password, or begins another method.
    @Sendable func login(_ posted: TransactionForm, _ request: Request, _ context: WebContext) async throws -> Response
    {
        let transaction = posted.transaction
        let action = try posted.form.one("action")
        switch action {
        case "deny":
            let session = try await checks.person(request)?.session
            return authorize.respond(
                try await services.authorization.deny(transaction, session: session), request, context)
        case "give-up":
            let session = try await checks.person(request)?.session
            return authorize.respond(
                try await services.authorization.giveUp(transaction, session: session), request, context)
        case "other":
            return .seeOther(
                authorize.location(Routes.login, of: services.authorization.choosingAnother(transaction)))
        case "continue":
            return .seeOther(authorize.location(Routes.login, of: transaction))
        default:
            let entry = entry(transaction)
            if action == Self.identifyAction, case .identify = entry.way { return try await identify(posted) }
            if let response = try await departure(action, posted) { return response }
            guard let button = SignInButton.pressed(action, at: self, in: entry) else {
                return .seeOther(authorize.location(Routes.login, of: transaction))
            }
            return try await button.submit(self, posted)
        }
    }

    /// Sends a code or links to the named address, whether an account exists or not.
    func begin(_ posted: TransactionForm, asLink: Bool) async throws -> Response {
        let name = try posted.form.one("username") ?? ""
        guard let identifier = Identifier(loginID: name) else {
            return try await loginAgain(posted, .nameMissing, .unprocessableContent)
        }
        if let kind = reach.kind, reach.channel(to: identifier) == nil {
            return try await loginAgain(posted, .unreachable(kind), .unprocessableContent)
        }
        do {
            return try await sent(
                beginning(
                    posted.opened, in: posted.browser, .signIn, name, passkeys: support(posted.form.fields)),
                asLink: asLink)
        } catch let problem as MethodProblem {
            let refusal = Refusal(problem)
            let shown: LoginPage.Problem =
                refusal.retryAfterSeconds.map { .tooManyAttempts(retryAfterSeconds: $0) } ?? .nameMissing
            var response = try await loginAgain(posted, shown, refusal.status)
            response.headers[.retryAfter] = refusal.retryAfterSeconds.map(String.init)
            return response
        }
    }

    /// The session is recent enough, and lacks only a second factor.
    private func stepUp(_ opened: OpenedTransaction, _ person: SignedInPerson, in browser: String) async throws
        -> Response
    {
        let account = try await services.stores.users.account(person.user.id)
        let name = account?.identifiers.keys.map(\.value).min() ?? ""
        var signIn = beginning(opened, in: browser, .signIn, name)
        signIn.transaction.resumed = checks.sessionMark(opened.request)
        return try await proved(signIn, person.user, person.session.authentication.inMethods)
    }

    /// Another user signed in than the app asks for: nothing but a new sign-in, or giving up, leads on from here.
    private func otherAccount(
        _ transaction: AuthorizationTransaction, _ client: Client, _ person: SignedInPerson, _ request: Request
    ) async throws -> Response {
        let browser = checks.browser(request)
        let sealed = checks.sealed(transaction)
        let page = OtherAccountPage(
            form: PageForm(
                action: Routes.login, transaction: sealed,
                csrf: guardian.token(browser: browser, session: nil, transaction: sealed),
                redirectOrigins: [transaction.redirectURI]),
            appName: client.name, userName: person.user.displayName ?? person.user.id.rawValue,
            account: try await services.authorization.requiredAccount(transaction))
        return presenter.response(
            page, look: authorize.look(transaction, request), cookies: [cookies.setBrowser(browser)])
    }

    private func loginPage(
        _ transaction: AuthorizationTransaction, client: Client, user: User?, problem: LoginPage.Problem?,
        _ request: Request,
        status: HTTPResponse.Status = .ok, typed: String? = nil, signals: [PasskeySignal] = [],
        organisation: Connection? = nil
    ) async throws -> Response {
        let browser = checks.browser(request)
        let sealed = checks.sealed(transaction)
        let entry = entry(transaction)
        if case .refused = entry.way { return refusedEntry(transaction, client, entry.step, request) }
        var ways = LoginPage.Ways()
        if case .identify = entry.way { ways.asksOnlyName = true }
        ways.hasPassword = entry.allows(PasswordMethods.proves)
        if entry.allows(UserPasskeys.proves) {
            ways.passkey = try await passkeyButton(for: user, in: browser, isAgain: problem?.isAboutPasskey == true)
        }
        if let kind = reach.kind {
            if entry.allows(OneTimeCodes.proves) { ways.sendsTo = kind }
            if ways.hasPassword { ways.resetURI = "\(Self.resetPath)?transaction=\(sealed)" }
            if user == nil, entry.allowsSignUp { ways.signUpURI = "\(Routes.signUp)?transaction=\(sealed)" }
        }
        ways.asksOtherDevice = services.methods.offers(Approvals.self) && entry.allows(Approvals.proves)
        ways.providers = providers(request, for: user, of: organisation).filtered(entry, gate)
        ways.pending = transaction.pendingIdentity == nil ? nil : providerName(transaction.pendingConnection)
        if user == nil, transaction.requiredSubject != nil {
            ways.wanted = LoginPage.Wanted(account: try await services.authorization.requiredAccount(transaction))
        }
        let page = LoginPage(
            transaction: sealed, csrf: guardian.token(browser: browser, session: nil, transaction: sealed),
            clientName: client.name, loginHint: typed ?? transaction.typedLoginID ?? transaction.loginHint,
            problem: problem,
            reauthenticating: user.map { $0.displayName ?? $0.id.rawValue }, redirectOrigins: [transaction.redirectURI],
            ways: ways, step: entry.step, signals: signals)
        return presenter.response(
            page, look: authorize.look(transaction, request), status: status,
            cookies: [cookies.setBrowser(browser)])
    }

    /// The page again, with the problem and the typed name.
    ///
    /// - Parameter user: the only user who may sign in; `nil`: any.
    func loginAgain(
        _ posted: TransactionForm, _ problem: LoginPage.Problem, _ status: HTTPResponse.Status, user: User? = nil,
        signals: [PasskeySignal] = []
    ) async throws -> Response {
        guard let client = services.authorization.client(of: posted.transaction) else { throw PageProblem.expired }
        return try await loginPage(
            posted.transaction, client: client, user: user, problem: problem, posted.request, status: status,
            typed: posted.form.values("username").first.map { String($0.prefix(Identifier.bytesMax)) },
            signals: signals)
    }
}
