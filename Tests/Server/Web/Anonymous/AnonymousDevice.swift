import Foundation
import Identity
import KeyturnBase
import KeyturnJose
import KeyturnWire
import Model
import ServerTesting
import Testing

/// A device whose user has no account.
struct AnonymousDevice: Sendable {
    let server: TestServer
    let key: SigningKey
    let id: String
    static let app = TestClients.make("game", method: "none", secret: nil, firstParty: true, native: true) {
        $0.grantTypes = grants
    }
    static let other = TestClients.make("reader", method: "none", secret: nil, firstParty: true, native: true) {
        $0.grantTypes = grants
    }
    private static let grants = [
        GrantType.authorizationCode.rawValue, GrantType.refreshToken.rawValue, GrantType.anonymousRequest.rawValue,
    ]

    static func server() async throws -> TestServer { try await TestServer.start(clients: [app, other]) }

    init(_ server: TestServer, _ algorithm: SignatureAlgorithm = .es256) throws {
        self.server = server
        key = try SigningKey.generate(algorithm)
        id = Ambient.live.randomToken(byteCount: 16)
    }

    func challenge(_ purpose: String = "anonymous_request") async throws -> String {
        let answer = try await server.send(
            "POST", "/oauth2/challenge", headers: [("Content-Type", "application/json")],
            body: "{\"purpose\":\"\(purpose)\"}")
        return try #require(Challenge(parsing: Array(answer.body.utf8)), "\(answer.body)").token
    }

    /// A signed request; everything about it can be chosen.
    func request(
        _ action: AnonymousAction, _ challenge: String? = nil, isNew: Bool = false, signedBy signer: SigningKey? = nil,
        shows publicKey: JSONWebKey? = nil, type: String = AnonymousNames.requestType, secondsOff: Int64 = 0
    ) async throws -> String {
        let fresh = challenge == nil ? try await self.challenge() : ""
        let draft = BiometricRequestDraft(
            type: type, action: action.rawValue, keyID: id, algorithm: key.algorithm,
            publicKey: publicKey ?? (isNew ? key.publicKey : nil), challenge: challenge ?? fresh, deviceInfo: nil,
            issuedAt: server.clock.now + secondsOff, seconds: 60)
        return draft.request(signature: try (signer ?? key).signature(for: draft.signingInput))
    }

    func send(_ jwt: String, as client: Client = app, headers: [(String, String)] = []) async throws -> EndpointAnswer {
        try await server.post(
            "/oauth2/token", FormParameters(["grant_type": GrantType.anonymousRequest.rawValue, "jwt": jwt]),
            as: client, headers: headers)
    }

    func signIn(isNew: Bool = false) async throws -> EndpointAnswer {
        try await send(try await request(.authenticate, isNew: isNew))
    }

    /// Makes the user, and returns their subject.
    func signUp() async throws -> UserID {
        let answer = try await signIn(isNew: true)
        try #require(answer.status == 200, "\(answer.body)")
        return UserID(rawValue: try #require(try Self.claims(answer)["sub"]?.stringValue))
    }

    static func claims(_ answer: EndpointAnswer) throws -> JSONValue {
        let token = try #require(answer.json["id_token"]?.stringValue, "\(answer.body)")
        return try JSONValue(parsing: try UnverifiedJWS(token).unverifiedPayload)
    }

    /// A `login_hint` with a request to promote.
    func hint(_ jwt: String? = nil) async throws -> String {
        let fresh = jwt == nil ? try await request(.promote) : ""
        return AuthgearNames.loginHint([("type", "anonymous"), ("jwt", jwt ?? fresh)])
    }

    /// Opens the sign-in page of a promotion.
    func begin(
        _ hint: String, proof: PKCE?, in browser: ScriptedBrowser, as client: Client = app,
        _ change: (inout AuthorizationRequest) -> Void = { _ in }
    ) async throws -> ScriptedBrowser.Screen {
        var request = server.request(client, proof: proof)
        request.prompt = "login"
        request.loginHint = hint
        change(&request)
        return try await server.authorize(request, in: browser)
    }

    /// Signs up on the pages, from the sign-in page.
    func signUp(
        _ address: String, from page: ScriptedBrowser.Screen, in browser: ScriptedBrowser
    ) async throws -> ScriptedBrowser.Screen {
        let transaction = page.hiddenFields.first { $0.name == "transaction" }?.value ?? ""
        let form = try await browser.open("/signup?transaction=\(transaction)")
        let sent = try await browser.submit(
            form, ["name": "New Person", "identifier": address, "action": "code"])
        let code = try #require(try await server.message(to: address).code)
        return try await browser.submit(sent, ["code": code])
    }

    /// The code in the callback of a finished sign-in.
    static func code(_ screen: ScriptedBrowser.Screen) throws -> String {
        let response = try #require(try TestServer.callback(screen), "page \(screen.page ?? "none")")
        guard case .code(let code) = response.outcome else { throw TestFailure("refused: \(response.outcome)") }
        return code
    }

    /// The error in the callback.
    static func refusal(_ screen: ScriptedBrowser.Screen) throws -> OAuthProblem? {
        guard case .refused(let problem)? = try TestServer.callback(screen)?.outcome else { return nil }
        return problem
    }

    func isAnonymous(_ user: UserID) async throws -> Bool? {
        try await server.services.stores.users.account(user)?.user.isAnonymous
    }
}
