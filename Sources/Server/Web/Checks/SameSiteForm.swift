internal import HTTPTypes
internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// A form from a page of this server, shown in this browser, for this session and this transaction.
struct SameSiteForm: Sendable {
    let fields: FormParameters
    /// The mark of the browser.
    let browser: String

    fileprivate init(_ fields: FormParameters, _ browser: String) {
        self.fields = fields
        self.browser = browser
    }

    /// The single field of that name.
    func one(_ name: String) throws(FormProblem) -> String? { try fields.one(name) }
    /// Every field of that name.
    func values(_ name: String) -> [String] { fields.values(name) }

    /// The words of the single field of that name, which spaces separate.
    func words(_ name: String) throws(FormProblem) -> Set<String> {
        Set((try one(name) ?? "").split(separator: " ").map(String.init))
    }

    /// The credential that the page's script put in.
    var passkeyAnswer: JSONValue {
        get throws(FormProblem) {
            let text = try one("passkey") ?? ""
            return (try? JSONValue(parsing: Array(text.utf8))) ?? .null
        }
    }
}

/// The form of a page about a link, which carries the token of the link.
struct LinkTokenForm: Sendable {
    let token: Secret
    let form: SameSiteForm

    fileprivate init(_ token: Secret, _ form: SameSiteForm) {
        self.token = token
        self.form = form
    }
}

extension Demand {
    static let sameSite = Demand(.sameSite, PageProblem.crossSite.refusal)
}

extension Checks {
    /// A form, not checked yet.
    var anyForm: Check<FormParameters> { Check { request, _ in try await request.formParameters() } }

    /// - Parameters:
    ///   - token: proves that the form comes from this server; by default the first `csrf` of the fields.
    ///   - transaction: the subject of the page; by default the first `transaction` of the fields.
    ///   - session: the browser's; `nil`: the form belongs to no session.
    func sameSite(
        _ fields: FormParameters, _ request: Request, token: String? = nil, transaction: String? = nil,
        session: SessionID? = nil
    ) throws(PageProblem) -> SameSiteForm {
        let isOurs = guardian.admits(
            token ?? fields.values("csrf").first, request, browser: cookies.browser(request), session: session,
            transaction: transaction ?? fields.values("transaction").first ?? "")
        guard isOurs, let browser = cookies.browser(request) else { throw .crossSite }
        return SameSiteForm(fields, browser)
    }

    /// Like `sameSite`, or a form that the browser itself says is of this origin: another tab that opened at the same
    /// moment may have replaced the browser's mark, and the user should not have to type the password twice.
    func sameSiteOrOrigin(_ fields: FormParameters, _ request: Request) throws(PageProblem) -> SameSiteForm {
        guard request.headers[.secFetchSite] == "same-origin", let browser = cookies.browser(request) else {
            return try sameSite(fields, request)
        }
        return SameSiteForm(fields, browser)
    }

    /// A form that carries the link's token `t`, and was made for this token.
    var linkTokenForm: Check<LinkTokenForm> {
        anyForm.then(.sameSite) { fields, request, _ in
            let token = Secret(try fields.one("t") ?? "")
            guard cookies.browser(request) != nil else { throw PageProblem.crossSite }
            let form = try sameSite(
                fields, request, token: try fields.one("csrf") ?? "", transaction: token.exposed())
            return LinkTokenForm(token, form)
        }
    }
}
