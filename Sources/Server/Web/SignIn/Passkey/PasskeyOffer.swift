internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

/// `/login/passkey`: offers a passkey to a user who signed in without one. It blocks no sign-in: only browsers whose
/// script reported passkey support come here, and every choice continues the authorization.
extension SignInRoutes {
    /// The redirect to the offer after a sign-in; `nil`: there is nothing to offer.
    ///
    /// - Parameter cookie: of the session that was just opened.
    func offer(_ signIn: OpenedSignIn, _ transaction: AuthorizationTransaction, cookie: Secret) async throws
        -> Response?
    {
        guard let support = signIn.progress.passkeys, !cookies.wantsNoPasskey(signIn.request),
            let owner = try await services.signIn.owner(of: cookie), try await mayBeOffered(owner, transaction)
        else { return nil }
        let words = [support.isQuiet ? "conditional" : nil, support.isPlatform ? "platform" : nil].compactMap(\.self)
        return .seeOther(
            authorize.location(Self.offerPath, of: transaction) + "&passkeys=" + words.joined(separator: "+"))
    }

    /// `GET /login/passkey`.
    @Sendable func showOffer(
        _ opened: OpenedTransaction, _ request: Request, _ context: WebContext
    ) async throws -> Response {
        let transaction = opened.transaction
        guard let support = support(opened.fields), let browser = cookies.browser(request),
            let owner = try await checks.owner(request, context)?.owner, try await mayBeOffered(owner, transaction),
            let options = try await services.methods.passkeys.beginAdding(to: owner)
        else { return try await goOn(transaction, request, context) }
        let quiet = support.isQuiet ? try await services.methods.passkeys.beginAdding(to: owner, isUpgrade: true) : nil
        let sealed = checks.sealed(transaction)
        let form = PageForm(
            action: Self.offerPath, transaction: sealed,
            csrf: guardian.token(browser: browser, session: owner.session.id, transaction: sealed),
            redirectOrigins: [transaction.redirectURI])
        return presenter.response(
            PasskeyOfferPage(
                form: form, button: PasskeyButton(kind: .create, options: options.publicKey), quiet: quiet?.publicKey,
                asks: support.isPlatform), look: authorize.look(transaction, request))
    }

    /// The form of the offer, sent by the session that got the offer.
    struct OfferForm: Sendable {
        let transaction: AuthorizationTransaction
        let person: SignedInOwner
        let form: SameSiteForm
    }

    /// Without a session the user goes on to the sign-in.
    var offerForm: Check<OfferForm> {
        let onwards = Demand(.session, .redirect("\(Routes.login)?transaction="))
        return checks.transactionInForm().then(onwards) { opened, request, context in
            guard let person = try await checks.owner(request, context) else {
                throw Refused(try await goOn(opened.transaction, request, context))
            }
            return (opened, person)
        }.then(.sameSite) { both, request, _ in
            let (opened, person) = both
            let form = try checks.sameSite(opened.fields, request, session: person.owner.session.id)
            return OfferForm(transaction: opened.transaction, person: person, form: form)
        }
    }

    /// `POST /login/passkey`: adds the passkey, and continues whether that worked or not.
    @Sendable func takeOffer(_ posted: OfferForm, _ request: Request, _ context: WebContext) async throws -> Response {
        let (transaction, owner, form) = (posted.transaction, posted.person.owner, posted.form)
        let action = try form.one("action")
        if action == "add", try await mayBeOffered(owner, transaction) {
            // The audit log has the failure; the user wanted to sign in, and has.
            do {
                _ = try await services.methods.passkeys.finishAdding(try form.passkeyAnswer, to: owner)
            } catch is PasskeyProblem {}
        }
        var response = try await goOn(transaction, request, context)
        if action == "later" {
            response.headers.append(HTTPField(name: .setCookie, value: cookies.setNoPasskey()))
        }
        return response
    }

    /// Only right after this transaction's sign-in, if it may change factors, and to users without a passkey.
    private func mayBeOffered(_ owner: AccountOwner, _ transaction: AuthorizationTransaction) async throws(StoreError)
        -> Bool
    {
        guard services.methods.passkeys.parties.own != nil,
            transaction.authenticatedSession == owner.session.id.rawValue,
            owner.isRecent(at: services.ambient.now()), owner.mayChangeFactors
        else { return false }
        return try await !services.methods.passkeys.hasAny(owner.userID)
    }

    private func goOn(_ transaction: AuthorizationTransaction, _ request: Request, _ context: WebContext) async throws
        -> Response
    {
        try await authorize.proceed(transaction, session: try await checks.person(request)?.asPair, request, context)
    }
}
