internal import Foundation
internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth

/// What a demonstration server shows.
public struct Demonstration: Sendable {
    public let username: String
    public let password: String
    /// A public client whose redirect address is ``callbackPath`` of this server.
    public let clientID: String
    /// Commands worth trying, ready to paste.
    public let commands: [String]

    public init(username: String, password: String, clientID: String, commands: [String]) {
        self.username = username
        self.password = password
        self.clientID = clientID
        self.commands = commands
    }

    /// The redirect address of the demonstration's own sign-in.
    public static let callbackPath = "/dev/callback"
}

/// The page at `/`, and a sample sign-in: this server is its own relying party.
struct HomeRoutes: Sendable {
    let services: IdentityServices
    let checks: Checks
    let presenter: Presenter
    let demonstration: Demonstration?
    var outboxURI: String?
    /// Moves the server's clock; `nil`: it cannot be moved.
    var travel: TimeTravel?

    private static let tryPath = "/dev/try"
    private static let verifierCookie = "keyturn-try"
    private static let timePath = TimeRoutes.path + "/form"

    var routes: [Route] {
        let home = Route(.get, "/", open: "the start page", isPage: true, handler: home)
        guard demonstration != nil else { return [home] }
        let time = travel.map { travel in
            Route(.post, Self.timePath, checks.thisMachineForm(Self.timePath), isPage: true) { form, request, _ in
                try await move(travel, form, request)
            }
        }
        return [
            home, Route(.get, Self.tryPath, checks.developerOnPage, isPage: true, handler: begin),
            Route(.get, Demonstration.callbackPath, checks.developerOnPage, isPage: true, handler: finish),
        ] + [time].compactMap(\.self)
    }

    @Sendable private func home(_ request: Request, _ context: WebContext) async throws -> Response {
        homePage(request)
    }

    private func homePage(_ request: Request, problem: HomePage.TimeForm.Problem? = nil) -> Response {
        let demo = demonstration.map {
            HomePage.Demo(username: $0.username, password: $0.password, tryURI: Self.tryPath, commands: $0.commands)
        }
        var page = HomePage(issuer: services.project.issuer, demo: demo, outboxURI: outboxURI)
        guard demo != nil, let travel else { return presenter.response(page, look: presenter.look(request)) }
        let browser = checks.browser(request)
        let (now, ahead) = (travel.clock.now, travel.clock.aheadSeconds)
        page.time = HomePage.TimeForm(
            form: PageForm(
                action: Self.timePath, transaction: nil,
                csrf: checks.guardian.token(browser: browser, session: nil, transaction: Self.timePath)),
            now: TimeTravel.text(now), machine: ahead == 0 ? nil : TimeTravel.text(now - ahead), problem: problem)
        return presenter.response(
            page, look: presenter.look(request), status: problem == nil ? .ok : .unprocessableContent,
            cookies: [checks.cookies.setBrowser(browser)])
    }

    /// Moves the clock, as the form on the page asks.
    private func move(_ travel: TimeTravel, _ form: SameSiteForm, _ request: Request) async throws -> Response {
        guard let change = try? TimeChange(advance: try form.one("advance") ?? "") else {
            return homePage(request, problem: .unreadable)
        }
        do {
            try await travel.move(change)
        } catch {
            return homePage(request, problem: .tooFar)
        }
        return .seeOther("/")
    }

    /// Starts a sign-in as any client would: PKCE, state, redirect to the authorization endpoint.
    @Sendable private func begin(
        _ developer: Operator, _ request: Request, _ context: WebContext
    ) async throws -> Response {
        guard let demonstration else { throw Unreadable(status: .notFound, detail: "there is nothing at this address") }
        let key = PKCE(ambient: services.ambient)
        var authorization = AuthorizationRequest(clientID: demonstration.clientID)
        authorization.redirectURI = services.project.issuer + Demonstration.callbackPath
        authorization.responseType = "code"
        authorization.scope = "openid profile email"
        authorization.state = services.ambient.randomToken(byteCount: 16)
        authorization.codeChallenge = key.codeChallenge
        authorization.codeChallengeMethod = PKCE.method
        authorization.prompt = Prompt.login.rawValue
        let cookie =
            "\(Self.verifierCookie)=\(key.codeVerifier.exposed()); Path=/dev; HttpOnly; SameSite=Lax; Max-Age=600"
        return .seeOther("\(Routes.authorize)?\(authorization.parameters.encoded)", cookies: [cookie])
    }

    /// Redeems the code and shows the result.
    @Sendable private func finish(
        _ developer: Operator, _ request: Request, _ context: WebContext
    ) async throws -> Response {
        let parameters = try request.queryParameters()
        guard let demonstration, let client = services.clients.client(demonstration.clientID),
            let answer = try AuthorizationResponse(parameters), case .code(let code) = answer.outcome
        else {
            return .seeOther("/")
        }
        var form = TokenRequest.authorizationCode(
            code: Secret(code), redirectURI: services.project.issuer + Demonstration.callbackPath,
            codeVerifier: checks.cookies.value(Self.verifierCookie, request).map(Secret.init)
        ).parameters
        form.append("client_id", client.id)
        let tokens = try await services.tokens.answer(form, client: client)
        let page = try await claimsPage(tokens)
        return presenter.response(page, look: presenter.look(request))
    }

    private func claimsPage(_ tokens: TokenResponse) async throws -> ClaimsPage {
        let live = try await services.inspector.personal(Secret(tokens.accessToken))
        var userInfo: JSONValue?
        if let (token, live) = live, let client = services.clients.client(token.clientID) {
            userInfo = .object(
                try await ClaimRelease(stores: services.stores).userInfo(live, to: client, by: token))
        }
        let facts = live?.1.grant.authentication
        return ClaimsPage(
            signedInAt: facts.map { Self.text($0.time) } ?? "", methods: facts?.methods.joined(separator: ", ") ?? "",
            expiresAt: live.map { Self.text($0.0.expiresAt) } ?? "", idToken: tokens.idToken.map(Self.claims) ?? [],
            accessToken: Self.claims(tokens.accessToken),
            userInfo: Self.rows(userInfo), rawIDToken: tokens.idToken, rawAccessToken: tokens.accessToken,
            signOutURI: "/logout")
    }

    private static func text(_ time: UnixTime) -> String {
        Date(timeIntervalSince1970: TimeInterval(time.rawValue)).formatted(.iso8601)
    }

    /// The claims of a token that this server has just issued.
    private static func claims(_ token: String) -> [(name: String, value: String)] {
        let parts = token.split(separator: ".")
        guard parts.count == 3, let bytes = Base64URL.decode(parts[1]) else { return [] }
        return rows(try? JSONValue(parsing: bytes))
    }

    private static func rows(_ value: JSONValue?) -> [(name: String, value: String)] {
        (value?.objectValue ?? [:]).sorted { $0.key < $1.key }.map { name, value in
            (name: name, value: value.stringValue ?? String(decoding: value.serialized, as: UTF8.self))
        }
    }
}
