import KeyturnBase
import KeyturnVerify
import Testing

@testable import Keyturn

@Suite("A proof that the network sent twice")
struct ReplayedProofTests {
    private static let replayed = HTTPResponse(
        status: 400, body: Array(#"{"error":"invalid_dpop_proof","error_description":"the proof was used"}"#.utf8))

    private func signedIn(_ world: World) async throws -> Keyturn {
        await world.service.set { $0.metadata["dpop_signing_alg_values_supported"] = ["ES256"] }
        let auth = Keyturn(
            .keyturn(issuer: FakeService.issuer, clientID: FakeService.clientID), name: "bound",
            storage: .custom(world.store), browser: FakeBrowser(service: world.service), transport: world.service,
            ambient: world.clock.ambient)
        try await auth.authorize(redirectURI: World.redirectURI)
        return auth
    }

    @Test func `a renewal whose proof was seen before is sent once more, with another proof`() async throws {
        let world = try World()
        let auth = try await signedIn(world)
        world.clock.advance(600)
        await world.service.fail("/token", .answer(Self.replayed))
        _ = try await auth.accessToken()
        #expect(await auth.state == .signedIn(.fresh))
        let proofs = await world.service.requests.suffix(2).map { request in
            request.headers.first { $0.name == "DPoP" }?.value
        }
        #expect(proofs.count == 2 && proofs[0] != nil && proofs[1] != nil && proofs[0] != proofs[1])
    }

    @Test func `a service that takes no proof is asked twice and no more, and the session stays`() async throws {
        let world = try World()
        let auth = try await signedIn(world)
        world.clock.advance(600)
        let before = await world.service.count("/token")
        await world.service.fail("/token", .answer(Self.replayed), .answer(Self.replayed))
        await #expect(throws: AuthError(.refused, "")) { try await auth.accessToken() }
        #expect(await world.service.count("/token") == before + 2)
        #expect(await auth.state.isStale)
    }
}
