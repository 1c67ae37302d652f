import Foundation
import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("Approvals in an app of the operator")
struct AppApprovalTests {
    private typealias Pages = ApprovalSignInTests

    private static let app = TestClients.tool
    private static let till = TestClients.make(
        "till", method: "client_secret_basic", secret: TestClients.webSecret, firstParty: true
    ) { $0.grantTypes = ["refresh_token", GrantType.ciba.rawValue] }
    private static let strangers = TestClients.make("strangers", method: "none", secret: nil, native: true)
    private static let path = "/v1/approvals"

    private static func start() async throws -> TestServer { try await Pages.start(clients: [till, strangers]) }

    private static func call(
        _ server: TestServer, _ token: String?, _ members: [String: JSONValue] = [:],
        headers: [(String, String)] = []
    ) async throws -> EndpointAnswer {
        var members = members
        members["refresh_token"] = token.map { .string($0) }
        return try await server.send(
            "POST", path, headers: [("Content-Type", "application/json")] + headers,
            body: String(decoding: JSONValue.object(members).serialized, as: UTF8.self))
    }

    /// Approves the one request that waits.
    private static func approve(_ server: TestServer, _ token: String?, number: Int64?) async throws -> EndpointAnswer {
        let waiting = try await call(server, token).json["approvals"]?.arrayValue ?? []
        let id = try #require(waiting.first?["id"])
        return try await call(
            server, token, ["id": id, "action": "approve", "number": .integer(try #require(number))])
    }

    private static func ask(_ server: TestServer, scope: String = "openid") async throws
        -> BackchannelAuthenticationResponse
    {
        let form = FormParameters(["scope": scope, "login_hint": TestServer.username])
        let answer = try await server.post("/oauth2/bc-authorize", form, as: till)
        return try JSONDecoder().decode(BackchannelAuthenticationResponse.self, from: Data(answer.body.utf8))
    }

    private static func poll(_ server: TestServer, _ request: BackchannelAuthenticationResponse) async throws
        -> EndpointAnswer
    {
        let form = FormParameters(["grant_type": GrantType.ciba.rawValue, "auth_req_id": request.authReqID])
        return try await server.post("/oauth2/token", form, as: till)
    }

    @Test func `B-12: an access token, which resource servers have as well, reads and decides nothing`() async throws {
        let server = try await Self.start()
        let tokens = try await server.tokens(Self.app)
        let asked = try await Self.ask(server)
        let id = try #require(
            try await Self.call(server, tokens.refreshToken).json["approvals"]?.arrayValue?.first?["id"])
        let decision: [String: JSONValue] = [
            "id": id, "action": "approve", "number": .integer(try #require(asked.number)),
        ]
        let bearer = [("Authorization", "Bearer \(tokens.accessToken)")]
        #expect(try await Self.call(server, nil, decision, headers: bearer).error == "invalid_request")
        #expect(try await Self.call(server, tokens.accessToken, decision, headers: bearer).error == "invalid_grant")
        #expect(try await server.get(Self.path, token: tokens.accessToken).status == 405)
        #expect(try await server.auditCount(.backchannelAllowed) == 0)
        #expect(try await Self.call(server, tokens.refreshToken, decision).status == 204)
        await server.stop()
    }

    @Test func `B-12: clients of others, those that authenticate, and sessions of a smaller scope decide nothing`()
        async throws
    {
        let server = try await Self.start()
        let tokens = try await server.tokens(Self.app)
        let asked = try await Self.ask(server)
        #expect(try await Self.approve(server, tokens.refreshToken, number: asked.number).status == 204)
        let tills = try await Self.poll(server, asked).json["refresh_token"]?.stringValue
        let others = [
            tills, try await server.tokens(Self.strangers).refreshToken,
            try await server.tokens(TestClients.web).refreshToken,
            try await server.tokens(Self.app) { $0.scope = "api.read offline_access" }.refreshToken,
        ]
        for (index, token) in others.enumerated() {
            #expect(token != nil)
            let answer = try await Self.call(server, token)
            #expect(answer.status == 403 && answer.error == "insufficient_scope", "\(index)")
        }
        #expect(try await Self.call(server, "x").error == "invalid_grant")
        await server.stop()
    }

    @Test func `B-12: the refresh token of a bound session needs a proof of its key`() async throws {
        let server = try await Self.start()
        let (prover, thief) = (Prover(server), Prover(server))
        let token = try await prover.tokens(Self.app).refreshToken
        #expect(try await Self.call(server, token).error == "invalid_dpop_proof")
        let stolen = try await Self.call(server, token, headers: [("DPoP", try thief.proof(path: Self.path))])
        #expect(stolen.error == "invalid_dpop_proof")
        let proof = [("DPoP", try prover.proof(path: Self.path))]
        #expect(try await Self.call(server, token, headers: proof).status == 200)
        #expect(try await Self.call(server, token, headers: proof).error == "invalid_dpop_proof", "counts once")
        await server.stop()
    }

    @Test(arguments: ["openid", "openid offline_access"])
    func `B-8: an app opens no session to approve, and its end is that of what it approved`(_ scope: String)
        async throws
    {
        let server = try await Self.start()
        let tokens = try await server.tokens(Self.app)
        let asked = try await Self.ask(server, scope: scope)
        #expect(try await Self.approve(server, tokens.refreshToken, number: asked.number).status == 204)
        let token = try await Self.poll(server, asked).json["access_token"]?.stringValue
        #expect(try await server.get("/oauth2/userinfo", token: token).status == 200)
        let desktop = server.browser()
        let waiting = try await Pages.ask(server, desktop)
        let number = Int64(try Pages.number(waiting))
        #expect(try await Self.approve(server, tokens.refreshToken, number: number).status == 204)
        #expect(try await Pages.status(server, waiting, desktop) == 200)
        #expect(try await !server.audited().contains("app_session.opened"))
        _ = try await server.post("/oauth2/revoke", FormParameters(["token": tokens.refreshToken]), as: Self.app)
        try await Pages.expectNoAnswer(server, waiting, desktop)
        let status = try await server.get("/oauth2/userinfo", token: token).status
        #expect(status == (scope == "openid" ? 401 : 200), "what is offline outlives sessions")
        await server.stop()
    }

    @Test func `a sign-in page goes on when an app approved it`() async throws {
        let server = try await Self.start()
        let tokens = try await server.tokens(Self.app)
        let desktop = server.browser()
        let waiting = try await Pages.ask(server, desktop)
        let number = Int64(try Pages.number(waiting))
        #expect(try await Self.approve(server, tokens.refreshToken, number: number).status == 204)
        _ = try await desktop.open(waiting.url)
        #expect(desktop.cookieJar["keyturn-session"] != nil)
        await server.stop()
    }

    @Test(arguments: ["", "{", "[]", "{}", #"{"refresh_token":1}"#])
    func `a body of another form is refused`(_ body: String) async throws {
        let server = try await Self.start()
        let answer = try await server.send(
            "POST", Self.path, headers: [("Content-Type", "application/json")], body: body)
        #expect(answer.status == 400 && answer.error == "invalid_request")
        let token = try await server.tokens(Self.app).refreshToken
        #expect(try await Self.call(server, token, ["action": "agree", "id": "x"]).error == "invalid_request")
        #expect(try await Self.call(server, token, ["action": "deny", "id": "x"]).error == "too_late")
        await server.stop()
    }
}
