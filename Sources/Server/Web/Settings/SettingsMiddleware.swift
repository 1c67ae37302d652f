internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

/// What every page of the settings has in common: how it is answered, and where it leads.
struct SettingsMiddleware: Sendable {
    let checks: Checks
    let presenter: Presenter

    var services: IdentityServices { checks.services }
    var cookies: Cookies { checks.cookies }

    /// A page of the settings, as an answer.
    func page(
        _ page: some Page, _ visit: SettingsVisit, status: HTTPResponse.Status = .ok, cookies others: [String] = []
    )
        -> Response
    {
        let kept = visit.wish.isEmpty ? [] : [cookies.setSettingsWish(visit.wish)]
        return presenter.response(
            page, look: visit.look, status: status, cookies: [cookies.setBrowser(visit.browser)] + kept + others)
    }

    /// The form of a page, for this browser and session and no other page.
    func form(_ visit: SettingsVisit, journey: String? = nil) -> PageForm {
        PageForm(
            action: visit.path, journey: journey,
            csrf: checks.guardian.token(browser: visit.browser, session: visit.owner.session.id, journey: visit.path))
    }

    /// What an app sent the visitor here for; `nil`: nobody did, or it took too long.
    func errand(_ visit: SettingsVisit, _ action: SettingsAction) -> Errand? {
        guard let sealed = visit.form.values("journey").first, let journey = checks.journey(in: visit.form),
            services.authorization.permits(action, journey, visit.owner.session)
        else { return nil }
        return Errand(journey: journey, sealed: sealed)
    }

    /// An app waits for word that something was done.
    struct Errand: Sendable {
        let journey: AuthorizationTransaction
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
    func form(_ visit: SettingsVisit, _ errand: Errand?) -> PageForm {
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
            "\(Routes.login)?journey=\(checks.sealed(journey))",
            cookies: wish.isEmpty ? [] : [cookies.setSettingsWish(wish)])
    }
}
