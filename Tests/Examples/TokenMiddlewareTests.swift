import HTTPTypes
import Hummingbird
import HummingbirdTesting
import KeyturnTesting
import KeyturnVerify
import Testing

/// The file in `Examples` that a backend copies, against a real server's tokens.
@Suite("The middleware that the README names")
struct TokenMiddlewareTests {
    private static let address = "https://api.example.com"

    private func application(_ server: TestServer) -> some ApplicationProtocol {
        let clock = server.clock
        let ambient = clock.ambient
        let middleware = TokenMiddleware(
            verifier: TokenVerifier(
                issuer: server.issuer, audience: server.issuer, keys: KeySet(issuer: server.issuer)),
            dpop: DPoPVerifier(ambient: ambient),
            resource: ProtectedResource(resource: Self.address, authorizationServers: [server.issuer]),
            address: Self.address, ambient: ambient)
        let router = Router(context: APIContext.self)
        router.group().add(middleware: middleware)
            .get("me") { _, context in try context.token.subject }
            .get("admin") { _, context in
                try context.token.require(FreshnessPolicy(maxAgeSeconds: 300), at: clock.now)
                return "fresh"
            }
            .get("files") { _, context in
                try context.token.require(scope: Scope(names: ["files.read"]))
                return "files"
            }
        return Application(router: router)
    }

    @Test func `a request without a good token is answered 401, one that may not is answered 403, and none with 500`()
        async throws
    {
        let server = try await TestServer.start()
        let token = try await server.accessToken()
        try await application(server).test(.router) { client in
            func ask(_ path: String, _ authorization: String?) async throws -> (Int, String) {
                let headers: HTTPFields = authorization.map { [.authorization: $0] } ?? [:]
                let answer = try await client.execute(uri: path, method: .get, headers: headers)
                return (answer.status.code, answer.headers[values: .wwwAuthenticate].joined(separator: ", "))
            }
            let none = try await ask("/me", nil)
            #expect(none.0 == 401 && none.1.contains("Bearer") && !none.1.contains("error="))
            let bad = try await ask("/me", "Bearer nonsense")
            #expect(bad.0 == 401 && bad.1.contains("error=\"invalid_token\""))
            #expect(try await ask("/me", "Bearer \(token)").0 == 200)
            #expect(try await ask("/admin", "Bearer \(token)").0 == 200)
            let narrow = try await ask("/files", "Bearer \(token)")
            #expect(narrow.0 == 403 && narrow.1.contains("error=\"insufficient_scope\""))
            await server.clock.advance(by: .seconds(301))
            let stale = try await ask("/admin", "Bearer \(token)")
            #expect(stale.0 == 401 && stale.1.contains("error=\"insufficient_user_authentication\""))
            await server.clock.advance(by: .seconds(600))
            let over = try await ask("/me", "Bearer \(token)")
            #expect(over.0 == 401 && over.1.contains("error=\"invalid_token\""))
        }
        await server.stop()
    }
}
