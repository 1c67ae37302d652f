import Identity
import KeyturnBase
import KeyturnWire
import Model
import OAuth
import ServerTesting
import Testing

@Suite("Authorization details, RFC 9396")
struct AuthorizationDetailsTests {
    private static let payment = """
        [{"type":"payment","actions":["initiate","status"],"amount":{"currency":"EUR","value":"123.50"},\
        "creditorName":"Merchant <b>A</b>","locations":["https://bank.example/payments"]}]
        """

    private func start() async throws -> TestServer {
        let narrow = TestClients.make("narrow", method: "client_secret_basic", secret: TestClients.webSecret) {
            $0.authorizationDetailsTypes = ["account"]
        }
        return try await TestServer.start(
            clients: [narrow],
            project: { issuer in
                Project(
                    id: "test", name: "Test", issuer: issuer, authorizationDetailTypes: ["payment", "account"])
            })
    }

    private func claims(_ token: String) throws -> JSONValue {
        let parts = token.split(separator: ".")
        return try JSONValue(parsing: try #require(Base64URL.decode(parts[1])))
    }

    private func code(_ server: TestServer, _ pkce: PKCE, _ details: String, client: Client = TestClients.web)
        async throws -> String
    {
        let response = try await server.signIn(client, proof: pkce) { $0.authorizationDetails = details }
        return try #require(response.code)
    }

    @Test func `people read what is asked for, and tokens, answers and introspection hold it`() async throws {
        let server = try await start()
        let pkce = PKCE(ambient: .live)
        let browser = server.browser()
        var request = server.request(TestClients.web, proof: pkce)
        request.authorizationDetails = Self.payment
        let login = try await server.authorize(request, in: browser)
        let consent = try await browser.submit(
            login, ["username": TestServer.username, "password": TestServer.password])
        #expect(consent.page == "consent")
        for text in ["Payment", "initiate, status", "currency: EUR; value: 123.50", "Creditor name"] {
            #expect(consent.body.contains(text), "\(text)")
        }
        #expect(consent.body.contains("Merchant &lt;b&gt;A&lt;/b&gt;") && !consent.body.contains("<b>A</b>"))
        let allowed = try await browser.submit(consent, ["action": "allow"])
        let code = try #require(try TestServer.callback(allowed)?.code)
        let answer = try await server.redeem(code, TestClients.web, proof: pkce)
        let wanted = try JSONValue(parsing: Self.payment.utf8)
        #expect(answer.json["authorization_details"] == wanted, "\(answer.body)")
        let token = try #require(answer.json["access_token"]?.stringValue)
        #expect(try claims(token)["authorization_details"] == wanted)
        let introspected = try await server.post(
            "/oauth2/introspect", FormParameters(["token": token]), as: TestClients.web)
        #expect(introspected.json["active"] == true && introspected.json["authorization_details"] == wanted)
        let again = try await server.authorize(request, in: browser)
        #expect(again.page == "consent", "another payment is another question")
        await server.stop()
    }

    @Test func `what is not offered, not well-formed, or too much is refused`() async throws {
        let server = try await start()
        let narrow = try #require(server.services.clients.client("narrow"))
        let many = "[" + Array(repeating: #"{"type":"payment"}"#, count: 17).joined(separator: ",") + "]"
        let cases: [(Client, String)] = [
            (TestClients.web, #"[{"type":"unknown"}]"#), (TestClients.web, #"[{"type":"payment"},{"type":"unknown"}]"#),
            (narrow, #"[{"type":"payment"}]"#), (TestClients.web, "{}"), (TestClients.web, "[]"),
            (TestClients.web, #"[{"actions":["a"]}]"#), (TestClients.web, #"[{"type":7}]"#), (TestClients.web, "["),
            (TestClients.web, #"[{"type":"payment","actions":"initiate"}]"#),
            (TestClients.web, #"[{"type":"payment","locations":[1]}]"#),
            (TestClients.web, #"[{"type":"payment","identifier":{}}]"#), (TestClients.web, many),
        ]
        for (client, details) in cases {
            var request = server.request(client, proof: nil)
            request.authorizationDetails = details
            let screen = try await server.authorize(request, in: server.browser())
            #expect(try TestServer.callback(screen)?.refusal == .invalidAuthorizationDetails, "\(details)")
            let pushed = try await server.push(request, as: client)
            #expect(pushed.status == 400 && pushed.error == "invalid_authorization_details")
        }
        let metadata = try await server.get("/.well-known/openid-configuration").json
        #expect(metadata["authorization_details_types_supported"] == ["payment", "account"])
        await server.stop()
    }

    @Test func `a redemption and a refresh may ask for less, and never for more`() async throws {
        let server = try await start()
        let pkce = PKCE(ambient: .live)
        let granted = #"[{"type":"account","actions":["read","write"],"identifier":"1"}]"#
        let less = #"[{"type":"account","actions":["read"],"identifier":"1"}]"#
        let code = try await code(server, pkce, granted)
        var form = TokenRequest.authorizationCode(
            code: Secret(code), redirectURI: TestClients.callback, codeVerifier: pkce.codeVerifier
        ).parameters
        let more = [
            #"[{"type":"account","actions":["read","delete"],"identifier":"1"}]"#, #"[{"type":"account"}]"#,
            #"[{"type":"account","actions":["read"],"identifier":"2"}]"#, #"[{"type":"payment"}]"#, "[",
        ]
        for details in more {
            var greedy = form
            greedy.append("authorization_details", details)
            let answer = try await server.post("/oauth2/token", greedy, as: TestClients.web)
            #expect(answer.error == "invalid_authorization_details", "\(details)")
        }
        form.append("authorization_details", less)
        let answer = try await server.post("/oauth2/token", form, as: TestClients.web)
        #expect(answer.json["authorization_details"] == (try JSONValue(parsing: less.utf8)), "\(answer.body)")
        let refreshToken = try #require(answer.json["refresh_token"]?.stringValue)
        var refresh = TokenRequest.refreshToken(Secret(refreshToken)).parameters
        refresh.append("authorization_details", more[0])
        #expect(
            try await server.post("/oauth2/token", refresh, as: TestClients.web).error
                == "invalid_authorization_details")
        let whole = try await server.refresh(refreshToken, TestClients.web)
        #expect(whole.json["authorization_details"] == (try JSONValue(parsing: granted.utf8)))
        await server.stop()
    }

    @Test func `details alone are a whole request`() async throws {
        let server = try await start()
        let pkce = PKCE(ambient: .live)
        let response = try await server.signIn(TestClients.web, proof: pkce) {
            $0.scope = nil
            $0.authorizationDetails = #"[{"type":"account"}]"#
        }
        let answer = try await server.redeem(try #require(response.code), TestClients.web, proof: pkce)
        #expect(answer.status == 200 && answer.json["scope"] == nil && answer.json["id_token"] == nil)
        let token = try #require(answer.json["access_token"]?.stringValue)
        #expect(try claims(token)["scope"] == "")
        await server.stop()
    }

    @Test func `19: details are never agreed to in silence`() async throws {
        let server = try await start()
        let browser = server.browser()
        _ = try await server.signIn(TestClients.web, proof: nil, in: browser)
        var request = server.request(TestClients.web, proof: nil)
        request.prompt = "none"
        request.authorizationDetails = #"[{"type":"account"}]"#
        let screen = try await server.authorize(request, in: browser)
        #expect(try TestServer.callback(screen)?.refusal == .consentRequired)
        await server.stop()
    }
}
