internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

/// What all pages of the settings share: their answers and their redirects.
struct SettingsMiddleware: Sendable {
    let checks: Checks
    let presenter: Presenter
    let offers: SettingsActionOffers

    var services: IdentityServices { checks.services }
    var cookies: Cookies { checks.cookies }

    /// The answer with a page of the settings.
    func page(
        _ page: some Page, _ opened: OpenedSettings, status: HTTPResponse.Status = .ok, cookies others: [String] = []
    )
        -> Response
    {
        let kept = opened.wish.isEmpty ? [] : [cookies.setSettingsWish(opened.wish)]
        return presenter.response(
            page, look: opened.look, status: status, cookies: [cookies.setBrowser(opened.browser)] + kept + others)
    }

    /// The form of a page, valid for this browser, session and page.
    func form(_ opened: OpenedSettings, transaction: String? = nil) -> PageForm {
        PageForm(
            action: opened.path, transaction: transaction,
            csrf: checks.guardian.token(
                browser: opened.browser, session: opened.owner.session.id, transaction: opened.path))
    }

    /// The action for which an app sent the user here; `nil`: no app did, or it took too long.
    func requested(_ opened: OpenedSettings, _ action: SettingsAction) -> RequestedAction? {
        requested(opened.form.values("transaction").first, opened, action)
    }

    /// The same, for one of several actions.
    ///
    /// - Parameter sealed: The sealed transaction; `nil`: no app sent the user here.
    func requested(_ sealed: String?, _ opened: OpenedSettings, in actions: [SettingsAction]) -> RequestedAction? {
        actions.lazy.compactMap { requested(sealed, opened, $0) }.first
    }

    /// The same, of a page that keeps the transaction elsewhere.
    ///
    /// - Parameter sealed: The sealed transaction; `nil`: no app sent the user here.
    func requested(_ sealed: String?, _ opened: OpenedSettings, _ action: SettingsAction) -> RequestedAction? {
        guard let sealed, let transaction = checks.transaction(in: FormParameters(["transaction": sealed])),
            services.authorization.permits(action, transaction, opened.owner.session)
        else { return nil }
        return RequestedAction(transaction: transaction, sealed: sealed)
    }

    /// An app waits until an action is done.
    struct RequestedAction: Sendable {
        let transaction: AuthorizationTransaction
        /// The sealed transaction that forms carry.
        let sealed: String
    }

    /// Back to the app: the action is done.
    func done(_ requested: RequestedAction, cookies: [String] = []) async throws -> Response {
        .seeOther(
            try await services.authorization.done(requested.transaction, services.transactions).location,
            cookies: cookies)
    }

    /// The app's request in a page's address, which a sign-in on the way must not lose; `nil`: there is none.
    func awaited(_ opened: OpenedSettings) -> String? {
        guard let sealed = opened.form.values("transaction").first,
            checks.transaction(in: FormParameters(["transaction": sealed]))?.settingsAction != nil
        else { return nil }
        return sealed
    }

    /// Back to the app if it asks for what the operator does not offer; `nil`: it does not.
    func unsupported(_ opened: OpenedSettings) async throws -> Response? {
        guard let transaction = checks.transaction(in: opened.form), let action = transaction.settingsAction,
            services.authorization.permits(action, transaction, opened.owner.session),
            !offers.offers(action, transaction)
        else { return nil }
        return .seeOther(try await services.authorization.isNotOffered(transaction).location)
    }

    /// Back to the app: the user did not do it.
    func gaveUp(_ requested: RequestedAction) async throws -> Response {
        .seeOther(try await services.authorization.gaveUp(requested.transaction).location)
    }

    /// The form of a page, for an app's action if there is one.
    func form(_ opened: OpenedSettings, _ requested: RequestedAction?) -> PageForm {
        var form = form(opened, transaction: requested?.sealed)
        form.redirectOrigins = requested.map { [$0.transaction.redirectURI] } ?? []
        return form
    }

    /// Back to a page, which shows what was done.
    func done(_ word: String?, at path: String, cookies: [String] = []) -> Response {
        .seeOther(path + (word.map { "?done=\($0)" } ?? ""), cookies: cookies)
    }

    /// The seconds since `time`.
    func age(_ time: UnixTime) -> Int {
        Int(max(0, services.ambient.now().seconds(since: time)))
    }

    /// Through the sign-in pages, and back to a page, never to a form.
    ///
    /// - Parameters:
    ///   - wish: the look of those pages and of the page after them.
    ///   - withFactor: the user wants to change factors, and must use an existing one.
    ///   - awaited: the sealed request of the app that waits for an action of that page; `nil`: no app does.
    func signIn(
        _ section: SettingsSection, _ wish: SettingsWish, again owner: AccountOwner? = nil, withFactor: Bool = false,
        awaited: String? = nil
    ) -> Response {
        var age = owner.map { _ in Limits.sensitiveSeconds - 1 }
        var needsSeveral = false
        if let owner {
            let lacksFactor = withFactor && !owner.mayChangeFactors
            needsSeveral = lacksFactor || !owner.holdsEveryFactor
            // The session has two factors, but not the required one: the user must sign in anew.
            let methods = owner.session.authentication.methods
            if lacksFactor, methods.contains(AuthenticationMethod.severalFactors) { age = -1 }
            if owner.session.authentication.isOfApproval { age = -1 }
        }
        let transaction = services.authorization.transaction(
            to: section.path + (awaited.map { "?transaction=\($0)" } ?? ""), as: owner?.userID,
            maxAgeSeconds: age, needsSeveralFactors: needsSeveral,
            uiLocales: wish.language, colorScheme: wish.colorScheme?.rawValue)
        return .seeOther(
            "\(Routes.login)?transaction=\(checks.sealed(transaction))",
            cookies: wish.isEmpty ? [] : [cookies.setSettingsWish(wish)])
    }
}
