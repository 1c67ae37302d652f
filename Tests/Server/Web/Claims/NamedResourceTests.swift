import Foundation
import Identity
import KeyturnBase
import KeyturnWire
import Model
import OAuth
import ServerTesting
import Testing

/// What the tokens of others' clients are for: what a page named, and nothing else (RFC 8707).
@Suite("Tokens: for no service that no page named")
struct NamedResourceTests {
    private static let api = "https://api.example.com"
    private static let bare = "https://bare.example.com"

    /// The operator's API, with a name.
    private static let service = TestClients.make(
        "service", method: "client_secret_basic", secret: TestClients.webSecret
    ) { $0.clientName = "Bank <API>" }.acting([], resources: [api])

    private static func start() async throws -> TestServer {
        try await TestServer.start(clients: [service, TestServer.printer, TestServer.television])
    }

    private func audience(_ answer: EndpointAnswer) throws -> [String] {
        let claims = try ServiceFixture.claims(answer)
        return claims["aud"]?.stringArrayValue ?? claims["aud"]?.stringValue.map { [$0] } ?? []
    }

    private func redeem(
        _ code: String, _ client: Client, _ proof: PKCE, _ resource: String?, at server: TestServer
    ) async throws -> EndpointAnswer {
        var form = TokenRequest.authorizationCode(
            code: Secret(code), redirectURI: client.metadata.redirectURIs?.first, codeVerifier: proof.codeVerifier
        ).parameters
        form.append("resource", resource)
        return try await server.post("/oauth2/token", form, as: client)
    }

    private func refresh(
        _ token: String?, _ client: Client, _ resource: String?, at server: TestServer
    ) async throws -> EndpointAnswer {
        var form = TokenRequest.refreshToken(Secret(token ?? ""), scope: nil).parameters
        form.append("resource", resource)
        return try await server.post("/oauth2/token", form, as: client)
    }

    private func code(_ response: AuthorizationResponse) throws -> String {
        guard case .code(let code) = response.outcome else { throw TestFailure("refused: \(response.outcome)") }
        return code
    }

    @Test func `the page names each service with its address, and asks again for another one`() async throws {
        let server = try await Self.start()
        let browser = server.browser()
        func ask(_ resources: [String], prompt: String? = nil) async throws -> ScriptedBrowser.Screen {
            var request = server.request(TestClients.web, proof: nil)
            request.resource = resources
            request.prompt = prompt
            return try await server.authorize(request, in: browser)
        }
        _ = try await server.signIn(TestClients.web, proof: nil, in: browser)
        #expect(try TestServer.callback(try await ask([], prompt: "none"))?.code != nil)
        let silent = try TestServer.callback(try await ask([Self.api], prompt: "none"))
        #expect(silent?.refusal == .consentRequired, "an earlier yes named no service")
        let page = try await ask([Self.api, Self.bare, server.issuer])
        #expect(page.page == "consent")
        #expect(page.body.contains("Bank &lt;API&gt;") && page.body.contains("(\(Self.api))"))
        #expect(page.body.contains("Use \(Self.bare) on") && !page.body.contains("Use \(server.issuer) on"))
        #expect(try TestServer.callback(try await browser.submit(page, ["action": "allow"]))?.code != nil)
        for resources in [[Self.api], [Self.bare], [Self.bare, Self.api], []] {
            #expect(try TestServer.callback(try await ask(resources, prompt: "none"))?.code != nil, "\(resources)")
        }
        let more = try TestServer.callback(try await ask([Self.api, "https://more.example.com"], prompt: "none"))
        #expect(more?.refusal == .consentRequired)
        await server.stop()
    }

    @Test func `a client of others names no service at redemption or refresh only, and loses nothing by the try`()
        async throws
    {
        let server = try await Self.start()
        let proof = PKCE(ambient: .live)
        let code = try code(try await server.signIn(TestClients.web, proof: proof))
        let refused = try await redeem(code, TestClients.web, proof, Self.api, at: server)
        #expect(refused.status == 400 && refused.error == "invalid_target")
        let answer = try await redeem(code, TestClients.web, proof, nil, at: server)
        #expect(try audience(answer) == [server.issuer], "the code was not spent")
        let token = answer.json["refresh_token"]?.stringValue
        for _ in 0..<2 {
            #expect(try await refresh(token, TestClients.web, Self.api, at: server).error == "invalid_target")
        }
        let own = try await refresh(token, TestClients.web, server.issuer, at: server)
        #expect(try audience(own) == [server.issuer], "this server is what the sign-in was for")
        await server.stop()
    }

    @Test func `after a yes to services a client narrows its tokens to some of them`() async throws {
        let server = try await Self.start()
        let proof = PKCE(ambient: .live)
        let code = try code(
            try await server.signIn(TestClients.web, proof: proof) {
                $0.resource = [Self.api, Self.bare]
                $0.scope = "profile offline_access"
            })
        let answer = try await redeem(code, TestClients.web, proof, Self.api, at: server)
        #expect(try audience(answer) == [Self.api])
        let other = try await refresh(
            answer.json["refresh_token"]?.stringValue, TestClients.web, Self.bare, at: server)
        #expect(try audience(other) == [Self.bare])
        let token = other.json["refresh_token"]?.stringValue
        let more = try await refresh(token, TestClients.web, "https://more.example.com", at: server)
        #expect(more.error == "invalid_target")
        #expect(try Set(audience(try await refresh(token, TestClients.web, nil, at: server))) == [Self.api, Self.bare])
        await server.stop()
    }

    @Test func `the operator's own clients, whose users are not asked, may name a service later`() async throws {
        let server = try await Self.start()
        let proof = PKCE(ambient: .live)
        let code = try code(try await server.signIn(TestClients.portal, proof: proof))
        let answer = try await redeem(code, TestClients.portal, proof, Self.api, at: server)
        #expect(try audience(answer).contains(Self.api))
        let token = answer.json["refresh_token"]?.stringValue
        #expect(try audience(try await refresh(token, TestClients.portal, Self.bare, at: server)).contains(Self.bare))
        await server.stop()
    }

    @Test func `the device's page names the services, and no later request does`() async throws {
        let server = try await Self.start()
        let printer = TestServer.printer
        let plain = try await server.device(printer)
        _ = try await server.allow(plain)
        var form = TokenRequest.deviceCode(Secret(plain.deviceCode)).parameters
        form.append("resource", Self.api)
        server.clock.advance(5)
        #expect(try await server.post("/oauth2/token", form, as: printer).error == "invalid_target")
        server.clock.advance(5)
        let without = try await server.poll(plain, as: printer)
        #expect(try audience(without) == [server.issuer], "the try has taken nothing")
        let later = try await refresh(without.json["refresh_token"]?.stringValue, printer, Self.api, at: server)
        #expect(later.error == "invalid_target")
        let named = try await server.device(printer, others: ["resource": Self.api])
        let browser = server.browser()
        let question = try await server.question(named.userCode, in: browser)
        #expect(question.body.contains("Bank &lt;API&gt;") && question.body.contains("(\(Self.api))"))
        _ = try await browser.submit(question, ["action": "allow"])
        server.clock.advance(5)
        #expect(try audience(try await server.poll(named, as: printer)).contains(Self.api))
        let consents = server.services.stores.consents
        let agreed = try await consents.consent(of: TestServer.subject, to: printer.id)
        #expect(agreed.resources == [Self.api])
        await server.stop()
    }

    @Test func `a client of others exchanges a user's token for no other service`() async throws {
        let partner = TestClients.make(
            "partner", method: "client_secret_post", secret: TestClients.webSecret
        ) { $0.grantTypes = ["authorization_code", "refresh_token", GrantType.tokenExchange.rawValue] }
        let fixture = try await ServiceFixture.start(more: [partner])
        let tokens = try await fixture.server.tokens(partner)
        let there = try await fixture.exchange(tokens.accessToken, as: partner, resource: [ServiceFixture.api])
        #expect(there.error == "invalid_target")
        let own = try await fixture.server.tokens(fixture.app)
        let control = try await fixture.exchange(own.accessToken, as: fixture.app, resource: [ServiceFixture.api])
        #expect(try audience(control) == [ServiceFixture.api])
        await fixture.server.stop()
    }

    @Test func `no client that registered itself gives a service its name`() async throws {
        let server = try await Self.start()
        var metadata = ClientMetadata()
        metadata.clientName = "Your bank"
        let liar = Client(
            id: "a-liar", metadata: metadata, secretDigests: [], resources: [Self.api, Self.bare],
            registration: ClientRegistration(
                tokenDigest: SecretDigest(of: Secret("of the registration")), registeredAt: server.clock.now))
        try await server.services.stores.clients.put(liar, at: server.clock.now)
        try await server.services.clients.reload()
        let named = server.services.clients.named([Self.api, Self.bare])
        #expect(named == [NamedResource(uri: Self.api, name: "Bank <API>"), NamedResource(uri: Self.bare)])
        await server.stop()
    }
}
