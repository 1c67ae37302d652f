internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

/// An app opens pages of the settings in its own session: an authorization request whose `login_hint` has an app session
/// token (Authgear's wire).
struct AppSessionOpening: Sendable {
    /// The response type of a request that only opens a page.
    private static let pageType = "none"

    let token: Secret
    private let parameters: FormParameters

    /// `nil`: the request has no such hint.
    init?(_ parameters: FormParameters) {
        guard let hint = parameters.values("login_hint").first.flatMap(AuthgearNames.parameters(ofLoginHint:)),
            hint.values("type").first == AuthgearNames.appSessionToken
        else { return nil }
        token = Secret(hint.values(AuthgearNames.appSessionToken).first ?? "")
        self.parameters = parameters
    }

    var clientID: String? { parameters.values("client_id").first }

    /// What the request wants.
    enum Target: Hashable {
        /// A page of the settings: its path and query.
        case page(String)
        /// A page that is none of the settings of this server.
        case foreignPage
        /// An answer to the client.
        case answer
    }

    /// - Parameter base: the address of this server.
    func target(below base: String) -> Target {
        guard parameters.values("response_type").first == Self.pageType else { return .answer }
        guard let uri = parameters.values("redirect_uri").first, uri.hasPrefix(base + "/") else {
            return .foreignPage
        }
        let parts = uri.dropFirst(base.count).split(separator: "?", maxSplits: 1).map(String.init)
        let path = Self.ownPaths[parts[0]] ?? parts[0]
        guard Routes.isOfSettings(path),
            path.utf8.allSatisfy({ (97...122).contains($0) || $0 == 45 || $0 == 47 })
        else { return .foreignPage }
        let query = parts.count > 1 ? (try? FormParameters(parsing: parts[1])) ?? FormParameters() : FormParameters()
        let wishes = query.keeping(["ui_locales", "x_color_scheme"])
        return .page(wishes.isEmpty ? path : "\(path)?\(wishes.encoded)")
    }

    /// Authgear's addresses of pages that have other ones here.
    private static let ownPaths = ["/settings/identities": Routes.settingsIdentifiers]

    /// The request without the hint. `prompt=none` means here that the app's session tells who the user is: where a
    /// change needs a recent sign-in, the pages ask for it.
    var withoutHint: FormParameters {
        var result = FormParameters()
        for parameter in parameters.all where !["login_hint", "prompt"].contains(parameter.name) {
            result.append(parameter.name, parameter.value)
        }
        return result
    }
}

extension AuthorizeRoutes {
    /// Opens a page of the settings, or begins a settings action, in the session of the app that sent the browser here.
    /// With a token that does not count, this browser's own session is used, if there is one.
    ///
    /// A browser in which another user is signed in is left as it is: the link may be an attacker's, who wants that user
    /// to take the attacker's account for their own.
    func open(
        _ opening: AppSessionOpening, _ request: Request, _ context: WebContext, _ endpoint: AuthorizationEndpoint
    ) async throws -> Response {
        let target = opening.target(below: checks.services.project.base)
        guard target != .foreignPage else {
            return presenter.error(
                .redirectMismatch, "redirect_uri is no page of the settings of this server.", status: .badRequest,
                request,
                context)
        }
        var opened: (SignedInPerson, cookie: String)?
        if let client = opening.clientID.flatMap(checks.services.clients.client) {
            opened = try await checks.openAppSession(opening.token, from: client, request, context)
        }
        if let opened, let person = try await checks.person(request), person.user.id != opened.0.user.id {
            _ = try await checks.services.stores.sessions.end(
                opened.0.session.id, of: opened.0.user.id, at: checks.services.ambient.now())
            return presenter.error(
                .otherAccount, "The app's session and this browser's are of different users.", status: .conflict,
                request,
                context)
        }
        var response: Response
        if case .page(let page) = target {
            response = .seeOther(page)
        } else {
            let asked = opened.map { endpoint.inAppSession(of: $0.0.user.id) } ?? endpoint
            response = try await begin(opening.withoutHint, opened?.0, request, context, asked)
        }
        if let cookie = opened?.cookie { response.headers.append(HTTPField(name: .setCookie, value: cookie)) }
        return response
    }
}
