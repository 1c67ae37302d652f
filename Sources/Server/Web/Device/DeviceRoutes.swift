internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth

/// `/oauth2/device_authorization`, and the pages on which a person lets a device in (RFC 8628).
///
/// A code that was typed, or came with a link, is never enough: it leads to a page that says what would happen, and only
/// that page's form decides. What it is about travels sealed, and is good in the browser that typed the code alone.
struct DeviceRoutes: Sendable {
    let authorize: AuthorizeRoutes

    private var services: IdentityServices { authorize.services }
    static let page = "/device"
    private static let confirmPage = "/device/confirm"
    private static let donePage = "/device/done"
    private static let seal = "device"

    var routes: [Route] {
        [
            Route(
                method: .post, path: Routes.deviceAuthorization, checks: [.client], sharing: .clients, handler: start),
            Route(method: .get, path: Self.page, isPage: true, handler: showEntry),
            Route(method: .post, path: Self.page, checks: [.sameSite], isPage: true, handler: enter),
            Route(
                method: .get, path: Self.confirmPage, checks: [.journey, .signedIn], isPage: true,
                handler: showQuestion),
            Route(
                method: .post, path: Self.confirmPage, checks: [.journey, .signedIn, .sameSite], isPage: true,
                handler: decide),
            Route(method: .get, path: Self.donePage, isPage: true, handler: showOutcome),
        ]
    }

    /// A code that somebody typed and that belongs to a device, on its way to a decision.
    private struct Visit: Codable {
        /// The digest of the device code.
        let device: [UInt8]
        /// As it is shown.
        let userCode: String
        /// Of the browser that it was typed in.
        let browser: String
    }

    /// `POST /oauth2/device_authorization` (RFC 8628 §3.1).
    @Sendable func start(_ request: Request, _ context: WebContext) async throws -> Response {
        let form = try await request.formParameters()
        let client = try await services.clientAuthenticator.authenticate(
            PresentedClient(authorization: request.headers[.authorization], form: form))
        let proof = try services.proofs.proof(
            request.proofPresentation(services.project, Routes.deviceAuthorization))
        let start = try await services.devices.start(
            form, client: client, page: services.project.base + Self.page, proof: proof,
            from: authorize.addresses.address(of: request, context))
        switch start {
        case .started(let answer):
            var headers: HTTPFields = [:]
            if let proof, services.proofs.wantsNonce(proof) { headers[.dpopNonce] = services.proofs.nonce() }
            return .json(answer.json, headers: headers)
        case .tooMany(let seconds):
            var response = Response.problem(
                OAuthProblem(.temporarilyUnavailable, "too many devices have asked from this network: try again later"))
            response.status = .tooManyRequests
            response.headers[.retryAfter] = String(seconds)
            return response
        }
    }

    /// `GET /device`: the field for a code. One that comes with the address is filled in, and no more.
    @Sendable func showEntry(_ request: Request, _ context: WebContext) async throws -> Response {
        let typed = try request.queryParameters().values("user_code").first.flatMap(UserCode.init(typed:))
        return entry(typed?.text, nil, request)
    }

    /// `POST /device`: a code.
    @Sendable func enter(_ request: Request, _ context: WebContext) async throws -> Response {
        let form = try await request.formParameters()
        guard
            authorize.guardian.admits(
                form.values("csrf").first, request, browser: authorize.cookies.browser(request), session: nil,
                journey: Self.page),
            let browser = authorize.cookies.browser(request)
        else { return authorize.crossSite(request, context) }
        let typed = try form.one("user_code") ?? ""
        guard let code = UserCode(typed: typed) else { return entry(typed, .malformed, request) }
        let session = try await authorize.session(request)
        let found = try await services.devices.find(
            code, by: session?.1.id, from: authorize.addresses.address(of: request, context))
        switch found {
        case .device(let device):
            return .seeOther(
                location(
                    Visit(device: device.id.bytes, userCode: code.text, browser: SignInRoutes.mark(browser))))
        case .unknown: return entry(typed, .unknown, request)
        case .expired: return entry(typed, .expired, request)
        case .tooMany(let seconds): return entry(typed, .tooMany(retryAfterSeconds: Int(seconds)), request)
        case .strangersAreTooMany: return signIn(to: "\(Self.page)?user_code=\(code.text)")
        }
    }

    /// `GET /device/confirm`: what the device is and would get.
    @Sendable func showQuestion(_ request: Request, _ context: WebContext) async throws -> Response {
        guard let sealed = try request.queryParameters().values("request").first,
            let visit = visit(sealed, request), let browser = authorize.cookies.browser(request),
            let (device, client) = try await services.devices.device(SecretDigest(storedBytes: visit.device))
        else { return .seeOther(Self.page) }
        if let outcome = outcome(device) { return done(outcome) }
        guard let (session, user) = try await authorize.session(request),
            !services.devices.needsSignIn(device, session)
        else { return signIn(to: location(visit), needsSeveralFactors: device.needsSeveralFactors) }
        let here = authorize.addresses.address(of: request, context)
        let page = DeviceQuestionPage(
            form: PageForm(
                action: Self.confirmPage, journey: sealed,
                csrf: authorize.guardian.token(browser: browser, session: session.id, journey: sealed)),
            clientName: client.name, userName: user.displayName ?? user.id.rawValue, userCode: visit.userCode,
            scopes: device.scope.names, isUnverified: client.isUnverified,
            secondsAgo: Int(max(0, services.ambient.now().seconds(since: device.createdAt))),
            origin: device.network == nil ? .unknown : device.network == here?.network ? .here : .elsewhere,
            policyURI: client.metadata.policyURI, tosURI: client.metadata.tosURI)
        return authorize.presenter.response(page, look: authorize.presenter.look(request))
    }

    /// `POST /device/confirm`: what the person decided.
    @Sendable func decide(_ request: Request, _ context: WebContext) async throws -> Response {
        let form = try await request.formParameters()
        guard let sealed = form.values("journey").first, let visit = visit(sealed, request),
            let (device, client) = try await services.devices.device(SecretDigest(storedBytes: visit.device))
        else { return .seeOther(Self.page) }
        guard let (session, _) = try await authorize.session(request) else {
            return signIn(to: location(visit), needsSeveralFactors: device.needsSeveralFactors)
        }
        guard authorize.admits(form, request, session: session) else { return authorize.crossSite(request, context) }
        let address = authorize.addresses.address(of: request, context)
        switch try form.one("action") {
        case "other":
            return signIn(
                to: location(visit), needsSeveralFactors: device.needsSeveralFactors, choosesAccount: true)
        case "allow":
            guard !services.devices.needsSignIn(device, session) else {
                return signIn(to: location(visit), needsSeveralFactors: device.needsSeveralFactors)
            }
            let decision = try await services.devices.allow(device, client: client, session: session, from: address)
            guard decision != .signedOut else { return signIn(to: location(visit)) }
            return done(decision == .made ? .allowed : decision == .expired ? .expired : .tooLate)
        default:
            // Whatever is not a yes is a no.
            let decision = try await services.devices.deny(device, session: session, from: address)
            return done(decision == .made ? .denied : decision == .expired ? .expired : .tooLate)
        }
    }

    /// `GET /device/done`: how it ended. Says nothing that is about anybody, so that anybody may look at it.
    @Sendable func showOutcome(_ request: Request, _ context: WebContext) async throws -> Response {
        let word = try request.queryParameters().values("outcome").first ?? ""
        guard let outcome = DeviceDonePage.Outcome(rawValue: word) else { return .seeOther(Self.page) }
        return authorize.presenter.response(
            DeviceDonePage(outcome: outcome), look: authorize.presenter.look(request))
    }

    private func entry(_ typed: String?, _ problem: DeviceEntryPage.Problem?, _ request: Request) -> Response {
        let browser = authorize.cookies.browser(request) ?? services.ambient.randomToken(byteCount: 16)
        let page = DeviceEntryPage(
            form: PageForm(
                action: Self.page, journey: nil,
                csrf: authorize.guardian.token(browser: browser, session: nil, journey: Self.page)),
            typed: typed, problem: problem)
        var response = authorize.presenter.response(
            page, look: authorize.presenter.look(request), status: problem?.status ?? .ok,
            cookies: [authorize.cookies.setBrowser(browser)])
        if case .tooMany(let seconds) = problem { response.headers[.retryAfter] = String(seconds) }
        return response
    }

    /// What was sealed for this very browser.
    private func visit(_ sealed: String, _ request: Request) -> Visit? {
        guard let browser = authorize.cookies.browser(request),
            let visit = services.journeys.open(sealed, as: Visit.self, kind: Self.seal),
            visit.browser == SignInRoutes.mark(browser)
        else { return nil }
        return visit
    }

    private func location(_ visit: Visit) -> String {
        "\(Self.confirmPage)?request=\(services.journeys.close(visit, kind: Self.seal))"
    }

    /// Why there is nothing to decide; `nil`: there is.
    private func outcome(_ device: DeviceAuthorization) -> DeviceDonePage.Outcome? {
        guard device.decision == .pending else { return .tooLate }
        return services.ambient.now() < device.expiresAt ? nil : .expired
    }

    private func done(_ outcome: DeviceDonePage.Outcome) -> Response {
        .seeOther("\(Self.donePage)?outcome=\(outcome.rawValue)")
    }

    /// Through the sign-in pages and back.
    private func signIn(to path: String, needsSeveralFactors: Bool = false, choosesAccount: Bool = false) -> Response {
        let journey = services.authorization.journey(
            to: path, needsSeveralFactors: needsSeveralFactors, choosesAccount: choosesAccount)
        return .seeOther("/login?journey=\(services.journeys.close(journey, kind: AuthorizeRoutes.seal))")
    }
}

extension DeviceAuthorizationResponse {
    fileprivate var json: [UInt8] {
        JSONWriter.object { json in
            json.member("device_code", deviceCode)
            json.member("user_code", userCode)
            json.member("verification_uri", verificationURI)
            json.member("verification_uri_complete", verificationURIComplete)
            json.member("expires_in", expiresInSeconds)
            json.member("interval", intervalSeconds)
        }
    }
}
