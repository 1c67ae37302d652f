import KeyturnBase
import KeyturnWire
import ServerTesting
import Testing

@Suite("Tokens that come back: UserInfo, introspection, revocation")
struct PresentedTokenTests {
    @Test func `attack 66: a token in the address is not looked at`() async throws {
        let server = try await TestServer.start()
        let token = try await server.tokens(TestClients.web).accessToken
        #expect(try await server.get("/oauth2/userinfo?access_token=\(token)").status == 401)
        await server.stop()
    }

    @Test func `attack 67: a token for another resource is not good here`() async throws {
        let server = try await TestServer.start()
        let tokens = try await server.tokens(TestClients.web) {
            $0.scope = "profile api.read"
            $0.resource = ["https://api.example.com/"]
        }
        #expect(try await server.get("/oauth2/userinfo", token: tokens.accessToken).status == 401)
        await server.stop()
    }

    @Test func `attack 68: a client's own subject is never a user's`() async throws {
        let server = try await TestServer.start()
        let form = FormParameters(["grant_type": "client_credentials"])
        let token = try #require(
            try await server.post("/oauth2/token", form, as: TestClients.web).json["access_token"]?.stringValue)
        let claims = try JSONValue(parsing: try #require(Base64URL.decode(token.split(separator: ".")[1])))
        #expect(claims["sub"]?.stringValue == "client:web")
        #expect(try await server.get("/oauth2/userinfo", token: token).status == 401)
        await server.stop()
    }

    @Test func `attack 69: to an unrelated client a token does not exist`() async throws {
        let server = try await TestServer.start()
        let tokens = try await server.tokens(TestClients.web)
        for token in [tokens.accessToken, tokens.refreshToken ?? ""] {
            let form = FormParameters(["token": token])
            let stranger = try await server.post("/oauth2/introspect", form, as: TestClients.other)
            #expect(stranger.body == #"{"active":false}"#)
            #expect(try await server.post("/oauth2/introspect", form, as: TestClients.web).json["active"] == true)
        }
        await server.stop()
    }

    @Test func `attack 70: revoking a foreign token answers 200 and does nothing`() async throws {
        let server = try await TestServer.start()
        let tokens = try await server.tokens(TestClients.web)
        for token in [tokens.accessToken, tokens.refreshToken ?? "", "rubbish"] {
            let form = FormParameters(["token": token])
            #expect(try await server.post("/oauth2/revoke", form, as: TestClients.other).status == 200)
        }
        #expect(try await server.get("/oauth2/userinfo", token: tokens.accessToken).status == 200)
        #expect(try await server.refresh(tokens.refreshToken, TestClients.web).status == 200)
        await server.stop()
    }

    @Test func `revoking any token of a grant ends the grant`() async throws {
        let server = try await TestServer.start()
        for pick in [\TokenResponse.accessToken, \TokenResponse.refreshToken!] {
            let tokens = try await server.tokens(TestClients.web)
            let form = FormParameters(["token": tokens[keyPath: pick]])
            #expect(try await server.post("/oauth2/revoke", form, as: TestClients.web).status == 200)
            #expect(try await server.get("/oauth2/userinfo", token: tokens.accessToken).status == 401)
            #expect(try await server.refresh(tokens.refreshToken, TestClients.web).error == "invalid_grant")
        }
        let grant = FormParameters(["grant_type": "client_credentials"])
        let own = try await server.post("/oauth2/token", grant, as: TestClients.web).json["access_token"]?.stringValue
        let form = FormParameters(["token": own])
        #expect(try await server.post("/oauth2/introspect", form, as: TestClients.web).json["active"] == true)
        _ = try await server.post("/oauth2/revoke", form, as: TestClients.web)
        #expect(try await server.post("/oauth2/introspect", form, as: TestClients.web).json["active"] == false)
        await server.stop()
    }
}
