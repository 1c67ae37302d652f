internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

/// `/link`: the page that a message's link opens, in any browser.
extension SignInRoutes {
    /// `GET /link`: says what the link is for. Does not use it up, however often mail scanners open it.
    @Sendable func showLanding(_ request: Request, _ context: WebContext) async throws -> Response {
        let query = try request.queryParameters()
        return try await landing(try query.one("t") ?? "", number: try query.one("n"), request, context)
    }

    /// `POST /link`: uses the link up.
    @Sendable func landed(
        _ posted: LinkTokenForm, _ request: Request, _ context: WebContext
    ) async throws -> Response {
        let (token, form) = (posted.token, posted.form)
        let link = try await services.methods.magicLinks.describe(token)
        if try form.one("action") == "deny" {
            try await services.methods.refuse(token)
            return done(link?.facts.purpose == .update ? .cancelled : .linkRefused, request)
        }
        guard let link else {
            return try await landing(token.exposed(), number: nil, request, context, .unprocessableContent)
        }
        do {
            return link.facts.purpose == .update
                ? try await takeAddress(link, token, request, context)
                : try await follow(link, token, form.browser, request, context)
        } catch is MethodProblem {
            return try await landing(
                token.exposed(), number: nil, request, context, .unprocessableContent,
                state: link.facts.purpose == .update ? .failed : nil)
        }
    }

    /// One more factor is verified: on to the next step, or to the window that waits.
    private func follow(
        _ link: LinkDescription, _ token: Secret, _ browser: String, _ request: Request, _ context: WebContext
    ) async throws -> Response {
        let waiting = waiting(request, context, for: link)
        let address = addresses.address(of: request, context)
        guard link.isEnchanted else {
            let proof = try await services.methods.magicLinks.verify(token, from: address)
            let signIn = waiting ?? stray(link, browser, request, context)
            return try await proved(
                signIn, proof.identity.account.user, by: proof.identity.method,
                proving: proof.identity.provedAddress, isFirst: proof.identity.isFirst)
        }
        let reference = try await services.methods.enchantedLinks.verify(token, from: address)
        guard let waiting else { return done(.linkConfirmed, request) }
        var transaction = waiting.transaction
        transaction.progress.noteOpenedHere(reference)
        return .seeOther(location(transaction))
    }

    /// Adds an address to an account. It signs no user in: the reader of the message may not be the user who asked.
    private func takeAddress(
        _ link: LinkDescription, _ token: Secret, _ request: Request, _ context: WebContext
    ) async throws -> Response {
        let address = addresses.address(of: request, context)
        guard link.isEnchanted else {
            _ = try await services.methods.magicLinks.verify(token, from: address)
            return done(.addressVerified, request)
        }
        try await services.methods.enchantedLinks.verify(token, from: address)
        return done(.linkConfirmed, request)
    }

    private func done(_ kind: DonePage.Kind, _ request: Request) -> Response {
        let uri =
            switch kind {
            case .linkRefused: Routes.settingsPassword
            case .addressVerified: Routes.settingsIdentifiers
            default: Routes.settings
            }
        return presenter.response(
            DonePage(kind: kind, way: DonePage.Way(uri: uri, appName: nil)),
            look: presenter.look(request))
    }

    /// - Parameter state: the link's state, if it is known already.
    private func landing(
        _ token: String, number: String?, _ request: Request, _ context: WebContext,
        _ status: HTTPResponse.Status = .ok, state known: LinkPage.State? = nil
    ) async throws -> Response {
        let browser = checks.browser(request)
        let link = known == nil ? try await services.methods.magicLinks.describe(Secret(token)) : nil
        let signIn = link.flatMap { waiting(request, context, for: $0) }
        let state: LinkPage.State
        if let known {
            state = known
        } else if let link {
            state = .ready(token: token, try await attempt(link, number, signIn, request))
        } else {
            switch try await services.methods.magicLinks.end(of: Secret(token)) {
            case .expired: state = .expired
            case .spent: state = .used
            case nil: state = .unknown
            }
        }
        let form = PageForm(
            action: Self.linkPath, transaction: nil,
            csrf: guardian.token(browser: browser, session: nil, transaction: token),
            redirectOrigins: signIn?.transaction.authorization.map { [$0.redirectURI] } ?? [])
        return presenter.response(
            LinkPage(form: form, state: state, way: way(from: state, signIn, request, context)),
            look: signIn.map(look) ?? presenter.look(request), status: status,
            cookies: [cookies.setBrowser(browser)])
    }

    private func attempt(
        _ link: LinkDescription, _ number: String?, _ signIn: OpenedSignIn?, _ request: Request
    ) async throws -> LinkPage.Attempt {
        let begunAt = link.expiresAt - Limits.proofSeconds
        let isNumber = number.map { $0.utf8.count == 2 && $0.allSatisfy(\.isNumber) } ?? false
        var attempt = LinkPage.Attempt(
            appName: appName(signIn?.transaction), device: link.facts.device,
            secondsAgo: Int(max(0, services.ambient.now().seconds(since: begunAt))), isHere: signIn != nil,
            number: link.isEnchanted && isNumber ? number : nil)
        switch link.facts.purpose {
        case .signIn, .embedded: attempt.hasCode = link.facts.messageID != nil && !link.isEnchanted
        case .recovery: break
        case .signUp: attempt.purpose = .signUp
        case .passwordReset: attempt.purpose = .passwordReset
        case .update:
            attempt.purpose = .newAddress
            attempt.account = link.maskedLoginID
            attempt.newAddress = link.facts.address?.value
            let user = try await checks.person(request)?.user
            attempt.isHere = user?.id == link.facts.userID
        }
        return attempt
    }

    /// What the user can do here instead.
    private func way(
        from state: LinkPage.State, _ signIn: OpenedSignIn?, _ request: Request, _ context: WebContext
    ) -> LinkPage.Way? {
        let waiting = signIn ?? waitingSignIn(request, context)
        switch state {
        case .ready: return signIn.flatMap(codeURI).map { .code($0) }
        case .unknown:
            return waiting.flatMap(codeURI).map { .code($0) } ?? .signIn(Routes.settings)
        case .expired:
            return waiting?.transaction.authorization.map { .again(authorize.location(Routes.login, of: $0)) }
                ?? .signIn(Routes.settings)
        case .used, .failed: return .settings(Routes.settingsSessions)
        }
    }

    /// The transaction that waits in this browser for this link: for the same user and purpose. Otherwise another
    /// person's link would sign in a user to a transaction that was begun here. It waits for a first factor: a browser
    /// may name any of its transactions, such as one whose page asks for a passkey.
    private func waiting(_ request: Request, _ context: WebContext, for link: LinkDescription) -> OpenedSignIn? {
        guard let signIn = waitingSignIn(request, context), signIn.progress.awaitsMessage,
            Identifier(loginID: signIn.progress.loginID) == link.facts.loginID,
            (signIn.progress.goal == .passwordReset) == (link.facts.purpose == .passwordReset),
            link.isEnchanted == (signIn.progress.step == .link)
        else { return nil }
        return signIn
    }

    /// The page for the code of the same message, only in the browser where its sign-in began.
    private func codeURI(_ signIn: OpenedSignIn) -> String? {
        var transaction = signIn.transaction
        guard let sent = transaction.progress.sent else { return nil }
        if transaction.progress.step == .link {
            guard
                (try? transaction.progress.apply(
                    .codeSent(SignInProgress.Sent(at: sent.at, destination: sent.destination)))) != nil
            else { return nil }
        }
        return location(transaction)
    }

    /// A link that was opened where no transaction waits for it: it signs in to this server alone.
    private func stray(_ link: LinkDescription, _ browser: String, _ request: Request, _ context: WebContext)
        -> OpenedSignIn
    {
        let progress = SignInProgress(
            link.facts.purpose == .passwordReset ? .passwordReset : .signIn, loginID: link.facts.loginID.value,
            channel: DeliveryMethod.email.rawValue, browser: Cookies.digest(of: browser))
        return OpenedSignIn(
            transaction: SignInTransaction(authorization: nil, progress: progress, startedAt: services.ambient.now()),
            sealed: "",
            request: request, context: context, browser: browser)
    }
}
