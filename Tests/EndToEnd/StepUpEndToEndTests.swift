import Foundation
import Keyturn
import KeyturnBase
import KeyturnVerify
import ServerTesting
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An API that takes fresh sign-ins alone, and the way to the server beside it.
private struct DelicateAPI: HTTPTransport {
    static let url = "https://api.example.com/transfer"
    let verifier: TokenVerifier
    let policy: FreshnessPolicy
    let clock: VirtualClock
    let others: DatedTransport

    func send(_ request: HTTPRequest) async throws(AuthError) -> HTTPResponse {
        guard request.url == Self.url else { return try await others.send(request) }
        let header = request.headers.first { $0.name == "Authorization" }?.value
        do throws(AuthError) {
            let token = try await verifier.verify(String(header?.dropFirst("Bearer ".count) ?? ""), at: clock.now)
            try token.require(policy, at: clock.now)
            return HTTPResponse(status: 200, body: Array("done".utf8))
        } catch {
            let challenge = BearerChallenge(answering: error)
            return HTTPResponse(
                status: challenge.status, headers: challenge.header.map { [("WWW-Authenticate", $0)] } ?? [])
        }
    }
}

@Suite("End to end: an API that wants a fresh sign-in, RFC 9470")
struct StepUpEndToEndTests {
    @Test func `71: the app has the user sign in again, and the request goes through`() async throws {
        let server = try await TestServer.start()
        let verifier = TokenVerifier(
            issuer: server.issuer, audience: server.issuer, keys: KeySet(issuer: server.issuer))
        let api = DelicateAPI(
            verifier: verifier, policy: FreshnessPolicy(maxAgeSeconds: 60), clock: server.clock,
            others: DatedTransport(server.clock))
        let auth = Keyturn(
            .keyturn(issuer: server.issuer, clientID: "tool"), storage: .memory,
            browser: PersonAtBrowser(browser: server.browser(), conduct: .signsIn), transport: api,
            ambient: server.clock.ambient)
        try await auth.authorize(redirectURI: "http://127.0.0.1:49152/callback")
        let request = URLRequest(url: try #require(URL(string: DelicateAPI.url)))
        #expect(try await auth.fetch(request).1.statusCode == 200)
        server.clock.advance(100)
        #expect(try await auth.fetch(request).1.statusCode == 401, "a new token of the same sign-in changes nothing")
        let (data, response) = try await auth.fetch(request) { challenge in
            try await auth.reauthenticate(challenge.options(redirectURI: "http://127.0.0.1:49152/callback"))
        }
        #expect(response.statusCode == 200 && data == Data("done".utf8))
        #expect(try await auth.fetch(request).1.statusCode == 200, "and so do those after it")
        server.clock.advance(700)
        try await auth.forceRefresh()
        #expect(await auth.state.isSignedIn)
        await server.stop()
    }
}
