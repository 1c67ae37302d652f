import KeyturnBase
import KeyturnVerify
import KeyturnWire
import Testing

@testable import Keyturn

@Suite("Device sign-in at other providers, RFC 8628")
struct DeviceProviderTests {
    private let world: World
    private let nap: DeviceSignInTests.Nap

    init() async throws {
        world = try World()
        nap = DeviceSignInTests.Nap(world.clock)
        await world.service.set {
            $0.metadata["device_authorization_endpoint"] = .string(FakeService.issuer + "/device_authorization")
        }
    }

    private func signIn() async throws -> (SignInResult, [DeviceSignInProgress]) {
        let seen = Locked<[DeviceSignInProgress]>([])
        let result = try await world.container().deviceSignIn(DeviceSignInOptions(), sleep: nap) { progress in
            seen.withLock { $0.append(progress) }
        }
        return (result, seen.withLock { $0 })
    }

    private func code(_ seen: [DeviceSignInProgress]) throws -> DeviceSignInCode {
        guard case .code(let code) = seen.first else { throw AuthError(.refused, "no code came") }
        return code
    }

    @Test func `Google's verification_url is where the user types the code, and 428 means not yet`() async throws {
        await world.service.set {
            $0.deviceAnswer = [
                "verification_uri": .null, "verification_uri_complete": .null,
                "verification_url": "https://www.google.com/device", "expires_in": 1_800, "interval": 5,
            ]
        }
        let pending = FakeService.json(
            ["error": "authorization_pending", "error_description": "Precondition Required"], status: 428)
        await world.service.fail("/token", .answer(pending), .answer(pending))
        let (result, seen) = try await signIn()
        let code = try code(seen)
        #expect(code.verificationURI == "https://www.google.com/device" && code.verificationURIComplete == nil)
        #expect(code.expiresInSeconds == 1_800 && result.idToken?.subject == "andy")
        #expect(nap.pauses.withLock { $0 } == [5, 5, 5])
        guard case .waiting? = seen.last else { throw AuthError(.refused, "the user was not told to wait") }
    }

    @Test func `times may be texts, and an interval of another type is five seconds`() async throws {
        await world.service.set { $0.deviceAnswer = ["expires_in": "900", "interval": "7"] }
        #expect(try code(try await signIn().1).expiresInSeconds == 900)
        await world.service.set { $0.deviceAnswer = ["expires_in": "900.0", "interval": ["7"]] }
        #expect(try code(try await signIn().1).expiresInSeconds == 900)
        #expect(nap.pauses.withLock { $0 } == [7, 5])
    }

    @Test(arguments: ["device_code", "user_code", "verification_uri", "expires_in"])
    func `what is missing is named`(_ member: String) async throws {
        await world.service.set { $0.deviceAnswer = [member: .null] }
        let error = await #expect(throws: AuthError(.protocolViolation, "")) { _ = try await signIn() }
        #expect(error?.detail.contains(member) == true)
    }

    @Test(arguments: ["access_denied", "authorization_declined"])
    func `a user who refuses has cancelled, also in Microsoft's word`(_ word: String) async throws {
        await world.service.set { $0.deviceErrors = ["authorization_pending", word] }
        let error = await #expect(throws: AuthError(.cancelled, "")) { _ = try await signIn() }
        #expect(error?.server?.code == word)
    }

    @Test func `GitHub says with status 200 that it waits, and that the user refused`() async throws {
        let answers = ["authorization_pending", "slow_down", "access_denied"].map {
            FakeService.Fault.answer(FakeService.json(["error": .string($0)]))
        }
        await world.service.fail("/token", answers[0], answers[1], answers[0])
        let (_, seen) = try await signIn()
        #expect(nap.pauses.withLock { $0 } == [5, 5, 10, 10])
        guard case .slowedDown(intervalSeconds: 10) = seen[2] else { throw AuthError(.refused, "not told") }
        await world.service.fail("/token", answers[2])
        let error = await #expect(throws: AuthError(.cancelled, "")) { _ = try await signIn() }
        #expect(error?.server == AuthError.ServerAnswer(status: 200, code: "access_denied"))
    }

    @Test func `keys that cannot be had are waited for, and nothing is asked twice`() async throws {
        await world.service.fail("/jwks", .answer(HTTPResponse(status: 500)))
        let (result, seen) = try await signIn()
        #expect(result.idToken?.subject == "andy")
        #expect(await world.service.count("/token") == 1)
        guard case .unreachable? = seen.last else { throw AuthError(.refused, "the user was not told to wait") }
        #expect(await world.service.revoked.isEmpty)
    }

    @Test func `an ID token that is not right ends it at once, and the grant is given back`() async throws {
        await world.service.set { $0.claims["iss"] = "https://evil.example.com" }
        await #expect(throws: AuthError(.tokenMisdirected, "")) { _ = try await signIn() }
        let answer: JSONValue = ["access_token": "a", "token_type": "Bearer", "refresh_token": "r"]
        await world.service.fail("/token", .answer(FakeService.json(answer)))
        let error = await #expect(throws: AuthError(.protocolViolation, "")) { _ = try await signIn() }
        #expect(error?.detail.contains("id_token") == true)
        let revoked = await world.service.revoked
        #expect(revoked.count == 2 && revoked.last == "r")
        #expect(await world.service.count("/token") == 2)
    }
}
