import Keyturn
import KeyturnTesting
import Testing

@Suite("KeyturnTesting: the network")
struct NetworkTests {
    private func signedIn(_ server: TestServer, _ binding: Service.Binding = .refreshToken) async throws -> Keyturn {
        let auth = server.makeKeyturn(binding: binding)
        try await auth.authorize(redirectURI: "http://127.0.0.1/callback")
        await server.clock.advance(by: .seconds(601))
        return auth
    }

    @Test(arguments: [TestNetwork.Fault.losesRequest, .losesAnswer, .answers(status: 502)])
    func `a renewal that got lost ends no session`(_ fault: TestNetwork.Fault) async throws {
        try await withTestServer { server in
            let auth = try await signedIn(server, .none)
            let before = server.network.requests(to: "/oauth2/token").count
            server.network.failNext(fault, path: "/oauth2/token")
            _ = try? await auth.accessToken()
            #expect(server.network.requests(to: "/oauth2/token").count > before)
            await server.clock.advance(by: .seconds(120))
            _ = try await auth.accessToken()
            #expect(await auth.state == .signedIn(.fresh))
        }
    }

    @Test func `without a network the session stands, and goes on with it`() async throws {
        try await withTestServer { server in
            let auth = try await signedIn(server)
            server.network.isDown = true
            await #expect(throws: AuthError(.unavailable, "")) { try await auth.accessToken() }
            server.network.isDown = false
            await server.clock.advance(by: .seconds(120))
            _ = try await auth.accessToken()
        }
    }

    @Test func `a copied refresh token that is used again later ends the session`() async throws {
        try await withTestServer { server in
            let auth = try await signedIn(server, .none)
            for _ in 0..<3 {
                _ = try await auth.accessToken()
                await server.clock.advance(by: .seconds(601))
            }
            let renewals = server.network.requests(to: "/oauth2/token").dropFirst()
            #expect(renewals.count == 3)
            #expect(try await server.network.send(try #require(renewals.first)).status == 400)
            await #expect(throws: AuthError(.sessionEnded, "")) { try await auth.accessToken() }
        }
    }
}
