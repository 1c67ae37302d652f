import KeyturnBase
import KeyturnVerify
import KeyturnWire
import Testing

@testable import Keyturn

@Suite("Requests that are handed in beforehand, RFC 9126")
struct PushedRequestTests {
    private func world(pushes: Bool = true, binds: Bool = false) async throws -> World {
        let world = try World()
        await world.service.set {
            if pushes {
                $0.metadata["pushed_authorization_request_endpoint"] = .string(FakeService.issuer + "/par")
            }
            if binds { $0.metadata["dpop_signing_alg_values_supported"] = ["ES256"] }
        }
        return world
    }

    @Test func `the browser carries nothing but a name, and the sign-in works as ever`() async throws {
        let world = try await world()
        let auth = world.container()
        var options = SignInOptions(redirectURI: World.redirectURI)
        options.loginHint = "andy@example.com"
        let query = try AuthorizeTests.query(try await auth.startAuthorization(options))
        #expect(Set(query.all.map(\.name)) == ["client_id", "request_uri"])
        let name = try #require(try query.one("request_uri"))
        let pushed = try #require(await world.service.pushed[name])
        #expect(pushed.loginHint == "andy@example.com" && pushed.clientID == FakeService.clientID)
        #expect(pushed.state != nil && pushed.nonce != nil && pushed.codeChallengeMethod == "S256")
        #expect(try await auth.authorize(options).idToken?.subject == "andy")
        #expect(await world.service.count("/par") == 2)
    }

    @Test func `a service without the endpoint gets the request through the browser`() async throws {
        let world = try await world(pushes: false)
        let query = try AuthorizeTests.query(
            try await world.container().startAuthorization(SignInOptions(redirectURI: World.redirectURI)))
        #expect(try query.one("request_uri") == nil && query.one("redirect_uri") == World.redirectURI)
        #expect(await world.service.count("/par") == 0)
    }

    @Test func `what is refused, or does not arrive, is not sent through the browser instead`() async throws {
        let refusal = FakeService.json(["error": "invalid_request"], status: 400)
        for (fault, code) in [
            (FakeService.Fault.answer(refusal), AuthError.Code.refused), (.unreachable, .unavailable),
            (.answer(HTTPResponse(status: 503)), .unavailable),
            (.answer(FakeService.json(["expires_in": 60])), .protocolViolation),
            (.answer(FakeService.json(["request_uri": "a b"])), .protocolViolation),
        ] {
            let world = try await world()
            await world.service.fail("/par", fault)
            await #expect(throws: AuthError(code, "")) {
                try await world.container().startAuthorization(SignInOptions(redirectURI: World.redirectURI))
            }
        }
    }

    @Test func `27: the request proves the key that the code will be redeemed with`() async throws {
        let world = try await world(binds: true)
        let auth = Keyturn(
            .keyturn(issuer: FakeService.issuer, clientID: "app"), storage: .memory, transport: world.service,
            ambient: world.clock.ambient)
        _ = try await auth.startAuthorization(SignInOptions(redirectURI: World.redirectURI))
        let request = try #require(await world.service.requests.first { $0.url.hasSuffix("/par") })
        #expect(request.headers.contains { $0.name == "DPoP" })
        let pushed = await world.service.pushed.values.first
        #expect(pushed?.dpopKeyThumbprint != nil)
    }

    @Test func `an endpoint without protection is none`() async throws {
        let world = try World()
        await world.service.set { $0.metadata["pushed_authorization_request_endpoint"] = "http://id.example.com/par" }
        let query = try AuthorizeTests.query(
            try await world.container().startAuthorization(SignInOptions(redirectURI: World.redirectURI)))
        #expect(try query.one("request_uri") == nil && query.one("redirect_uri") == World.redirectURI)
        #expect(await world.service.requests.allSatisfy { $0.url.hasPrefix("https://") })
    }
}
