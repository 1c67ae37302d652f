import KeyturnBase
import KeyturnJose
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("FAPI 2.0 Security Profile: a client with profile fapi2")
struct FAPIProfileTests {
    private let signer: SigningClient
    private let client: Client

    init() throws {
        signer = try SigningClient()
        client = signer.client(profile: .fapi2, method: "private_key_jwt") { $0.idTokenSignedResponseAlg = nil }
    }

    private func post(
        _ server: TestServer, _ path: String, _ form: FormParameters, assertion: String? = nil, proof: String? = nil
    ) async throws -> EndpointAnswer {
        var form = form
        form.append("client_assertion_type", ClientAssertionType.jwtBearer)
        form.append("client_assertion", try assertion ?? signer.assertion(server))
        return try await server.post(path, form, headers: proof.map { [("DPoP", $0)] } ?? [])
    }

    private func code(
        _ server: TestServer, _ pkce: PKCE?, _ change: (inout AuthorizationRequest) -> Void = { _ in }
    ) async throws -> String {
        var request = server.request(client, proof: pkce)
        change(&request)
        let pushed = try await post(server, "/oauth2/par", request.parameters)
        #expect(pushed.status == 201, "\(pushed.body)")
        let browser = server.browser()
        let reference = try #require(pushed.json["request_uri"]?.stringValue)
        let screen = try await server.complete(
            try await server.visit(reference, client.id, in: browser), in: browser)
        return try #require(try TestServer.callback(screen)?.code)
    }

    private func redemption(_ code: String, _ pkce: PKCE?) -> FormParameters {
        TokenRequest.authorizationCode(
            code: Secret(code), redirectURI: TestClients.callback, codeVerifier: pkce?.codeVerifier
        ).parameters
    }

    @Test func `what it does in order leads to tokens that are bound to its key`() async throws {
        let server = try await TestServer.start(clients: [client])
        let prover = Prover(server)
        let pkce = PKCE(ambient: .live)
        let code = try await code(server, pkce)
        let answer = try await post(server, "/oauth2/token", redemption(code, pkce), proof: try prover.proof())
        #expect(answer.status == 200 && answer.json["token_type"] == "DPoP", "\(answer.body)")
        #expect(
            answer.json["cnf"]?["jkt"]?.stringValue == (try prover.thumbprint), "the refresh token is bound as well")
        let idToken = try #require(answer.json["id_token"]?.stringValue)
        #expect(try UnverifiedJWS(idToken).header.algorithm == .es256)
        let refresh = TokenRequest.refreshToken(Secret(answer.json["refresh_token"]?.stringValue ?? "")).parameters
        let other = try await post(server, "/oauth2/token", refresh, proof: try Prover(server).proof())
        #expect(other.error == "invalid_grant")
        let none = try await post(server, "/oauth2/token", refresh)
        #expect(none.error == "invalid_dpop_proof")
        for _ in 0..<2 {
            let again = try await post(server, "/oauth2/token", refresh, proof: try prover.proof())
            #expect(again.status == 200, "it is not rotated: \(again.body)")
        }
        await server.stop()
    }

    @Test func `everything that it must do, it must do`() async throws {
        let server = try await TestServer.start(clients: [client])
        let prover = Prover(server)
        let pkce = PKCE(ambient: .live)
        let bare = try await server.authorize(server.request(client, proof: pkce), in: server.browser())
        #expect(try TestServer.callback(bare)?.refusal == .invalidRequest, "requests are pushed")
        let object = try signer.object(server.request(client, proof: pkce), server)
        let form = FormParameters([
            "client_id": client.id, "request": object, "redirect_uri": TestClients.callback,
        ])
        let signed = try await server.browser().open("/oauth2/authorize?\(form.encoded)")
        #expect(try TestServer.callback(signed)?.refusal == .invalidRequest, "signed ones as well")
        let changes: [(String, (inout AuthorizationRequest) -> Void)] = [
            (
                "no challenge",
                {
                    $0.codeChallenge = nil; $0.codeChallengeMethod = nil
                }
            ),
            (
                "no address",
                {
                    $0.redirectURI = nil; $0.scope = "email"
                }
            ),
            ("a token through the browser", { $0.responseType = "code id_token" }),
        ]
        for (name, change) in changes {
            var request = server.request(client, proof: pkce)
            change(&request)
            #expect(try await post(server, "/oauth2/par", request.parameters).status == 400, "\(name)")
        }
        let code = try await code(server, pkce)
        let unproved = try await post(server, "/oauth2/token", redemption(code, pkce))
        #expect(unproved.error == "invalid_dpop_proof", "tokens are bound")
        var bearer = redemption(code, pkce)
        bearer.append("dpop_bound_access_tokens", "false")
        let declined = try await post(server, "/oauth2/token", bearer, proof: try prover.proof())
        #expect(declined.json["token_type"] == "DPoP", "it cannot decline that")
        await server.stop()
    }

    @Test func `28: a code is good for sixty seconds`() async throws {
        let server = try await TestServer.start(clients: [client])
        let prover = Prover(server)
        let pkce = PKCE(ambient: .live)
        let code = try await code(server, pkce)
        server.clock.advance(60)
        let late = try await post(server, "/oauth2/token", redemption(code, pkce), proof: try prover.proof())
        #expect(late.error == "invalid_grant")
        await server.stop()
    }

    @Test func `33: RS256 is refused, in statements and in requests, and nbf is needed`() async throws {
        let weak = try SigningClient("weak", .rs256)
        let server = try await TestServer.start(
            clients: [client, weak.client(profile: .fapi2, method: "private_key_jwt")])
        var form = server.request(client, proof: PKCE(ambient: .live)).parameters
        let refused = try await server.post(
            "/oauth2/par",
            FormParameters([
                "client_assertion_type": ClientAssertionType.jwtBearer, "client_assertion": try weak.assertion(server),
            ]))
        #expect(refused.status == 401 && refused.error == "invalid_client")
        let object = try signer.object(server.request(client, proof: PKCE(ambient: .live)), server) {
            $0["nbf"] = nil
        }
        form = FormParameters(["client_id": client.id, "request": object])
        #expect(try await post(server, "/oauth2/par", form).error == "invalid_request_object")
        await server.stop()
    }
}
