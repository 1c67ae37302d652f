internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

/// What stands around every page of the settings: who is there, how recently they signed in, and whether the form is one
/// of ours.
struct SettingsFrame: Sendable {
    let services: IdentityServices
    let cookies: Cookies
    let guardian: CrossSiteGuard
    let presenter: Presenter
    let addresses: ClientAddress

    /// Somebody looks at a page, or sends its form.
    struct Visit: Sendable {
        let owner: AccountOwner
        /// What was sent: the query, or the form.
        let form: FormParameters
        let look: PageLook
        /// The address of the page, to which its forms belong.
        let path: String
        /// What there is to be set here.
        let sections: [SettingsSection]
        /// What an app asked for, on this page or one before.
        let wish: SettingsWish
        fileprivate let browser: String

        var account: Account { owner.account }
        var strings: Strings { look.language.strings }
        var action: String? { form.values("action").first }
        /// What was done before the page was shown, as ``SettingsFrame/done(_:at:)`` says it.
        var done: String? { form.values("done").first }

        /// Who looks, for the frame of the page.
        var visitor: SettingsVisitor {
            SettingsVisitor(
                name: account.user.displayName ?? account.user.id.rawValue, sections: sections,
                returning: nil)
        }
    }

    /// Shows a page to whoever is signed in; others sign in and come back.
    ///
    /// - Parameter section: where somebody who has to sign in comes back to.
    func show(
        _ path: String, of section: SettingsSection, isSensitive: Bool = false, _ request: Request,
        _ answer: (Visit) async throws -> Response
    ) async throws -> Response {
        let form = try request.queryParameters()
        let wish = SettingsWish(form, earlier: cookies.settingsWish(request))
        guard let owner = try await owner(request, nil) else { return signIn(section, wish) }
        guard !isSensitive || owner.isRecent(at: services.ambient.now()) else {
            return signIn(section, wish, again: owner)
        }
        return try await answer(visit(path, owner, form, wish, request))
    }

    /// Takes a form from a page of ours.
    ///
    /// - Parameter isSensitive: whether this form wants a recent sign-in.
    func take(
        _ path: String, of section: SettingsSection, isSensitive: (Visit) -> Bool, _ request: Request,
        _ context: WebContext, _ answer: (Visit) async throws -> Response
    ) async throws -> Response {
        let form = try await request.formParameters()
        let wish = SettingsWish(form, earlier: cookies.settingsWish(request))
        guard let owner = try await owner(request, context) else { return signIn(section, wish) }
        let visit = visit(path, owner, form, wish, request)
        guard
            guardian.admits(
                form.values("csrf").first, request, browser: cookies.browser(request), session: owner.session.id,
                journey: path)
        else {
            return presenter.error(
                .cookiesBlocked, "The form did not come from a page that this server showed in this browser.",
                status: .forbidden, request, context, look: visit.look)
        }
        guard !isSensitive(visit) || owner.isRecent(at: services.ambient.now()) else {
            return signIn(section, wish, again: owner)
        }
        return try await answer(visit)
    }

    /// Takes a form from a page of ours.
    func take(
        _ path: String, of section: SettingsSection, isSensitive: Bool = false, _ request: Request,
        _ context: WebContext, _ answer: (Visit) async throws -> Response
    ) async throws -> Response {
        try await take(path, of: section, isSensitive: { _ in isSensitive }, request, context, answer)
    }

    /// A page of the settings, as an answer.
    func page(_ page: some Page, _ visit: Visit, status: HTTPResponse.Status = .ok, cookies others: [String] = [])
        -> Response
    {
        let kept = visit.wish.isEmpty ? [] : [cookies.setSettingsWish(visit.wish)]
        return presenter.response(
            page, look: visit.look, status: status, cookies: [cookies.setBrowser(visit.browser)] + kept + others)
    }

    /// The form of a page, for this browser and session and no other page.
    func form(_ visit: Visit, journey: String? = nil) -> PageForm {
        PageForm(
            action: visit.path, journey: journey,
            csrf: guardian.token(browser: visit.browser, session: visit.owner.session.id, journey: visit.path))
    }

    /// What an app sent the visitor here for; `nil`: nobody did, or it took too long.
    func errand(_ visit: Visit, _ action: SettingsAction) -> Errand? {
        guard let sealed = visit.form.values("journey").first,
            let journey = services.journeys.open(
                sealed, as: AuthorizationJourney.self, kind: AuthorizeRoutes.seal),
            services.authorization.permits(action, journey, visit.owner.session)
        else { return nil }
        return Errand(journey: journey, sealed: sealed)
    }

    /// An app waits for word that something was done.
    struct Errand: Sendable {
        let journey: AuthorizationJourney
        /// As forms carry it along.
        let sealed: String
    }

    /// Back to the app: it was done.
    func done(_ errand: Errand, cookies: [String] = []) async throws -> Response {
        .seeOther(
            try await services.authorization.done(errand.journey, services.journeys).location, cookies: cookies)
    }

    /// Back to the app: nothing was done.
    func gaveUp(_ errand: Errand) async throws -> Response {
        .seeOther(try await services.authorization.gaveUp(errand.journey).location)
    }

    /// The form of a page on which an errand may be done.
    func form(_ visit: Visit, _ errand: Errand?) -> PageForm {
        var form = form(visit, journey: errand?.sealed)
        form.redirectOrigins = errand.map { [$0.journey.redirectURI] } ?? []
        return form
    }

    /// Back to a page, which says what was done.
    func done(_ word: String?, at path: String, cookies: [String] = []) -> Response {
        .seeOther(path + (word.map { "?done=\($0)" } ?? ""), cookies: cookies)
    }

    /// How long ago it was, in seconds.
    func age(_ time: UnixTime) -> Int {
        Int(max(0, services.ambient.now().seconds(since: time)))
    }

    private func owner(_ request: Request, _ context: WebContext?) async throws -> AccountOwner? {
        guard let (session, user) = try await services.signIn.session(of: cookies.session(request)),
            let account = try await services.stores.users.account(user.id)
        else { return nil }
        return AccountOwner(
            account: account, session: session, address: context.flatMap { addresses.address(of: request, $0) })
    }

    private func visit(
        _ path: String, _ owner: AccountOwner, _ form: FormParameters, _ wish: SettingsWish, _ request: Request
    ) -> Visit {
        let journey = form.values("journey").first.flatMap {
            services.journeys.open($0, as: AuthorizationJourney.self, kind: AuthorizeRoutes.seal)
        }
        let locale = owner.account.user.claims["locale"]?.stringValue
        // What the app asked for goes before what its user once chose.
        let locales = [journey?.uiLocales, wish.language, locale].compactMap(\.self).joined(separator: " ")
        return Visit(
            owner: owner, form: form,
            look: presenter.look(
                request, uiLocales: locales, colorScheme: journey?.colorScheme ?? wish.colorScheme?.rawValue),
            path: path,
            sections: SettingsSection.allCases.filter {
                $0 != .passkeys || services.methods.passkeys.parties.own != nil
            }, wish: wish,
            browser: cookies.browser(request) ?? services.ambient.randomToken(byteCount: 16))
    }

    /// Through the sign-in pages and back. Only pages are come back to, never forms.
    ///
    /// - Parameters:
    ///   - wish: how those pages look, and the one that is come back to.
    ///   - withFactor: they come back to change their factors, and show the one that they have.
    func signIn(
        _ section: SettingsSection, _ wish: SettingsWish, again owner: AccountOwner? = nil, withFactor: Bool = false
    ) -> Response {
        var age = owner.map { _ in Limits.sensitiveSeconds - 1 }
        var needsSeveral = false
        if let owner {
            let lacksFactor = withFactor && !owner.mayChangeFactors
            needsSeveral = lacksFactor || !owner.holdsEveryFactor
            // Two factors, and not the one that counts: a session like that is not gone on from.
            let methods = owner.session.authentication.methods
            if lacksFactor, methods.contains(AuthenticationMethod.severalFactors) { age = -1 }
        }
        let journey = services.authorization.journey(
            to: section.path, as: owner?.userID, maxAgeSeconds: age, needsSeveralFactors: needsSeveral,
            uiLocales: wish.language, colorScheme: wish.colorScheme?.rawValue)
        return .seeOther(
            "/login?journey=\(services.journeys.close(journey, kind: AuthorizeRoutes.seal))",
            cookies: wish.isEmpty ? [] : [cookies.setSettingsWish(wish)])
    }
}
