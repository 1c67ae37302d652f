import Delivery
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Identity
import KeyturnVerify
import Model
import OAuth
import ServerTesting
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
        let server = try await TestServer.start()
        let services = server.services
        try await application(server).test(.live) { backend in
            let port = try #require(backend.port)
            let client = TestClients.make("told", method: "client_secret_basic", secret: TestClients.webSecret) {
                $0.backchannelLogoutURI = "http://127.0.0.1:\(port)/logged-out"
            }
            try await services.stores.clients.put(client, at: server.clock.now)
            try await services.clients.reload()
            let token = try await server.tokens(client).accessToken
            let other = try await server.tokens(client).accessToken
            func status(_ token: String) async throws -> Int {
                try await backend.execute(
                    uri: "/me", method: .get, headers: [.authorization: "Bearer \(token)"]
                ).status.code
            }
            #expect(try await status(token) == 200)
            let verified = try await TokenVerifier(
                issuer: server.issuer, audience: server.issuer, keys: KeySet(issuer: server.issuer)
            ).verify(token, at: server.clock.now)
            let session = SessionID(rawValue: try #require(verified.sessionID))
            #expect(try await services.stores.sessions.end(session, of: TestServer.subject, at: server.clock.now))
            #expect(try await status(token) == 200, "the backend does not know yet")
            let sender = LogoutNoticeSender(
                notices: services.logoutNotices, transport: BackchannelLogout(issuer: server.issuer),
                ambient: server.clock.ambient, report: { _ in })
            #expect(await sender.deliverDue() == 1)
            #expect(sender.counters.values.sent == 1)
            #expect(try await status(token) == 401)
            #expect(try await status(other) == 200, "another browser's session goes on")
            for form in ["logout_token=\(token)", "logout_token=rubbish", "other=1", ""] {
                let answer = try await backend.execute(
                    uri: "/logged-out", method: .post,
                    headers: [.contentType: "application/x-www-form-urlencoded"], body: ByteBuffer(string: form))
                #expect(answer.status == .badRequest, "\(form)")
            }
        }
        await server.stop()
    }
}
