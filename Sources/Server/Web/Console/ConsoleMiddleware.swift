internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

/// What all pages of the console share: their answers and their redirects.
struct ConsoleMiddleware: Sendable {
    let checks: Checks
    let presenter: Presenter

    var services: IdentityServices { checks.services }

    /// The answer with a page of the console.
    func page(_ page: some ConsolePage, _ opened: ConsoleRequest, status: HTTPResponse.Status = .ok) -> Response {
        presenter.response(
            page, look: opened.look, status: status, cookies: [checks.cookies.setBrowser(opened.browser)])
    }

    /// The operator, for the layout of a page.
    func visitor(_ opened: ConsoleRequest) -> ConsoleVisitor {
        let user = opened.owner.account.user
        return ConsoleVisitor(name: user.displayName ?? user.id.rawValue, role: opened.role)
    }

    /// The form of a page, valid for this browser, session and address.
    ///
    /// - Parameter path: where the form goes; by default the page's own address.
    func form(_ opened: ConsoleRequest, to path: String? = nil) -> PageForm {
        let path = path ?? opened.path
        return PageForm(
            action: path, transaction: nil,
            csrf: checks.guardian.token(
                browser: opened.browser, session: opened.owner.session.id, transaction: path))
    }

    /// Back to a page, which shows what was done.
    func done(_ word: String?, at path: String, _ query: KeyValuePairs<String, String> = [:]) -> Response {
        var fields = FormParameters()
        for (name, value) in query { fields.append(name, value) }
        fields.append("done", word)
        return .seeOther(fields.isEmpty ? path : "\(path)?\(fields.encoded)")
    }

    /// An address with a query.
    static func address(_ path: String, _ query: KeyValuePairs<String, String?>) -> String {
        var fields = FormParameters()
        for (name, value) in query { fields.append(name, value) }
        return fields.isEmpty ? path : "\(path)?\(fields.encoded)"
    }

    /// What is recorded meanwhile gets the operator's network address.
    func noting<Value: Sendable>(
        _ opened: ConsoleRequest, _ work: @Sendable () async throws -> Value
    ) async throws -> Value {
        try await AuditOrigin.$address.withValue(opened.owner.address?.text) { try await work() }
    }

    /// The look of the console, which speaks fewer languages than the other pages.
    func look(_ request: Request, locale: String?) -> PageLook {
        var look = presenter.look(request, uiLocales: locale)
        if !look.language.speaksConsole { look.language = presenter.languages.all[0] }
        return look
    }

    /// The seconds since `time`.
    func age(_ time: UnixTime) -> Int { Int(max(0, services.ambient.now().seconds(since: time))) }

    /// Longest query that a sign-in on the way keeps, in bytes.
    private static let queryBytesMax = 256

    /// Where an operator returns to after a sign-in: the page that was asked for, or the section of a form.
    func returnPath(_ request: Request, _ section: ConsoleSection) -> String {
        guard request.method == .get || request.method == .head else { return section.path }
        guard let query = request.target.query, query.utf8.count <= Self.queryBytesMax else {
            return request.target.path
        }
        return "\(request.target.path)?\(query)"
    }

    /// Through the sign-in pages, and back to a page, never to a form.
    ///
    /// - Parameters:
    ///   - owner: The operator, who needs a second factor or a passkey; `nil`: the user is not known yet.
    ///   - maxAgeSeconds: the largest age of the sign-in.
    func signIn(to path: String, again owner: AccountOwner? = nil, maxAgeSeconds: Int64? = nil) -> Response {
        let facts = owner?.session.authentication
        // A session of several factors that does not suffice is of the wrong kind or too old: it is done anew.
        let age = facts?.isOfApproval == true ? -1 : maxAgeSeconds
        let transaction = services.authorization.transaction(
            to: path, as: owner?.userID, maxAgeSeconds: age, needsSeveralFactors: owner != nil)
        return .seeOther("\(Routes.login)?transaction=\(checks.sealed(transaction))")
    }
}
