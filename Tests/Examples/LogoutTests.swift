import HTTPTypes
import Hummingbird
import HummingbirdTesting
import KeyturnTesting
import KeyturnVerify
import Testing

/// The file in `Examples` that takes logout notices, told by a real server over HTTP.
@Suite("The route for logout notices that the README names")
struct LogoutTests {
    private func application(_ server: TestServer) -> some ApplicationProtocol {
        let ambient = server.clock.ambient
        let keys = KeySet(issuer: server.issuer)
        let revocations = SessionRevocations()
        let logout = Logout(
            verifier: LogoutTokenVerifier(issuer: server.issuer, clientID: "told", keys: keys),
            revocations: revocations, ambient: ambient)
        let middleware = TokenMiddleware(
            verifier: TokenVerifier(
                issuer: server.issuer, audience: server.issuer, keys: keys, revocations: revocations),
            dpop: DPoPVerifier(ambient: ambient),
            resource: ProtectedResource(
                resource: "https://api.example.com", authorizationServers: [server.issuer]),
            address: "https://api.example.com", ambient: ambient)
        let router = Router(context: APIContext.self)
        router.post("logged-out", use: logout.answer)
        router.group().add(middleware: middleware).get("me") { _, context in try context.token.subject }
        return Application(router: router)
    }

    @Test func `a session that is signed out opens nothing more, long before its token expires`() async throws {
        let bea = TestUser("bea@example.com")
        try await withTestServer(users: [.andy, bea]) { server in
            try await application(server).test(.live) { backend in
                var client = TestClient("told", secret: "web-secret-web-secret-web-secret")
                client.backchannelLogoutURI = "http://127.0.0.1:\(try #require(backend.port))/logged-out"
                try await server.register(client)
                let token = try await server.accessToken(client: client)
                let other = try await server.accessToken(for: bea.email, client: client)
                func status(_ token: String) async throws -> Int {
                    try await backend.execute(
                        uri: "/me", method: .get, headers: [.authorization: "Bearer \(token)"]
                    ).status.code
                }
                #expect(try await status(token) == 200)
                try await server.endSessions(of: "andy@example.com")
                #expect(try await status(token) == 401)
                #expect(try await status(other) == 200, "another user's session goes on")
                for form in ["logout_token=\(token)", "logout_token=rubbish", "other=1", ""] {
                    let answer = try await backend.execute(
                        uri: "/logged-out", method: .post,
                        headers: [.contentType: "application/x-www-form-urlencoded"], body: ByteBuffer(string: form))
                    #expect(answer.status == .badRequest, "\(form)")
                }
            }
        }
    }
}
