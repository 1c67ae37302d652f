import Foundation
import Identity
import Keyturn
import KeyturnBase
import ServerTesting
import KeyturnVerify
import KeyturnWire
import Model
import OAuth
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("End to end: requests with the session's token")
struct FetchEndToEndTests {
    private static let callback = "http://127.0.0.1:49152/callback"
    private static let userInfo = "/oauth2/userinfo"
    private static let token = "/oauth2/token"

    private let server: TestServer
    private let transport: RecordingTransport

    init() async throws {
        server = try await TestServer.start()
        transport = RecordingTransport(server.clock)
    }

    private func signedIn(_ binding: Service.Binding = .refreshToken) async throws -> Keyturn {
        let auth = Keyturn(
            .keyturn(issuer: server.issuer, clientID: "tool", binding: binding), storage: .memory,
            browser: PersonAtBrowser(browser: server.browser()), transport: transport, ambient: server.clock.ambient)
        try await auth.authorize(redirectURI: Self.callback)
        _ = await transport.take()
        return auth
    }

    private func request(_ path: String = userInfo, at server: TestServer? = nil) throws -> URLRequest {
        URLRequest(url: try #require(URL(string: (server ?? self.server).issuer + path)))
    }

    /// The operator drops the signing key: every access token is refused from now on, and sessions go on.
    private func dropSigningKeys() async throws {
        let rotation = KeyRotation(
            store: server.services.stores.keys, secrets: server.secrets, tokenSecondsMax: 3_600,
            ambient: server.clock.ambient)
        for key in try await rotation.current() { _ = try await rotation.drop(key.keyID) }
        try await server.services.keys.reload()
        server.services.accessTokens.forgetAll()
    }

    private func entries(_ list: [(String, Int)]) -> [RecordingTransport.Entry] {
        list.map { RecordingTransport.Entry(path: $0.0, status: $0.1) }
    }

    @Test(arguments: [Service.Binding.none, .refreshToken, .allTokens])
    func `a token that the server refuses is renewed once, and the request repeated`(
        _ binding: Service.Binding
    ) async throws {
        let auth = try await signedIn(binding)
        #expect(try await auth.fetch(request()).1.statusCode == 200)
        let before = try await auth.accessToken()
        try await dropSigningKeys()
        _ = await transport.take()
        let (data, response) = try await auth.fetch(request())
        #expect(response.statusCode == 200)
        #expect(try JSONValue(parsing: Array(data))["sub"] == .string(TestServer.subject.rawValue))
        #expect(
            await transport.take() == entries([(Self.userInfo, 401), (Self.token, 200), (Self.userInfo, 200)]))
        #expect(try await auth.accessToken() != before)
        await server.stop()
    }

    @Test func `many requests that are refused at once cost one refresh`() async throws {
        let auth = try await signedIn()
        try await dropSigningKeys()
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 { group.addTask { try await auth.fetch(request()).1.statusCode } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: 200, count: 20))
        #expect(await transport.take().filter { $0.path == Self.token }.count == 1)
        await server.stop()
    }

    @Test func `a second refusal is handed through, and the session stays`() async throws {
        let auth = try await signedIn()
        // Another server's resource, which takes no token of ours, however new.
        let other = try await TestServer.start(clock: server.clock)
        let (_, response) = try await auth.fetch(request(at: other))
        #expect(response.statusCode == 401)
        #expect(response.value(forHTTPHeaderField: "WWW-Authenticate")?.contains("invalid_token") == true)
        #expect(
            await transport.take() == entries([(Self.userInfo, 401), (Self.token, 200), (Self.userInfo, 401)]))
        #expect(await auth.state == .signedIn(.fresh))
        #expect(try await auth.fetch(request()).1.statusCode == 200)
        await other.stop()
        await server.stop()
    }

    @Test func `a refusal after which the session turns out to be over is its end`() async throws {
        let auth = try await signedIn()
        let token = try await auth.accessToken()
        let form = FormParameters(["token": token])
        #expect(try await server.post("/oauth2/revoke", form, as: TestClients.tool).status == 200)
        await #expect(throws: AuthError(.sessionEnded, "")) { try await auth.fetch(request()) }
        #expect(await transport.take() == entries([(Self.userInfo, 401), (Self.token, 400)]))
        #expect(await auth.state == .ended(.refused))
        await #expect(throws: AuthError(.signedOut, "")) { try await auth.fetch(request()) }
        #expect(await transport.take().isEmpty)
        await server.stop()
    }

    @Test func `what is refused for another reason is an answer, and renews nothing`() async throws {
        let auth = try await signedIn()
        let (_, response) = try await auth.fetch(request("/oauth2/nothing-here"))
        #expect(response.statusCode == 404)
        #expect(await transport.take().map(\.path) == ["/oauth2/nothing-here"])
        await server.stop()
    }

    @Test func `a nonce that has run out is asked for again, and no token is renewed for it`() async throws {
        let auth = try await signedIn(.allTokens)
        #expect(try await auth.fetch(request()).1.statusCode == 200)
        _ = await transport.take()
        let before = try await auth.accessToken()
        server.clock.advance(500)
        #expect(try await auth.fetch(request()).1.statusCode == 200)
        #expect(await transport.take() == entries([(Self.userInfo, 401), (Self.userInfo, 200)]))
        #expect(try await auth.accessToken() == before)
        #expect(try await auth.fetch(request()).1.statusCode == 200)
        #expect(await transport.take() == entries([(Self.userInfo, 200)]), "the new nonce is remembered")
        // As a bearer's, or with another's proof, the token is worth nothing.
        #expect(try await server.get(Self.userInfo, token: before).status == 401)
        await server.stop()
    }
}
