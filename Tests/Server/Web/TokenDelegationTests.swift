import Foundation
import Identity
import KeyturnBase
import KeyturnWire
import Model
import OAuth
import ServerTesting
import Testing

@Suite("Tokens that travel on: actors, services, keys")
struct TokenDelegationTests {
    private func isActive(_ token: String?, _ fixture: ServiceFixture, as client: Client) async throws -> Bool? {
        let form = FormParameters(["token": token])
        return try await fixture.server.post("/oauth2/introspect", form, as: client).json["active"]?.boolValue
    }

    private func access(_ answer: EndpointAnswer) throws -> String {
        try #require(answer.json["access_token"]?.stringValue, "\(answer.body)")
    }

    private func service(_ fixture: ServiceFixture) async throws -> String {
        try access(try await fixture.token(["grant_type": "client_credentials"], as: fixture.service))
    }

    @Test func `delegation: a backend goes on with a token that is meant for it, and is named as the actor`()
        async throws
    {
        let fixture = try await ServiceFixture.start()
        let tokens = try await fixture.server.tokens(fixture.app) {
            $0.scope = "profile api.read"
            $0.resource = [ServiceFixture.api]
        }
        let answer = try await fixture.exchange(
            tokens.accessToken, as: fixture.backend, resource: [ServiceFixture.downstream])
        let claims = try ServiceFixture.claims(answer)
        #expect(claims["act"] == ["sub": "client:backend"] && claims["client_id"] == "backend")
        #expect(claims["aud"]?.stringValue == ServiceFixture.downstream && claims["scope"] == "profile api.read")
        #expect(claims["sub"]?.stringValue == TestServer.subject.rawValue)
        #expect(try await fixture.server.audited().contains("token.exchanged"))
        let stranger = try await fixture.exchange(tokens.accessToken, as: fixture.service)
        #expect(stranger.error == "unauthorized_client", "it is neither the service's nor meant for it")
        for service in [fixture.server.issuer, "https://never.heard.example", "app"] {
            let answer = try await fixture.exchange(tokens.accessToken, as: fixture.backend) {
                $0.audience = [service]
            }
            #expect(answer.error == "invalid_target", "67: \(service)")
        }
        let own = try await fixture.exchange(tokens.accessToken, as: fixture.backend)
        #expect(try ServiceFixture.claims(own)["aud"]?.stringValue == ServiceFixture.api)
        await fixture.server.stop()
    }

    @Test func `65: what a backend makes of a bound token is bound to the backend's key`() async throws {
        let fixture = try await ServiceFixture.start()
        let prover = Prover(fixture.server)
        let proof = PKCE(ambient: .live)
        let response = try await fixture.server.signIn(fixture.app, proof: proof) {
            $0.resource = [ServiceFixture.api]
            $0.scope = "api.read"
        }
        guard case .code(let code) = response.outcome else { throw TestFailure("refused: \(response.outcome)") }
        let token = try access(try await prover.redeem(code, fixture.app, proof, prover.proof()))
        #expect(try await fixture.exchange(token, as: fixture.backend).error == "invalid_dpop_proof")
        let form = TokenRequest.tokenExchange(TokenExchangeRequest(subjectToken: Secret(token))).parameters
        let backend = Prover(fixture.server)
        var declining = form
        declining.append("dpop_bound_access_tokens", "false")
        let declined = try await fixture.server.post(
            "/oauth2/token", declining, as: fixture.backend, headers: [("DPoP", try backend.proof())])
        #expect(declined.error == "invalid_dpop_proof")
        let answer = try await fixture.server.post(
            "/oauth2/token", form, as: fixture.backend, headers: [("DPoP", try backend.proof())])
        #expect(try ServiceFixture.claims(answer)["cnf"]?["jkt"]?.stringValue == backend.thumbprint)
        await fixture.server.stop()
    }

    @Test func `67: two exchanges lead nowhere that one does not`() async throws {
        let fixture = try await ServiceFixture.start()
        let tokens = try await fixture.server.tokens(fixture.app) {
            $0.scope = "openid profile api.read"
            $0.resource = [ServiceFixture.api]
        }
        let there = try await fixture.exchange(
            tokens.accessToken, as: fixture.app, resource: [ServiceFixture.downstream])
        #expect(there.error == "invalid_target")
        let narrowed = try await fixture.exchange(tokens.accessToken, as: fixture.app) {
            $0.audience = [fixture.server.issuer]
        }
        let around = try await fixture.exchange(
            access(narrowed), as: fixture.app, resource: [ServiceFixture.downstream])
        #expect(around.error == "invalid_target")
        await fixture.server.stop()
    }

    @Test func `what was made of a token ends with the right that it rests on`() async throws {
        let fixture = try await ServiceFixture.start()
        let user = try await fixture.token(
            [
                "grant_type": "client_credentials", "box_subject_type": "user",
                "box_subject_id": TestServer.subject.rawValue, "resource": ServiceFixture.api,
            ], as: fixture.service)
        let handed = try await fixture.exchange(access(user), as: fixture.backend)
        #expect(try await isActive(access(handed), fixture, as: fixture.backend) == true)
        let stores = fixture.server.services.stores
        let now = fixture.server.clock.now
        try await stores.clients.put(fixture.service.acting([]), at: now)
        try await fixture.server.services.clients.reload()
        #expect(try await isActive(access(user), fixture, as: fixture.backend) == false, "the right was withdrawn")
        #expect(try await isActive(access(handed), fixture, as: fixture.backend) == false)
        try await stores.clients.put(fixture.service, at: now)
        try await fixture.server.services.clients.reload()
        #expect(try await isActive(access(handed), fixture, as: fixture.backend) == true)
        _ = try await stores.users.change(TestServer.subject, at: now) { $0.memberships.tenants = [:] }
        #expect(try await isActive(access(handed), fixture, as: fixture.backend) == false, "they left the enterprise")
        _ = try await stores.clients.remove("service", at: now)
        try await fixture.server.services.clients.reload()
        #expect(try await fixture.exchange(access(user), as: fixture.backend).error == "invalid_request")
        await fixture.server.stop()
    }

    @Test func `delegation: an actor's token names who acts, the newest outermost`() async throws {
        let fixture = try await ServiceFixture.start()
        let user = try await fixture.token(
            [
                "grant_type": "client_credentials", "box_subject_type": "user",
                "box_subject_id": TestServer.subject.rawValue,
            ], as: fixture.service)
        let actor = try await service(fixture)
        let answer = try await fixture.exchange(access(user), as: fixture.service) {
            $0.actorToken = Secret(actor)
            $0.actorTokenType = .accessToken
        }
        #expect(try ServiceFixture.claims(answer)["act"] == ["sub": "client:service"], "who acts already acts once")
        _ = try await fixture.server.post("/oauth2/revoke", FormParameters(["token": actor]), as: fixture.service)
        #expect(
            try await isActive(access(answer), fixture, as: fixture.service) == false, "it ends with the actor's token")
        let laundered = try await fixture.exchange(access(user), as: fixture.service) {
            $0.actorToken = Secret(user.json["access_token"]?.stringValue ?? "")
            $0.actorTokenType = .accessToken
        }
        #expect(laundered.error == "invalid_request", "nobody acts in the name of somebody who did nothing")
        let nameless = try await fixture.exchange(access(user), as: nil) {
            $0.actorToken = Secret(actor)
            $0.actorTokenType = .accessToken
        }
        #expect(nameless.error == "invalid_request", "who acts must authenticate")
        let half = try await fixture.exchange(access(user), as: fixture.service) { $0.actorToken = Secret(actor) }
        #expect(half.error == "invalid_request")
        await fixture.server.stop()
    }

    @Test func `65: a token that is bound to a key is exchanged with a proof of it, and stays bound`() async throws {
        let fixture = try await ServiceFixture.start()
        let prover = Prover(fixture.server)
        let tokens = try await prover.tokens(fixture.app)
        #expect(tokens.tokenType == "DPoP")
        #expect(try await fixture.exchange(tokens.accessToken, as: fixture.app).error == "invalid_dpop_proof")
        #expect(try await fixture.exchange(tokens.accessToken, as: nil).error == "invalid_dpop_proof")
        let form = TokenRequest.tokenExchange(TokenExchangeRequest(subjectToken: Secret(tokens.accessToken))).parameters
        let thief = try await fixture.server.post(
            "/oauth2/token", form, headers: [("DPoP", try Prover(fixture.server).proof())])
        #expect(thief.error == "invalid_request", "65: another key")
        var declining = form
        declining.append("dpop_bound_access_tokens", "false")
        for form in [form, declining] {
            let answer = try await fixture.server.post("/oauth2/token", form, headers: [("DPoP", try prover.proof())])
            #expect(try ServiceFixture.claims(answer)["cnf"]?["jkt"]?.stringValue == prover.thumbprint)
            #expect(answer.json["token_type"] == "DPoP")
        }
        await fixture.server.stop()
    }

    @Test func `details of what was granted are named again by whoever narrows a token or takes it on`() async throws {
        let fixture = try await ServiceFixture.start(project: {
            Project(id: "test", name: "Test", issuer: $0, authorizationDetailTypes: ["payment"])
        })
        let payment = #"[{"type":"payment","actions":["read"],"locations":["https://api.example.com"]}]"#
        let tokens = try await fixture.server.tokens(fixture.app) {
            $0.scope = "profile api.read"
            $0.resource = [ServiceFixture.api]
            $0.authorizationDetails = payment
        }
        func exchange(_ client: Client?, _ change: (inout TokenExchangeRequest) -> Void) async throws -> EndpointAnswer
        {
            try await fixture.exchange(tokens.accessToken, as: client, change)
        }
        #expect(try await exchange(nil) { _ in }.json["authorization_details"]?.arrayValue?.count == 1)
        #expect(try await exchange(nil) { $0.scope = "profile" }.json["authorization_details"] == nil)
        let named = try await exchange(nil) {
            $0.scope = "profile"
            $0.authorizationDetails = payment
        }
        #expect(named.json["authorization_details"]?.arrayValue?.count == 1)
        for widened in [
            #"[{"type":"payment","actions":["read"],"locations":["https://api.example.com"],"privileges":["admin"]}]"#,
            #"[{"type":"payment","actions":[],"locations":["https://api.example.com"]}]"#,
            #"[{"type":"payment","locations":["https://api.example.com"]}]"#,
            String(payment.dropLast()) + "," + payment.dropFirst(),
        ] {
            let answer = try await exchange(nil) { $0.authorizationDetails = widened }
            #expect(answer.error == "invalid_authorization_details", "\(widened)")
        }
        let taken = try await exchange(fixture.backend) { $0.resource = [ServiceFixture.downstream] }
        #expect(taken.status == 200 && taken.json["authorization_details"] == nil)
        let insisting = try await exchange(fixture.backend) { $0.authorizationDetails = payment }
        #expect(insisting.error == "invalid_authorization_details", "a backend that registered no type")
        await fixture.server.stop()
    }

    @Test func `what somebody acts with ends with their sign-in, at this server's own resources too`() async throws {
        let fixture = try await ServiceFixture.start()
        let subject = try await fixture.server.tokens(fixture.app)
        let actor = try await fixture.server.tokens(fixture.app)
        let answer = try await fixture.exchange(subject.accessToken, as: fixture.app) {
            $0.actorToken = Secret(actor.accessToken)
            $0.actorTokenType = .accessToken
        }
        let token = try access(answer)
        #expect(try await fixture.server.get("/oauth2/userinfo", token: token).status == 200)
        #expect(try await isActive(token, fixture, as: fixture.app) == true)
        _ = try await fixture.server.post(
            "/oauth2/revoke", FormParameters(["token": actor.refreshToken]), as: fixture.app)
        #expect(try await isActive(token, fixture, as: fixture.app) == false)
        #expect(try await fixture.server.get("/oauth2/userinfo", token: token).status == 401)
        #expect(try await fixture.server.get("/oauth2/userinfo", token: subject.accessToken).status == 200)
        await fixture.server.stop()
    }
}
