import KeyturnBase
import KeyturnVerify
import KeyturnWire
import Testing

@testable import Keyturn

@Suite("What was granted to a sign-in that failed, RFC 7009")
struct GiveBackTests {
    private let world: World

    init() throws {
        world = try World()
    }

    private func authorize(_ auth: Keyturn) async throws {
        try await auth.authorize(redirectURI: World.redirectURI)
    }

    struct Failure: Sendable, CustomTestStringConvertible {
        let name: String
        let code: AuthError.Code
        let make: @Sendable (World) async -> Void
        var testDescription: String { name }
    }

    static let failures = [
        Failure(name: "an ID token of another issuer", code: .tokenMisdirected) {
            await $0.service.set { $0.claims["iss"] = "https://evil.example.com" }
        },
        Failure(name: "no keys to be had", code: .unavailable) {
            let down = FakeService.Fault.answer(HTTPResponse(status: 500))
            await $0.service.fail("/jwks", down, down, down)
        },
        Failure(name: "a full disk", code: .storeUnavailable) { await $0.store.set(writable: false) },
    ]

    @Test(arguments: failures)
    func `it is given back, and the first error is told`(_ failure: Failure) async throws {
        await failure.make(world)
        let auth = world.container()
        await #expect(throws: AuthError(failure.code, "")) { try await authorize(auth) }
        let revoked = await world.service.revoked
        #expect(revoked.count == 1 && revoked.first?.hasPrefix("refresh-") == true)
        #expect(try await auth.start() == .signedOut)
    }

    @Test(arguments: failures)
    func `a revocation that fails, or that the service does not have, masks nothing`(_ failure: Failure) async throws {
        await failure.make(world)
        await world.service.fail("/revoke", .unreachable)
        await #expect(throws: AuthError(failure.code, "")) { try await authorize(world.container()) }
        #expect(await world.service.count("/revoke") == 1)
        await world.service.set { $0.metadata["revocation_endpoint"] = .null }
        await failure.make(world)
        await #expect(throws: AuthError(failure.code, "")) { try await authorize(world.container()) }
        #expect(await world.service.count("/revoke") == 1)
    }

    @Test func `without a refresh token the access token is given back`() async throws {
        await world.service.set {
            $0.issuesRefreshTokens = false
            $0.tamperedNonce = "x"
        }
        await #expect(throws: AuthError(.tokenMisdirected, "")) { try await authorize(world.container()) }
        #expect(await world.service.revoked.first?.hasPrefix("access-") == true)
    }

    @Test func `a session that stands is not put at risk: some providers end all grants of a user`() async throws {
        let auth = try await world.signedIn()
        await world.store.set(writable: false)
        await #expect(throws: AuthError(.storeUnavailable, "")) { try await authorize(auth) }
        await world.store.set()
        await world.service.set { $0.tamperedNonce = "x" }
        await #expect(throws: AuthError(.tokenMisdirected, "")) { try await authorize(auth) }
        #expect(await world.service.revoked.isEmpty)
        #expect(try await auth.fetchAPI() == 200)
    }

    @Test func `another user's grant is given back beside a session`() async throws {
        let auth = try await world.signedIn()
        await world.service.set { $0.subject = "mallory" }
        await #expect(throws: AuthError(.differentPerson, "")) {
            try await auth.reauthenticate(redirectURI: World.redirectURI)
        }
        #expect(await world.service.revoked.count == 1)
        #expect(await auth.idToken?.subject == "andy")
    }

    @Test func `a sign-in that succeeds revokes nothing`() async throws {
        let auth = try await world.signedIn()
        try await authorize(auth)
        try await auth.reauthenticate(redirectURI: World.redirectURI)
        #expect(await world.service.revoked.isEmpty)
    }

    @Test func `a sign-in whose task was cancelled gives it back`() async throws {
        let gate = Gate()
        await world.service.fail("/jwks", .answerHeld(gate))
        await world.store.set(writable: false)
        let auth = world.container()
        let late = Task { try await authorize(auth) }
        await gate.someoneArrives()
        late.cancel()
        await gate.open()
        await #expect(throws: AuthError.self) { try await late.value }
        #expect(await world.service.revoked.count == 1)
    }
}
