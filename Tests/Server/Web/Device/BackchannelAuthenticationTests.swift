import Foundation
import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("Sign-ins that are approved on another device, OpenID Connect CIBA")
struct BackchannelAuthenticationTests {
    private static let grants = ["authorization_code", "refresh_token", GrantType.ciba.rawValue]
    private static let till = TestClients.make(
        "till", method: "client_secret_basic", secret: TestClients.webSecret, firstParty: true
    ) { $0.grantTypes = grants }
    private static let kiosk = TestClients.make("kiosk", method: "client_secret_post", secret: TestClients.webSecret) {
        $0.grantTypes = grants
    }
    private static let path = "/settings/approvals"

    private static func start() async throws -> TestServer {
        try await TestServer.start(clients: [till, kiosk, TestServer.television])
    }

    private static func ask(
        _ server: TestServer, _ client: Client = till, _ others: KeyValuePairs<String, String?> = [:]
    ) async throws -> EndpointAnswer {
        var form = FormParameters()
        let given = Set(others.map(\.key))
        for (name, value) in [("scope", "openid profile offline_access"), ("login_hint", TestServer.username)]
        where !given.contains(name) {
            form.append(name, value)
        }
        for (name, value) in others { if let value { form.append(name, value) } }
        return try await server.post("/oauth2/bc-authorize", form, as: client)
    }

    private static func request(
        _ server: TestServer, _ client: Client = till, _ others: KeyValuePairs<String, String?> = [:]
    ) async throws -> BackchannelAuthenticationResponse {
        let answer = try await ask(server, client, others)
        guard answer.status == 200 else { throw TestFailure("refused: \(answer.body)") }
        return try JSONDecoder().decode(BackchannelAuthenticationResponse.self, from: Data(answer.body.utf8))
    }

    private static func poll(_ server: TestServer, _ code: String, as client: Client = till) async throws
        -> EndpointAnswer
    {
        var form = FormParameters()
        form.append("grant_type", GrantType.ciba.rawValue)
        form.append("auth_req_id", code)
        return try await server.post("/oauth2/token", form, as: client)
    }

    private static func number(_ answer: BackchannelAuthenticationResponse) throws -> String {
        String(try #require(answer.number))
    }

    @Test func `a client asks, the user types its number, and the client gets the tokens once`() async throws {
        let server = try await Self.start()
        let asked = try await Self.request(server, Self.till, ["binding_message": "Till <b>4</b> & co"])
        #expect(asked.expiresInSeconds == 300 && asked.intervalSeconds == 5)
        #expect(asked.authReqID.utf8.count >= 43 && (10...99).contains(asked.number ?? 0))
        #expect(try await Self.poll(server, asked.authReqID).error == "authorization_pending")
        #expect(try await Self.poll(server, asked.authReqID).error == "slow_down")

        let browser = server.browser()
        let page = try await server.visit(Self.path, in: browser)
        #expect(page.page == "settings-approvals")
        #expect(page.body.contains("Client till") && page.body.contains("Till &lt;b&gt;4&lt;/b&gt; &amp; co"))
        #expect(!page.body.contains(asked.authReqID), "the client's secret is on no page")
        let shown = ">\(try Self.number(asked))<"
        #expect(!page.body.contains(shown), "the number is on the other device alone")
        #expect(try await browser.open("/settings").body.contains("1 sign-in is waiting"))
        let done = try await browser.submit(page, ["action": "allow", "number": try Self.number(asked)])
        #expect(done.url.hasSuffix("done=allowed") && done.body.contains("The sign-in is allowed"))
        let again = try await browser.submit(page, ["action": "allow", "number": try Self.number(asked)])
        #expect(again.status == 422 && again.body.contains("already decided"))

        server.clock.advance(10)
        #expect(try await Self.poll(server, asked.authReqID, as: Self.kiosk).error == "invalid_grant")
        let answer = try await Self.poll(server, asked.authReqID)
        let tokens = try JSONDecoder().decode(TokenResponse.self, from: Data(answer.body.utf8))
        let claims = TestServer.claims(tokens.idToken.map { Secret($0) })
        #expect(claims["sub"]?.stringValue == TestServer.subject.rawValue && claims["aud"] == "till")
        #expect(claims["urn:openid:params:jwt:claim:auth_req_id"] == nil)
        #expect(try await server.refresh(tokens.refreshToken, Self.till).status == 200)
        server.clock.advance(10)
        #expect(try await Self.poll(server, asked.authReqID).error == "invalid_grant")
        #expect(try await server.auditCount(.backchannelAsked) == 1)
        #expect(try await server.auditCount(.backchannelAllowed) == 1)
        #expect(try await server.auditCount(.backchannelReplayed) == 1)
        await server.stop()
    }

    @Test func `26: of a hundred polls at once all get one grant`() async throws {
        let server = try await Self.start()
        let asked = try await Self.request(server)
        let browser = server.browser()
        let page = try await server.visit(Self.path, in: browser)
        _ = try await browser.submit(page, ["action": "allow", "number": try Self.number(asked)])
        let tokens = try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<100 {
                group.addTask { try await Self.poll(server, asked.authReqID).json["refresh_token"]?.stringValue }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(tokens.count == 100 && !tokens.contains(nil) && Set(tokens).count == 1)
        #expect(try await server.auditCount(.grantIssued) == 1)
        await server.stop()
    }

    @Test func `a lost answer is repeated for a minute while its token is unused, and a later replay ends nothing`()
        async throws
    {
        let server = try await Self.start()
        let asked = try await Self.request(server)
        let browser = server.browser()
        let page = try await server.visit(Self.path, in: browser)
        _ = try await browser.submit(page, ["action": "allow", "number": try Self.number(asked)])
        let first = try await Self.poll(server, asked.authReqID)
        server.clock.advance(Limits.deviceRepeatSeconds)
        let second = try await Self.poll(server, asked.authReqID)
        let token = try #require(first.json["refresh_token"]?.stringValue)
        #expect(second.json["refresh_token"]?.stringValue == token)
        #expect(try await server.auditCount(.backchannelRepeated) == 1)
        #expect(try await Self.poll(server, asked.authReqID, as: Self.kiosk).error == "invalid_grant")
        server.clock.advance(1)
        #expect(try await Self.poll(server, asked.authReqID).error == "invalid_grant")
        #expect(try await server.auditCount(.backchannelReplayed) == 1)
        #expect(try await server.refresh(token, Self.till).status == 200, "the grant lives")
        await server.stop()
    }

    @Test func `a wrong number and a refusal deny, and a missing number decides nothing`() async throws {
        let server = try await Self.start()
        let browser = server.browser()
        let first = try await Self.request(server)
        let page = try await server.visit(Self.path, in: browser)
        for typed in ["", "4", "abc", "123", "-7"] {
            let screen = try await browser.submit(page, ["action": "allow", "number": typed])
            #expect(screen.status == 422 && screen.body.contains("Type the two digits"), "\(typed)")
        }
        let wrong = try #require(first.number) == 42 ? "43" : "42"
        let screen = try await browser.submit(page, ["action": "allow", "number": wrong])
        #expect(screen.status == 422 && screen.body.contains("The number was wrong"))
        #expect(try await Self.poll(server, first.authReqID).error == "access_denied")
        let second = try await Self.request(server)
        let next = try await browser.open(Self.path)
        #expect(try await browser.submit(next, ["action": "deny"]).url.hasSuffix("done=denied"))
        #expect(try await Self.poll(server, second.authReqID).error == "access_denied")
        #expect(try await server.auditCount(.backchannelDenied) == 2)
        await server.stop()
    }

    @Test func `after “This was not me” the client cannot ask for an hour, and does not hear of it`() async throws {
        let server = try await Self.start()
        let browser = server.browser()
        let first = try await Self.request(server)
        let page = try await server.visit(Self.path, in: browser)
        #expect(try await browser.submit(page, ["action": "unknown"]).url.hasSuffix("done=blocked"))
        #expect(try await Self.poll(server, first.authReqID).error == "access_denied")
        let second = try await Self.request(server)
        #expect(try await Self.poll(server, second.authReqID).error == "authorization_pending")
        #expect(try await browser.open(Self.path).body.contains("Nothing is waiting"))
        _ = try await Self.request(server, Self.kiosk)
        #expect(try await browser.open(Self.path).body.contains("Client kiosk"), "another client may ask")
        server.clock.advance(Limits.backchannelBlockSeconds)
        _ = try await Self.request(server)
        let later = try await server.visit(Self.path, in: server.browser())
        #expect(later.body.contains("Client till"))
        await server.stop()
    }

    @Test func `a client cannot tell an unknown user from a known one`() async throws {
        let server = try await Self.start()
        for hint in ["unknown@example.com", "+4930123456", "\u{7}", "no such name"] {
            let asked = try await Self.request(server, Self.till, ["login_hint": hint])
            #expect(asked.expiresInSeconds == 300 && asked.number != nil, "\(hint)")
            #expect(try await Self.poll(server, asked.authReqID).error == "authorization_pending")
            server.clock.advance(300)
            #expect(try await Self.poll(server, asked.authReqID).error == "expired_token")
        }
        await server.stop()
    }

    @Test func `another user sees no request, and cannot decide one`() async throws {
        let server = try await Self.start()
        try await server.addBea()
        let asked = try await Self.request(server)
        let andy = try await server.visit(Self.path, in: server.browser())
        let browser = server.browser()
        _ = try await Self.request(server, Self.till, ["login_hint": "bea@example.com"])
        let page = try await server.visit(Self.path, in: browser, as: "bea@example.com")
        #expect(page.hidden("id").count == 1 && page.hidden("id") != andy.hidden("id"))
        for action in ["allow", "deny", "unknown"] {
            let screen = try await server.send(
                page, in: browser,
                ["id": andy.hidden("id").first, "action": action, "number": try Self.number(asked)])
            #expect(screen.status == 422 && screen.body.contains("already decided"))
        }
        #expect(try await Self.poll(server, asked.authReqID).error == "authorization_pending")
        await server.stop()
    }

    @Test func `more than five requests of a user are not shown`() async throws {
        let server = try await Self.start()
        for _ in 0..<7 { _ = try await Self.request(server) }
        let page = try await server.visit(Self.path, in: server.browser())
        #expect(page.hidden("id").count == 5)
        await server.stop()
    }

    @Test func `18: the decision needs a form of this page and a recent sign-in`() async throws {
        let server = try await Self.start()
        let asked = try await Self.request(server, Self.till, ["requested_expiry": "900"])
        #expect(asked.expiresInSeconds == 900)
        let browser = server.browser()
        let page = try await server.visit(Self.path, in: browser)
        var forged = FormParameters()
        forged.append("id", page.hidden("id").first)
        forged.append("action", "allow")
        forged.append("number", try Self.number(asked))
        #expect(try await browser.post(Self.path, forged).status == 403)
        server.clock.advance(Limits.sensitiveSeconds)
        let screen = try await browser.submit(page, ["action": "allow", "number": try Self.number(asked)])
        #expect(screen.page == "login")
        #expect(try await server.auditCount(.backchannelAllowed) == 0)
        await server.stop()
    }

    @Test func `a client that requires two factors gets no approval with one`() async throws {
        let server = try await Self.start()
        let classes = "urn:keyturn:none \(AuthenticationFacts.severalFactorsClass)"
        let asked = try await Self.request(server, Self.till, ["acr_values": classes])
        let browser = server.browser()
        let page = try await server.visit(Self.path, in: browser)
        let screen = try await browser.submit(page, ["action": "allow", "number": try Self.number(asked)])
        #expect(screen.page != "settings-approvals")
        #expect(try await Self.poll(server, asked.authReqID).error == "authorization_pending")
        await server.stop()
    }

    @Test(
        arguments: [
            ([("scope", nil)], "invalid_request"), ([("scope", "profile")], "invalid_scope"),
            ([("login_hint", nil)], "invalid_request"), ([("id_token_hint", "x")], "invalid_request"),
            ([("login_hint", nil), ("login_hint_token", "x")], "invalid_request"),
            ([("login_hint", nil), ("id_token_hint", "x")], "invalid_request"),
            ([("binding_message", "a\u{1}b")], "invalid_binding_message"),
            ([("binding_message", "a\nb")], "invalid_binding_message"),
            ([("binding_message", "a\u{202E}b")], "invalid_binding_message"),
            ([("binding_message", "a\u{3164}b")], "invalid_binding_message"),
            ([("binding_message", "a\u{34F}b")], "invalid_binding_message"),
            ([("binding_message", String(repeating: "a", count: 65))], "invalid_binding_message"),
            ([("requested_expiry", "0")], "invalid_request"), ([("requested_expiry", "soon")], "invalid_request"),
            ([("request", "x.y.z")], "invalid_request"),
            ([("authorization_details", "[]")], "invalid_authorization_details"),
        ] as [([(String, String?)], String)])
    func `what is wrong in a request is refused`(_ others: [(String, String?)], _ error: String) async throws {
        let server = try await Self.start()
        var form = FormParameters()
        for (name, value) in [("scope", "openid"), ("login_hint", TestServer.username)]
        where !others.contains(where: { $0.0 == name }) {
            form.append(name, value)
        }
        for (name, value) in others { if let value { form.append(name, value) } }
        let answer = try await server.post("/oauth2/bc-authorize", form, as: Self.till)
        #expect(answer.status == 400 && answer.error == error)
        await server.stop()
    }

    @Test func `clients that do not authenticate, or are not registered for it, are refused`() async throws {
        let server = try await Self.start()
        #expect(try await Self.ask(server, TestClients.web).error == "unauthorized_client")
        #expect(try await Self.ask(server, TestServer.television).error == "unauthorized_client")
        #expect(try await Self.poll(server, "x", as: TestClients.web).error == "unauthorized_client")
        #expect(try await Self.poll(server, "x").error == "invalid_grant")
        #expect(try await Self.poll(server, String(repeating: "x", count: 257)).error == "invalid_grant")
        var form = FormParameters()
        form.append("scope", "openid")
        form.append("client_id", "till")
        #expect(try await server.post("/oauth2/bc-authorize", form).error == "invalid_client")
        await server.stop()
    }

    @Test func `discovery names the endpoint and the two modes`() async throws {
        let server = try await Self.start()
        let answer = try await server.get("/.well-known/openid-configuration")
        let metadata = try JSONDecoder().decode(ServerMetadata.self, from: Data(answer.body.utf8))
        #expect(metadata.backchannelAuthenticationEndpoint == server.issuer + "/oauth2/bc-authorize")
        #expect(metadata.backchannelTokenDeliveryModesSupported == ["poll", "ping"])
        #expect(metadata.backchannelUserCodeParameterSupported == false)
        #expect(metadata.grantTypesSupported?.contains(GrantType.ciba.rawValue) == true)
        await server.stop()
    }
}
