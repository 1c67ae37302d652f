import Foundation
import Identity
import KeyturnBase
import KeyturnJose
import KeyturnWire
import Model
import OAuth
import ServerTesting
import Testing

@Suite("Clients of Authgear")
struct AuthgearProfileTests {
    private static let app = profiled("authgear")
    private static let other = profiled("authgear-too")

    private static let sharing = profiled("authgear-sso", ClientProfile.authgearScopes + [Scope.deviceSSO])

    private static func profiled(_ id: String, _ scopes: [String] = ClientProfile.authgearScopes) -> Client {
        let client = TestClients.make(id, method: "none", secret: nil, firstParty: true, native: true) {
            $0.scope = scopes.joined(separator: " ")
        }
        return Client(
            id: client.id, metadata: client.metadata, secretDigests: [], isFirstParty: true, profile: .authgear)
    }

    private static let scope = ClientProfile.authgearScopes.joined(separator: " ")

    private func start() async throws -> TestServer {
        try await TestServer.start(clients: [Self.app, Self.other])
    }

    /// Signs in in a browser and redeems the code with a proof.
    private func tokens(
        _ prover: Prover, _ client: Client = app, _ change: (inout AuthorizationRequest) -> Void = { _ in }
    ) async throws -> EndpointAnswer {
        let pkce = PKCE(ambient: .live)
        let response = try await prover.server.signIn(client, proof: pkce) {
            $0.scope = Self.scope
            change(&$0)
        }
        guard case .code(let code) = response.outcome else { throw TestFailure("refused: \(response.outcome)") }
        return try await prover.redeem(code, client, pkce, prover.proof())
    }

    private func claims(_ answer: EndpointAnswer, _ name: String) throws -> JSONValue {
        let token = try #require(answer.json[name]?.stringValue, "\(answer.body)")
        return try JSONValue(parsing: try UnverifiedJWS(token).unverifiedPayload)
    }

    @Test func `a proof binds the refresh token, and the access token is a bearer's`() async throws {
        let server = try await start()
        let prover = Prover(server)
        let answer = try await tokens(prover)
        #expect(answer.json["token_type"] == "Bearer" && answer.json["cnf"]?["jkt"] != nil)
        #expect(try claims(answer, "access_token")["cnf"] == nil)
        let access = answer.json["access_token"]?.stringValue ?? ""
        let proof = try prover.proof(method: "GET", path: "/oauth2/userinfo")
        let info = try await prover.userInfo(access, scheme: "Bearer", proof)
        #expect(info.status == 200 && info.json[UserClaims.canReauthenticate] == true, "\(info.body)")
        #expect(info.json[AuthgearNames.isAnonymous] == false && info.json["custom_attributes"] == [:])
        let refresh = answer.json["refresh_token"]?.stringValue
        #expect(try await prover.refresh(refresh, Self.app, nil).error == "invalid_grant")
        let renewed = try await prover.refresh(refresh, Self.app, prover.proof())
        #expect(renewed.status == 200 && renewed.json["token_type"] == "Bearer")
        await server.stop()
    }

    @Test func `no nonce is asked for, not in the first second either, and a proof is good once`() async throws {
        let server = try await start()
        let prover = Prover(server)
        let refresh = try await tokens(prover).json["refresh_token"]?.stringValue
        for seconds in [-300, 300] as [Int64] {
            let proof = try prover.proof(secondsOff: seconds)
            #expect(try await prover.refresh(refresh, Self.app, proof).status == 200, "\(seconds)")
            #expect(try await prover.refresh(refresh, Self.app, proof).error == "invalid_dpop_proof", "used before")
        }
        for seconds in [-301, 301] as [Int64] {
            let proof = try prover.proof(secondsOff: seconds)
            #expect(try await prover.refresh(refresh, Self.app, proof).error == "invalid_dpop_proof", "\(seconds)")
        }
        // A proof that is as far ahead as it may be is remembered until its end.
        let ahead = try prover.proof(secondsOff: 300)
        #expect(try await prover.refresh(refresh, Self.app, ahead).status == 200)
        server.clock.advance(600)
        #expect(try await prover.refresh(refresh, Self.app, ahead).error == "invalid_dpop_proof")
        await server.stop()
    }

    @Test func `who proves it again does so for the session of the hint, its client and its key alone`() async throws {
        let server = try await start()
        let phone = Prover(server)
        let tablet = Prover(server)
        let first = try await tokens(phone)
        let second = try await tokens(tablet)
        let third = try await tokens(phone, Self.other)
        let before = try claims(first, "id_token")["auth_time"]?.integerValue
        server.clock.advance(60)
        func again(_ prover: Prover, hint: EndpointAnswer) async throws -> EndpointAnswer {
            let token = hint.json["id_token"]?.stringValue
            return try await tokens(prover) {
                $0.scope = "openid \(AuthgearNames.fullAccess)"
                $0.idTokenHint = token
                $0.maxAge = "0"
            }
        }
        func time(_ answer: EndpointAnswer, _ prover: Prover, _ client: Client = Self.app) async throws -> Int64? {
            let renewed = try await prover.refresh(answer.json["refresh_token"]?.stringValue, client, prover.proof())
            return try claims(renewed, "id_token")["auth_time"]?.integerValue
        }
        // Another device's key raises nothing, although the hint names the session.
        let stolen = try await again(tablet, hint: first)
        #expect(stolen.status == 200 && stolen.json["refresh_token"] == nil)
        #expect(try await time(first, phone) == before)
        let proved = try await again(phone, hint: first)
        #expect(proved.status == 200 && proved.json["refresh_token"] == nil, "\(proved.body)")
        #expect(try claims(proved, "id_token")["sid"] == claims(first, "id_token")["sid"])
        #expect(try await time(first, phone) == server.clock.now.rawValue)
        #expect(try await time(second, tablet) == before)
        #expect(try await time(third, phone, Self.other) == before)
        await server.stop()
    }

    @Test func `a session that has ended is not brought back by proving it again`() async throws {
        let server = try await start()
        let prover = Prover(server)
        let first = try await tokens(prover)
        let form = FormParameters(["token": first.json["refresh_token"]?.stringValue])
        #expect(try await server.post("/oauth2/revoke", form).status == 200)
        let proved = try await tokens(prover) {
            $0.scope = "openid \(AuthgearNames.fullAccess)"
            $0.idTokenHint = first.json["id_token"]?.stringValue
            $0.maxAge = "0"
        }
        #expect(proved.status == 200)
        #expect(try claims(proved, "id_token")["sid"] != claims(first, "id_token")["sid"])
        let refresh = first.json["refresh_token"]?.stringValue
        #expect(try await prover.refresh(refresh, Self.app, prover.proof()).error == "invalid_grant")
        await server.stop()
    }

    @Test func `what came of proving it again ends with its access token`() async throws {
        let server = try await start()
        let prover = Prover(server)
        let first = try await tokens(prover)
        let proved = try await tokens(prover) {
            $0.scope = "openid \(AuthgearNames.fullAccess)"
            $0.idTokenHint = first.json["id_token"]?.stringValue
            $0.maxAge = "0"
        }
        let access = proved.json["access_token"]?.stringValue ?? ""
        #expect(try await prover.userInfo(access, scheme: "Bearer", nil).status == 200)
        server.clock.advance(server.services.project.accessTokenSeconds)
        #expect(try await prover.userInfo(access, scheme: "Bearer", nil).status == 401)
        await server.stop()
    }

    @Test func `a device secret comes with an ID token only where the session is bound`() async throws {
        let server = try await TestServer.start(clients: [Self.sharing])
        let scope = Self.scope + " " + Scope.deviceSSO
        func renew(_ access: String, _ proof: String?) async throws -> JSONValue {
            let headers = [("Authorization", "Bearer \(access)")] + (proof.map { [("DPoP", $0)] } ?? [])
            let form = FormParameters(["grant_type": GrantType.idToken.rawValue])
            let answer = try await server.post("/oauth2/token", form, as: Self.sharing, headers: headers)
            #expect(answer.status == 200, "\(answer.body)")
            return answer.json
        }
        let prover = Prover(server)
        let bound = try await tokens(prover, Self.sharing) { $0.scope = scope }
        let access = bound.json["access_token"]?.stringValue ?? ""
        #expect(try await renew(access, prover.proof())["device_secret"] != nil)
        // A token for less, of the same session.
        let form = TokenRequest.refreshToken(
            Secret(bound.json["refresh_token"]?.stringValue ?? ""), scope: "openid"
        ).parameters
        let lesser = try await server.post(
            "/oauth2/token", form, as: Self.sharing, headers: [("DPoP", try prover.proof())])
        let token = try #require(lesser.json["access_token"]?.stringValue, "\(lesser.body)")
        #expect(try await renew(token, prover.proof())["device_secret"] == nil)
        // A session without a key: whoever copies its access token must not begin others.
        let pkce = PKCE(ambient: .live)
        let response = try await server.signIn(Self.sharing, proof: pkce) { $0.scope = scope }
        guard case .code(let code) = response.outcome else { throw TestFailure("refused: \(response.outcome)") }
        let plain = try await prover.redeem(code, Self.sharing, pkce, nil)
        let bearer = try #require(plain.json["access_token"]?.stringValue, "\(plain.body)")
        #expect(try await renew(bearer, nil)["device_secret"] == nil)
        await server.stop()
    }

    @Test func `an ID token comes anew of the app's own access token and key alone`() async throws {
        let server = try await start()
        let prover = Prover(server)
        let first = try await tokens(prover)
        let access = first.json["access_token"]?.stringValue ?? ""
        func renew(_ client: Client, _ token: String, _ proof: String?) async throws -> EndpointAnswer {
            var headers = [("Authorization", "Bearer \(token)")]
            if let proof { headers.append(("DPoP", proof)) }
            let form = FormParameters(["grant_type": GrantType.idToken.rawValue])
            return try await server.post("/oauth2/token", form, as: client, headers: headers)
        }
        let renewed = try await renew(Self.app, access, prover.proof())
        #expect(renewed.status == 200 && renewed.json.objectValue?.keys.sorted() == ["id_token"], "\(renewed.body)")
        #expect(try claims(renewed, "id_token")["sid"] == claims(first, "id_token")["sid"])
        #expect(try await renew(Self.app, access, nil).error == "invalid_dpop_proof", "a stolen access token")
        #expect(try await renew(Self.app, access, Prover(server).proof()).error == "invalid_dpop_proof")
        #expect(try await renew(Self.other, access, prover.proof()).error == "invalid_grant")
        #expect(try await renew(TestClients.tool, access, prover.proof()).error == "unauthorized_client")
        await server.stop()
    }
}
