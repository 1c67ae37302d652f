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
    func offer(_ visit: SignInVisit, _ journey: AuthorizationTransaction, _ session: BrowserSession) async throws
        -> Response?
    {
        guard let support = visit.progress.passkeys, !cookies.wantsNoPasskey(visit.request),
            let account = try await services.stores.users.account(session.userID),
            try await mayBeOffered(AccountOwner(account: account, session: session, address: nil), journey)
        else { return nil }
        let words = [support.isQuiet ? "conditional" : nil, support.isPlatform ? "platform" : nil].compactMap(\.self)
        return .seeOther(
            authorize.location(Self.offerPath, of: journey) + "&passkeys=" + words.joined(separator: "+"))
    }

    /// `GET /login/passkey`.
    @Sendable func showOffer(
        _ opened: OpenedTransaction, _ request: Request, _ context: WebContext
    ) async throws -> Response {
        let journey = opened.journey
        guard let support = support(opened.fields), let browser = cookies.browser(request),
            let owner = try await checks.owner(request, context)?.owner, try await mayBeOffered(owner, journey),
            let options = try await services.methods.passkeys.beginAdding(to: owner)
        else { return try await goOn(journey, request, context) }
        let quiet = support.isQuiet ? try await services.methods.passkeys.beginAdding(to: owner, isUpgrade: true) : nil
        let sealed = checks.sealed(journey)
        let form = PageForm(
            action: Self.offerPath, journey: sealed,
            csrf: guardian.token(browser: browser, session: owner.session.id, journey: sealed),
            redirectOrigins: [journey.redirectURI])
        return presenter.response(
            PasskeyOfferPage(
                form: form, button: PasskeyButton(kind: .create, options: options.publicKey), quiet: quiet?.publicKey,
                asks: support.isPlatform), look: authorize.look(journey, request))
    }

    /// The form of the offer, from the session that it was made to.
    struct OfferForm: Sendable {
        let journey: AuthorizationTransaction
        let person: SignedInOwner
        let form: SameSiteForm
    }

    /// Without a session the sign-in goes on, which asks for one.
    var offerForm: Check<OfferForm> {
        let onwards = Demand(.session, .redirect("\(Routes.login)?journey="))
        return checks.journeyInForm().then(onwards) { opened, request, context in
            guard let person = try await checks.owner(request, context) else {
                throw Refused(try await goOn(opened.journey, request, context))
            }
            return (opened, person)
        }.then(.sameSite) { both, request, _ in
            let (opened, person) = both
            let form = try checks.sameSite(opened.fields, request, session: person.owner.session.id)
            return OfferForm(journey: opened.journey, person: person, form: form)
        }
    }

    /// `POST /login/passkey`: adds what came, and goes on whatever came of it.
    @Sendable func takeOffer(_ posted: OfferForm, _ request: Request, _ context: WebContext) async throws -> Response {
        let (journey, owner, form) = (posted.journey, posted.person.owner, posted.form)
        let action = try form.one("action")
        if action == "add", try await mayBeOffered(owner, journey) {
            // What went wrong is in the audit log; the person came to sign in, and has.
            do {
                _ = try await services.methods.passkeys.finishAdding(try form.passkeyAnswer, to: owner)
            } catch is PasskeyProblem {}
        }
        var response = try await goOn(journey, request, context)
        if action == "later" {
            response.headers.append(HTTPField(name: .setCookie, value: cookies.setNoPasskey()))
        }
        return response
    }

    /// Only right after the sign-in of this journey, by whatever proves the account, and to nobody who has one.
    private func mayBeOffered(_ owner: AccountOwner, _ journey: AuthorizationTransaction) async throws(StoreError)
        -> Bool
    {
        guard services.methods.passkeys.parties.own != nil, journey.authenticatedSession == owner.session.id.rawValue,
            owner.isRecent(at: services.ambient.now()), owner.mayChangeFactors
        else { return false }
        return try await !services.methods.passkeys.hasAny(owner.userID)
    }

    private func goOn(_ journey: AuthorizationTransaction, _ request: Request, _ context: WebContext) async throws
        -> Response
    {
        try await authorize.proceed(journey, session: try await checks.person(request)?.asPair, request, context)
    }
}
