internal import HTTPTypes
internal import Hummingbird
internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// A form that a page of this server posted, shown in this browser, for this session and this journey.
struct SameSiteForm: Sendable {
    let fields: FormParameters
    /// The mark of the browser.
    let browser: String

    fileprivate init(_ fields: FormParameters, _ browser: String) {
        self.fields = fields
        self.browser = browser
    }

    /// The one field of that name.
    func one(_ name: String) throws(FormProblem) -> String? { try fields.one(name) }
    /// Every field of that name.
    func values(_ name: String) -> [String] { fields.values(name) }

    /// The credential that the script of a page put in.
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
    /// A form, not judged yet.
    var anyForm: Check<FormParameters> { Check { request, _ in try await request.formParameters() } }

    /// - Parameters:
    ///   - token: by which the form shows where it comes from; the first `csrf` of the fields.
    ///   - journey: what the page was about; the first `journey` of the fields.
    ///   - session: of the browser; `nil`: the form belongs to none.
    func sameSite(
        _ fields: FormParameters, _ request: Request, token: String? = nil, journey: String? = nil,
        session: SessionID? = nil
    ) throws(PageProblem) -> SameSiteForm {
        let isOurs = guardian.admits(
            token ?? fields.values("csrf").first, request, browser: cookies.browser(request), session: session,
            journey: journey ?? fields.values("journey").first ?? "")
        guard isOurs, let browser = cookies.browser(request) else { throw .crossSite }
        return SameSiteForm(fields, browser)
    }

    /// The same, or one of which the browser itself says that it is of this origin: another tab that opened at the same
    /// moment may have replaced the mark of this form. No user types a password twice for that.
    func sameSiteOrOrigin(_ fields: FormParameters, _ request: Request) throws(PageProblem) -> SameSiteForm {
        guard request.headers[.secFetchSite] == "same-origin", let browser = cookies.browser(request) else {
            return try sameSite(fields, request)
        }
        return SameSiteForm(fields, browser)
    }

    /// A form that carries the token `t` of a link, and belongs to it.
    var linkTokenForm: Check<LinkTokenForm> {
        anyForm.then(.sameSite) { fields, request, _ in
            let token = Secret(try fields.one("t") ?? "")
            guard cookies.browser(request) != nil else { throw PageProblem.crossSite }
            let form = try sameSite(
                fields, request, token: try fields.one("csrf") ?? "", journey: token.exposed())
            return LinkTokenForm(token, form)
        }
    }
}
