internal import Foundation
internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import NIOCore
internal import OAuth
internal import SignIn

/// The way back from an identity provider.
struct FederationRoutes: Sendable {
    let signIn: SignInRoutes

    var services: IdentityServices { signIn.services }
    var gate: FederationGate { signIn.gate }
    var states: FederationStates { services.federation.states }

    static let startRoute = "/federation/{name}/start"
    static let callbackPath = "/federation/{name}/callback"
    /// Where the answer goes on that links an identity: below the settings, which an app's session reaches alone.
    static let linkPath = "/settings/connections/{name}/callback"
    static let consumerPath = "/saml/{name}/acs"
    static let metadataPath = "/saml/{name}/metadata"
    /// Whether an address belongs to the ways to providers and back.
    static func owns(_ path: String) -> Bool {
        path == DescopeFederationRoutes.departurePath || path.hasPrefix("/federation/") || path.hasPrefix("/saml/")
    }

    private static let why = "the state that it carries was kept for this browser alone"
    private static let postedPrefix = "posted:"

    var routes: [Route] {
        [
            Route(.get, Self.startRoute, signIn.checks.transactionPage(), isPage: true, handler: start),
            Route(.get, Self.callbackPath, open: Self.why, isPage: true) {
                try await answer($0, $1, Self.callbackPath)
            },
            Route(.post, Self.callbackPath, open: Self.why, isPage: true) {
                try await posted($0, $1, Self.callbackPath, "state")
            },
            Route(.get, Self.linkPath, open: Self.why, isPage: true) {
                try await answer($0, $1, Self.linkPath)
            },
            Route(.get, Self.consumerPath, open: Self.why, isPage: true) {
                try await answer($0, $1, Self.consumerPath)
            },
            Route(.post, Self.consumerPath, open: Self.why, isPage: true) {
                try await posted($0, $1, Self.consumerPath, "RelayState")
            },
            Route(.get, Self.metadataPath, open: "it holds public keys and addresses alone") { request, _ in
                try metadata(request)
            },
        ]
    }

    /// The button of a provider on the first page.
    @Sendable private func start(_ opened: OpenedTransaction) async throws -> Response {
        guard let id = opened.request.names(in: Self.startRoute).first, let connection = gate.connection(id) else {
            return .seeOther(
                signIn.authorize.location(Routes.login, of: opened.transaction)
                    + "&problem=\(FederationProblem.refusal(.connectionOff).word)")
        }
        // The button of a page of ours. Another program could open its address.
        return try await signIn.depart(
            to: connection, opened, in: signIn.checks.browser(opened.request), loginHint: nil,
            isUnseen: opened.request.headers[.secFetchSite] != "same-origin")
    }

    /// What the administrator of a SAML provider reads: our addresses and keys.
    private func metadata(_ request: Request) throws -> Response {
        guard let id = request.names(in: Self.metadataPath).first, let connection = gate.connection(id),
            let bytes = gate.protocols.of(connection)?.metadata(of: connection)
        else { throw Unreadable(status: .notFound, detail: "there is no such connection") }
        return Response(
            status: .ok,
            headers: [.contentType: "application/samlmetadata+xml", .cacheControl: "public, max-age=3600"],
            body: ByteBuffer(bytes: bytes))
    }

    /// The answer came by a form of another site, without this browser's cookies: it is kept, and looked at after a
    /// redirect. Only an answer to a sign-in that is under way is kept, and one for each.
    private func posted(_ request: Request, _ context: WebContext, _ path: String, _ name: String) async throws
        -> Response
    {
        let (text, fields) = try await request.postedForm(max: Limits.providerAnswerBytesMax)
        guard let id = request.names(in: path).first else { throw Self.lost }
        let handle = try fields.one(name) ?? ""
        guard let state = try await states.peek(handle), state.connectionID == id else {
            guard path == Self.consumerPath, let connection = gate.connection(id) else { throw Self.lost }
            return try await UnsolicitedSignIn(connection: connection, routes: self)
                .keep(text, fields, request, context)
        }
        let kept = Self.postedHandle(handle)
        do throws(StoreError) {
            try await states.keep(
                FederationState(
                    connectionID: id, purpose: .posted(text), browser: state.browser, protocolState: "",
                    startedAt: services.ambient.now()),
                under: kept)
        } catch {
            // The form was sent twice.
            guard error.code == .conflict else { throw error }
        }
        return .seeOther("\(request.target.path)?posted=\(kept)")
    }

    /// A handle that follows from the state's, so that there is one answer for each.
    private static func postedHandle(_ handle: String) -> String {
        Base64URL.encode(SecretDigest(of: Secret(postedPrefix + handle)).bytes)
    }

    static func read(_ text: String) throws -> FormParameters {
        do {
            return try FormParameters(parsing: text)
        } catch {
            throw Unreadable(status: .badRequest, detail: "the answer cannot be read")
        }
    }

    static let lost = PageProblem(
        kind: .expired, detail: "The sign-in at the provider was not begun in this browser, took too long, or is over.",
        status: .badRequest)

    /// The provider's answer, in the browser that left for it.
    private func answer(_ request: Request, _ context: WebContext, _ path: String) async throws -> Response {
        var fields = try request.queryParameters()
        if let unsolicited = try await UnsolicitedSignIn.answer(fields, self, request, context) { return unsolicited }
        guard let id = request.names(in: path).first, let browser = signIn.cookies.browser(request) else {
            throw Self.lost
        }
        let digest = Cookies.digest(of: browser)
        if let kept = try fields.one("posted") {
            guard let state = try await states.peek(kept), case .posted(let text) = state.purpose,
                state.connectionID == id, state.browser == digest
            else { throw Self.lost }
            fields = try Self.read(text)
        }
        guard let handle = try fields.one("state") ?? fields.one("RelayState"),
            let state = try await states.peek(handle), state.connectionID == id, state.browser == digest
        else { throw Self.lost }
        if case .link = state.purpose, path != Self.linkPath {
            let query = request.target.query.map { "?\($0)" } ?? ""
            return .seeOther(Self.linkPath.replacing("{name}", with: id) + query)
        }
        let arrival = FederationArrival(
            handle: handle, state: state, browser: browser, request: request, context: context, routes: self)
        return try await arrival.receive(fields.all.map { (name: $0.name, value: $0.value) })
    }
}
