internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

/// `/signup`: a new account, made only when its address is verified. With a password, or by a code or a link alone.
extension SignInRoutes {
    /// `GET /signup`.
    @Sendable func showSignUp(_ opened: OpenedTransaction) async throws -> Response {
        let transaction = opened.transaction
        // Without messages no address can be verified, so there are no new accounts; users with one sign in.
        let entry = entry(transaction)
        if entry.isSignUpClosed { return closedPage(opened, entry) }
        guard let kind = reach.kind, entry.allowsSignUp else {
            return .seeOther(signInURI(transaction))
        }
        let hint = transaction.loginHint.flatMap { address($0) == nil ? nil : $0 } ?? ""
        return signUpPage(kind, opened, SignUpPage.Typed(identifier: hint))
    }

    /// `POST /signup`: sends a code or a link. If the account exists, only its owner learns that, from the message.
    @Sendable func signUp(_ posted: TransactionForm) async throws -> Response {
        let (opened, form) = (posted.opened, posted.form)
        let entry = entry(posted.transaction)
        guard let kind = reach.kind, entry.allowsSignUp || entry.isSignUpClosed else { throw PageProblem.expired }
        let action = try form.one("action")
        if action == "deny" {
            guard entry.allowsSignIn else {
                return authorize.respond(
                    try await services.authorization.deny(posted.transaction, session: nil), posted.request,
                    posted.context)
            }
            return .seeOther(signInURI(posted.transaction))
        }
        if entry.isSignUpClosed { return closedPage(opened, entry, status: .forbidden) }
        let field = try form.one("identifier") ?? form.one("email") ?? form.one("phone") ?? ""
        let typed = SignUpPage.Typed(
            name: String((try form.one("name") ?? "").prefix(Limits.nameBytesMax)),
            identifier: String(field.prefix(Identifier.bytesMax)))
        guard let identifier = address(typed.identifier) else {
            return signUpPage(kind, opened, typed, .identifierInvalid(kind), Refusal())
        }
        // By the address alone, so that the answer does not tell whether there is an account.
        guard try await services.methods.mayOpenAccount(proving: identifier) else {
            return signUpPage(kind, opened, typed, .addressNotAdmitted, Refusal())
        }
        do {
            var chosenHash: String?
            if action != "code", action != "link", entry.allows(PasswordMethods.proves) {
                let password = Secret(try form.one("password") ?? "")
                let refusals = try await refusals(of: password, for: [identifier])
                guard refusals.isEmpty else {
                    return signUpPage(kind, opened, typed, nil, Refusal(), refusals)
                }
                // Hashed before the account is looked up, so that the time does not tell whether it exists.
                guard let hash = try? await services.passwords.hash(password) else {
                    throw MethodProblem.rateLimited(retryAfterSeconds: 2)
                }
                chosenHash = hash
            }
            let name = typed.name.filter { !$0.isNewline }
            return try await sent(
                beginning(
                    opened, in: posted.browser, .signUp, typed.identifier, chosenHash: chosenHash,
                    displayName: name.isEmpty ? nil : name, passkeys: support(form.fields)), asLink: action == "link")
        } catch let problem as MethodProblem {
            let refusal = Refusal(problem)
            return signUpPage(
                kind, opened, typed,
                refusal.retryAfterSeconds == nil ? .identifierInvalid(kind) : .tooManyAttempts, refusal)
        }
    }

    private func closedPage(
        _ opened: OpenedTransaction, _ entry: JourneyEntry, status: HTTPResponse.Status = .ok
    ) -> Response {
        let (form, cookie) = plainForm(Routes.signUp, opened)
        let client = services.clients.client(opened.transaction.clientID)
        return presenter.response(
            SignUpClosedPage(
                form: form, appName: client?.name ?? services.project.name,
                signInURI: entry.allowsSignIn ? signInURI(opened.transaction) : nil),
            look: authorize.look(opened.transaction, opened.request), status: status, cookies: [cookie])
    }

    /// Of the page for users who have an account.
    private func signInURI(_ transaction: AuthorizationTransaction) -> String {
        authorize.location(Routes.login, of: transaction) + "&\(Self.pageField)=\(Self.signInPage)"
    }

    /// The typed address, if messages can be sent to it.
    private func address(_ text: String) -> Identifier? {
        guard let identifier = Identifier(loginID: text), reach.channel(to: identifier) != nil else { return nil }
        switch identifier.kind {
        case .email: return identifier.value.first == "@" || identifier.value.last == "@" ? nil : identifier
        case .phone: return identifier
        case .username: return nil
        }
    }

    private func signUpPage(
        _ kind: DeliveryReach.Kind, _ opened: OpenedTransaction, _ typed: SignUpPage.Typed,
        _ problem: SignUpPage.Problem? = nil, _ refusal: Refusal? = nil, _ refusals: [PasswordRefusal] = []
    ) -> Response {
        let transaction = opened.transaction
        let (form, cookie) = plainForm(Routes.signUp, opened)
        let client = services.clients.client(transaction.clientID)
        let entry = entry(transaction)
        var response = presenter.response(
            SignUpPage(
                form: form, appName: client?.name ?? services.project.name, step: entry.step, identifier: kind,
                typed: typed,
                password: entry.allows(PasswordMethods.proves)
                    ? NewPasswordField(rules: rules, refusals: refusals) : nil,
                termsURI: client?.metadata.tosURI, policyURI: client?.metadata.policyURI, problem: problem,
                signInURI: entry.allowsSignIn ? signInURI(transaction) : nil,
                usesPasskeys: services.methods.offers(UserPasskeys.self)),
            look: authorize.look(transaction, opened.request),
            status: refusal?.status ?? .ok, cookies: [cookie])
        response.headers[.retryAfter] = refusal?.retryAfterSeconds.map(String.init)
        return response
    }
}
