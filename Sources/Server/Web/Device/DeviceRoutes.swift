internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth

/// `/oauth2/device_authorization`, and the pages on which a user lets a device in (RFC 8628).
///
/// A code alone, typed or from a link, lets no device in: it leads to a page that says what would happen, and only that
/// page's form decides. The request travels sealed, and is valid only in the browser in which the code was typed.
struct DeviceRoutes: Sendable {
    let checks: Checks
    let presenter: Presenter

    private var services: IdentityServices { checks.services }
    private static let confirmPage = "/device/confirm"
    private static let donePage = "/device/done"
    private static let seal = "device"

    var routes: [Route] {
        [
            Route(.post, Routes.deviceAuthorization, checks.client(), sharing: .clients, handler: start),
            Route(.get, Routes.device, open: "a field for a code", isPage: true, handler: showEntry),
            Route(.post, Routes.device, entryForm, isPage: true, handler: enter),
            Route(.get, Self.confirmPage, question, isPage: true, handler: showQuestion),
            Route(.post, Self.confirmPage, decision, isPage: true, handler: decide),
            Route(.get, Self.donePage, open: "says nothing that is about anybody", isPage: true, handler: showOutcome),
        ]
    }

    /// A device's code that a user typed, before the decision.
    private struct Confirmation: Codable, Sendable {
        /// The digest of the device code.
        let device: [UInt8]
        /// The user code as pages show it.
        let userCode: String
        /// The digest of the mark of the browser in which the code was typed.
        let browser: String
    }

    /// A device that asked, in the browser in which its code was typed.
    private struct Asking: Sendable {
        let confirmation: Confirmation
        /// The sealed value as it came.
        let sealed: String
        let device: DeviceAuthorization
        let client: Client
    }

    /// A device that asked, and the signed-in user who may decide.
    private struct Question: Sendable {
        let asking: Asking
        let person: SignedInPerson
        /// The mark of the browser.
        let browser: String
    }

    /// The user's decision.
    private struct Decision: Sendable {
        let asking: Asking
        let person: SignedInPerson
        let form: SameSiteForm
    }

    private static let demand = Demand(.device, .redirect(Routes.device))

    private var entryForm: Check<SameSiteForm> {
        checks.anyForm.then(.sameSite) { fields, request, _ in
            try checks.sameSite(fields, request, transaction: Routes.device)
        }
    }

    private var question: Check<Question> {
        Check(Self.demand) { request, _ in
            let sealed = try request.queryParameters().values("request").first
            guard let asking = try await asking(sealed, request) else { throw Refused(.seeOther(Routes.device)) }
            if let outcome = outcome(asking.device) { throw Refused(done(outcome)) }
            return asking
        }.then(.session) { asking, request, _ in
            let person = try await checks.person(request)
            let needed = try await services.devices.neededSignIn(asking.device, person?.session)
            guard let person, let browser = checks.cookies.browser(request), needed == nil else {
                throw Refused(signIn(for: asking, needed))
            }
            return Question(asking: asking, person: person, browser: browser)
        }
    }

    private var decision: Check<Decision> {
        checks.anyForm.then(Self.demand) { fields, request, _ in
            guard let asking = try await asking(fields.values("transaction").first, request) else {
                throw Refused(.seeOther(Routes.device))
            }
            return (fields, asking)
        }.then(.session) { opened, request, _ in
            guard let person = try await checks.person(request) else { throw Refused(signIn(for: opened.1)) }
            return (opened.0, opened.1, person)
        }.then(.sameSite) { opened, request, _ in
            let (fields, asking, person) = opened
            let form = try checks.sameSite(fields, request, session: person.session.id)
            return Decision(asking: asking, person: person, form: form)
        }
    }

    /// `POST /oauth2/device_authorization` (RFC 8628 §3.1).
    @Sendable private func start(
        _ asking: AuthenticatedClientForm, _ request: Request, _ context: WebContext
    ) async throws -> Response {
        let proof = try services.dpop.proof(
            request.proofPresentation(services.project, Routes.deviceAuthorization))
        let start = try await services.devices.start(
            asking.form, client: asking.client, page: services.project.base + Routes.device, proof: proof,
            from: checks.addresses.address(of: request, context))
        switch start {
        case .started(let answer):
            var headers: HTTPFields = [:]
            if let proof, services.dpop.wantsNonce(proof) { headers[.dpopNonce] = services.dpop.nonce() }
            return .json(answer.json, headers: headers)
        case .tooMany(let seconds):
            var response = Response.problem(
                OAuthProblem(.temporarilyUnavailable, "too many devices have asked from this network: try again later"))
            response.status = .tooManyRequests
            response.headers[.retryAfter] = String(seconds)
            return response
        }
    }

    /// `GET /device`: the field for a code. A code in the address is filled in, but not submitted.
    @Sendable private func showEntry(_ request: Request, _ context: WebContext) async throws -> Response {
        let typed = try request.queryParameters().values("user_code").first.flatMap(UserCode.init(typed:))
        return entry(typed?.text, nil, request)
    }

    /// `POST /device`: a code.
    @Sendable private func enter(
        _ form: SameSiteForm, _ request: Request, _ context: WebContext
    ) async throws -> Response {
        let typed = try form.one("user_code") ?? ""
        guard let code = UserCode(typed: typed) else { return entry(typed, .malformed, request) }
        let person = try await checks.person(request)
        let found = try await services.devices.find(
            code, by: person?.user.id, from: checks.addresses.address(of: request, context))
        switch found {
        case .device(let device):
            return .seeOther(
                location(
                    Confirmation(
                        device: device.id.bytes, userCode: code.text, browser: Cookies.digest(of: form.browser))))
        case .unknown: return entry(typed, .unknown, request)
        case .expired: return entry(typed, .expired, request)
        case .tooMany(let seconds): return entry(typed, .tooMany(retryAfterSeconds: Int(seconds)), request)
        case .strangersAreTooMany: return signIn(to: "\(Routes.device)?user_code=\(code.text)")
        }
    }

    /// `GET /device/confirm`: what the device is, and the rights that it would get.
    @Sendable private func showQuestion(
        _ question: Question, _ request: Request, _ context: WebContext
    ) async throws -> Response {
        let (asking, person) = (question.asking, question.person)
        let (device, client) = (asking.device, asking.client)
        let here = checks.addresses.address(of: request, context)
        let asked = services.devices.asked(device, by: client)
        let page = DeviceQuestionPage(
            form: PageForm(
                action: Self.confirmPage, transaction: asking.sealed,
                csrf: checks.guardian.token(
                    browser: question.browser, session: person.session.id, transaction: asking.sealed)),
            clientName: client.name, userName: person.user.displayName ?? person.user.id.rawValue,
            userCode: asking.confirmation.userCode, scopes: device.scope.names,
            claims: asked.claims, resources: services.clients.named(asked.resources),
            isUnverified: client.isUnverified,
            secondsAgo: Int(max(0, services.ambient.now().seconds(since: device.createdAt))),
            origin: device.network == nil ? .unknown : device.network == here?.network ? .here : .elsewhere,
            policyURI: client.metadata.policyURI, tosURI: client.metadata.tosURI)
        return presenter.response(page, look: presenter.look(request))
    }

    /// `POST /device/confirm`: the user's decision.
    @Sendable private func decide(
        _ decision: Decision, _ request: Request, _ context: WebContext
    ) async throws -> Response {
        let (asking, session) = (decision.asking, decision.person.session)
        let device = asking.device
        let address = checks.addresses.address(of: request, context)
        switch try decision.form.one("action") {
        case "other":
            return signIn(for: asking, choosesAccount: true)
        case "allow":
            if let needed = try await services.devices.neededSignIn(device, session) {
                return signIn(for: asking, needed)
            }
            let made = try await services.devices.allow(
                device, client: asking.client, shown: try decision.form.words("claims"), session: session, from: address
            )
            guard made != .signedOut else { return signIn(to: location(asking.confirmation)) }
            return done(made == .made ? .allowed : made == .expired ? .expired : .tooLate)
        default:
            // Every other value means no.
            let made = try await services.devices.deny(device, session: session, from: address)
            return done(made == .made ? .denied : made == .expired ? .expired : .tooLate)
        }
    }

    /// `GET /device/done`: the outcome. It names no user and no device, so that everyone may see it.
    @Sendable private func showOutcome(_ request: Request, _ context: WebContext) async throws -> Response {
        let word = try request.queryParameters().values("outcome").first ?? ""
        guard let outcome = DeviceDonePage.Kind(rawValue: word) else { return .seeOther(Routes.device) }
        return presenter.response(DeviceDonePage(outcome: outcome), look: presenter.look(request))
    }

    private func entry(_ typed: String?, _ problem: DeviceEntryPage.Problem?, _ request: Request) -> Response {
        let browser = checks.browser(request)
        let page = DeviceEntryPage(
            form: PageForm(
                action: Routes.device, transaction: nil,
                csrf: checks.guardian.token(browser: browser, session: nil, transaction: Routes.device)),
            typed: typed, problem: problem)
        var response = presenter.response(
            page, look: presenter.look(request), status: problem?.status ?? .ok,
            cookies: [checks.cookies.setBrowser(browser)])
        if case .tooMany(let seconds) = problem { response.headers[.retryAfter] = String(seconds) }
        return response
    }

    /// Opens a value that was sealed for this browser; `nil` if there is no such device.
    private func asking(_ sealed: String?, _ request: Request) async throws(StoreError) -> Asking? {
        guard let sealed, let browser = checks.cookies.browser(request),
            let confirmation = services.transactions.open(sealed, as: Confirmation.self, kind: Self.seal),
            confirmation.browser == Cookies.digest(of: browser),
            let (device, client) = try await services.devices.device(SecretDigest(storedBytes: confirmation.device))
        else { return nil }
        return Asking(confirmation: confirmation, sealed: sealed, device: device, client: client)
    }

    private func location(_ confirmation: Confirmation) -> String {
        "\(Self.confirmPage)?request=\(services.transactions.close(confirmation, kind: Self.seal))"
    }

    /// Why there is nothing to decide; `nil` if there is.
    private func outcome(_ device: DeviceAuthorization) -> DeviceDonePage.Kind? {
        guard device.decision == .pending else { return .tooLate }
        return services.ambient.now() < device.expiresAt ? nil : .expired
    }

    private func done(_ outcome: DeviceDonePage.Kind) -> Response {
        .seeOther("\(Self.donePage)?outcome=\(outcome.rawValue)")
    }

    /// Through the sign-in pages and back, with as many factors as the device's request needs.
    private func signIn(
        for asking: Asking, _ needed: DeviceAuthorizations.NeededSignIn? = nil, choosesAccount: Bool = false
    ) -> Response {
        signIn(
            to: location(asking.confirmation),
            needsSeveralFactors: needed?.severalFactors ?? asking.device.needsSeveralFactors,
            isAnew: needed?.isAnew ?? false, choosesAccount: choosesAccount)
    }

    /// Through the sign-in pages and back.
    private func signIn(
        to path: String, needsSeveralFactors: Bool = false, isAnew: Bool = false, choosesAccount: Bool = false
    ) -> Response {
        let transaction = services.authorization.transaction(
            to: path, maxAgeSeconds: isAnew ? -1 : nil, needsSeveralFactors: needsSeveralFactors,
            choosesAccount: choosesAccount)
        return .seeOther("\(Routes.login)?transaction=\(checks.sealed(transaction))")
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
