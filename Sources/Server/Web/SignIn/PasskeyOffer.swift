internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

/// `/login/passkey`: a passkey for whoever has signed in without one. It stands in nobody's way: only a browser whose
/// script said that it knows passkeys comes here, and every way out leads where the journey leads.
extension SignInRoutes {
    /// Where somebody who has just signed in is offered a passkey; `nil`: there is nothing to offer.
    func offer(_ visit: Visit, _ journey: AuthorizationJourney, _ session: BrowserSession) async throws -> Response? {
        guard let support = visit.progress.passkeys, !authorize.cookies.wantsNoPasskey(visit.request),
            let account = try await services.stores.users.account(session.userID),
            try await mayBeOffered(AccountOwner(account: account, session: session, address: nil), journey)
        else { return nil }
        let words = [support.isQuiet ? "conditional" : nil, support.isPlatform ? "platform" : nil].compactMap(\.self)
        return .seeOther(
            authorize.location(Self.offerPath, of: journey) + "&passkeys=" + words.joined(separator: "+"))
    }

    /// `GET /login/passkey`.
    @Sendable func showOffer(_ request: Request, _ context: WebContext) async throws -> Response {
        let query = try request.queryParameters()
        guard let journey = authorize.journey(query) else { return authorize.expired(request, context) }
        guard let support = support(query), let browser = authorize.cookies.browser(request),
            let owner = try await owner(request, context), try await mayBeOffered(owner, journey),
            let options = try await services.methods.passkeys.beginAdding(to: owner)
        else { return try await goOn(journey, request, context) }
        let quiet = support.isQuiet ? try await services.methods.passkeys.beginAdding(to: owner, isUpgrade: true) : nil
        let sealed = services.journeys.close(journey, kind: AuthorizeRoutes.seal)
        let form = PageForm(
            action: Self.offerPath, journey: sealed,
            csrf: authorize.guardian.token(browser: browser, session: owner.session.id, journey: sealed),
            redirectOrigins: [journey.redirectURI])
        return authorize.presenter.response(
            PasskeyOfferPage(
                form: form, button: PasskeyButton(kind: .create, options: options.publicKey), quiet: quiet?.publicKey,
                asks: support.isPlatform), look: authorize.look(journey, request))
    }

    /// `POST /login/passkey`: adds what came, and goes on whatever came of it.
    @Sendable func takeOffer(_ request: Request, _ context: WebContext) async throws -> Response {
        let form = try await request.formParameters()
        guard let journey = authorize.journey(form) else { return authorize.expired(request, context) }
        guard let owner = try await owner(request, context) else { return try await goOn(journey, request, context) }
        guard authorize.admits(form, request, session: owner.session) else {
            return authorize.crossSite(request, context)
        }
        let action = try form.one("action")
        if action == "add", try await mayBeOffered(owner, journey) {
            // What went wrong is in the audit log; the person came to sign in, and has.
            do {
                _ = try await services.methods.passkeys.finishAdding(try Self.answer(form), to: owner)
            } catch is PasskeyProblem {}
        }
        var response = try await goOn(journey, request, context)
        if action == "later" {
            response.headers.append(HTTPField(name: .setCookie, value: authorize.cookies.setNoPasskey()))
        }
        return response
    }

    /// Only right after the sign-in of this journey, by whatever proves the account, and to nobody who has one.
    private func mayBeOffered(_ owner: AccountOwner, _ journey: AuthorizationJourney) async throws(StoreError) -> Bool {
        guard services.methods.passkeys.parties.own != nil, journey.authenticatedSession == owner.session.id.rawValue,
            owner.isRecent(at: services.ambient.now()), owner.mayChangeFactors
        else { return false }
        return try await !services.methods.passkeys.hasAny(owner.userID)
    }

    private func owner(_ request: Request, _ context: WebContext) async throws -> AccountOwner? {
        guard let (session, user) = try await authorize.session(request),
            let account = try await services.stores.users.account(user.id)
        else { return nil }
        return AccountOwner(
            account: account, session: session, address: authorize.addresses.address(of: request, context))
    }

    private func goOn(_ journey: AuthorizationJourney, _ request: Request, _ context: WebContext) async throws
        -> Response
    {
        try await authorize.proceed(journey, session: try await authorize.session(request), request, context)
    }
}
