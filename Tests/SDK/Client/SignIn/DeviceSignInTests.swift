import KeyturnBase
import KeyturnVerify
import KeyturnWire
import Testing

@testable import Keyturn

@Suite("Signing a device in with another one, RFC 8628")
struct DeviceSignInTests {
    /// Time passes when somebody sleeps; may stop like a cancelled task.
    final class Nap: PollSleep {
        private let clock: VirtualClock
        private let left: Locked<Int>
        let pauses = Locked<[Int64]>([])

        init(_ clock: VirtualClock, cancelledAfter: Int = .max) {
            self.clock = clock
            left = Locked(cancelledAfter)
        }

        func seconds(_ seconds: Int64) async -> Bool {
            let goesOn = left.withLock { left in
                left -= 1
                return left >= 0
            }
            guard goesOn else { return false }
            pauses.withLock { $0.append(seconds) }
            clock.advance(seconds)
            return true
        }
    }

    private let world: World
    private let nap: Nap

    init() async throws {
        world = try World()
        nap = Nap(world.clock)
        await world.service.set {
            $0.metadata["device_authorization_endpoint"] = .string(FakeService.issuer + "/device_authorization")
        }
    }

    private func signIn(
        _ auth: Keyturn, nap: Nap? = nil, options: DeviceSignInOptions = DeviceSignInOptions()
    ) async throws -> (SignInResult, [DeviceSignInProgress]) {
        let seen = Locked<[DeviceSignInProgress]>([])
        let result = try await auth.deviceSignIn(options, sleep: nap ?? self.nap) { progress in
            seen.withLock { $0.append(progress) }
        }
        return (result, seen.withLock { $0 })
    }

    @Test func `shows the code, waits, and ends in a durable session`() async throws {
        await world.service.set { $0.deviceErrors = ["authorization_pending", "authorization_pending"] }
        let auth = world.container()
        var options = DeviceSignInOptions()
        options.resource = ["https://api.example.com"]
        options.acrValues = ["gold"]
        let (result, seen) = try await signIn(auth, options: options)
        #expect(result.idToken?.subject == "andy" && result.userInfo.name == "Andy")
        #expect(await auth.state == .signedIn(.fresh))
        #expect(await world.store.writes == 1)
        #expect(nap.pauses.withLock { $0 } == [5, 5, 5])
        guard case .code(let code) = seen.first, seen.count == 3 else { throw AuthError(.refused, "no code came") }
        #expect(code.userCode == "WDJB-MJHT" && code.expiresInSeconds == 900)
        #expect(code.verificationURIComplete == FakeService.issuer + "/device?user_code=WDJB-MJHT")
        guard case .waiting(secondsLeft: 890) = seen[2] else { throw AuthError(.refused, "no time was told") }
        let sent = try #require(await world.service.requests.first { $0.url.hasSuffix("/device_authorization") })
        let form = try FormParameters(parsing: String(decoding: sent.body ?? [], as: UTF8.self))
        #expect(try form.one("scope") == "openid profile email offline_access")
        #expect(try form.one("acr_values") == "gold" && form.values("resource") == options.resource)
        #expect(try form.one("client_id") == FakeService.clientID)
    }

    @Test func `slows down when it is told to, for good`() async throws {
        await world.service.set {
            $0.deviceErrors = ["slow_down", "authorization_pending", "slow_down", "authorization_pending"]
        }
        let (_, seen) = try await signIn(world.container())
        #expect(nap.pauses.withLock { $0 } == [5, 10, 10, 15, 15])
        guard case .slowedDown(intervalSeconds: 10) = seen[1] else { throw AuthError(.refused, "not told") }
    }

    @Test func `a network that fails is waited for, and a lost answer asked for again within the minute`() async throws
    {
        let gateway = HTTPResponse(status: 502, body: Array("<html>".utf8))
        let portal = HTTPResponse(status: 200, body: Array("<html>Welcome to the hotel</html>".utf8))
        await world.service.fail("/token", .unreachable, .answer(gateway), .answer(portal), .answerLost)
        let auth = world.container()
        let (result, seen) = try await signIn(auth)
        #expect(result.idToken?.subject == "andy")
        #expect(nap.pauses.withLock { $0 } == [5, 10, 15, 15, 15])
        #expect(seen.filter { if case .unreachable = $0 { true } else { false } }.count == 4)
        #expect(await auth.state == .signedIn(.fresh))
    }

    @Test func `whoever refuses, or nobody, ends it with a word of its own`() async throws {
        for (errors, code) in [
            (["authorization_pending", "access_denied"], AuthError.Code.cancelled),
            (["expired_token"], .deviceCodeExpired), (["invalid_grant"], .refused),
            ([String](repeating: "authorization_pending", count: 1_000), .deviceCodeExpired),
        ] {
            await world.service.set { $0.deviceErrors = errors }
            let auth = world.container()
            await #expect(throws: AuthError(code, "")) { _ = try await signIn(auth) }
            #expect(try await auth.start() == .signedOut)
        }
    }

    @Test func `asks a last time when the code ends, and not after that`() async throws {
        await world.service.set {
            $0.deviceAnswer = ["expires_in": 12]
            $0.deviceErrors = ["authorization_pending", "authorization_pending"]
        }
        _ = try await signIn(world.container())
        #expect(nap.pauses.withLock { $0 } == [5, 5, 2])
        await world.service.set { $0.deviceErrors = ["authorization_pending", "authorization_pending", "slow_down"] }
        await #expect(throws: AuthError(.deviceCodeExpired, "")) { _ = try await signIn(world.container()) }
        await world.service.fail("/token", .unreachable, .unreachable)
        await #expect(throws: AuthError(.unavailable, "")) { _ = try await signIn(world.container()) }
    }

    @Test func `cancelling ends it, and signs nobody in`() async throws {
        await world.service.set { $0.deviceErrors = [String](repeating: "authorization_pending", count: 10) }
        let auth = world.container()
        let error = await #expect(throws: AuthError.self) {
            _ = try await signIn(auth, nap: Nap(world.clock, cancelledAfter: 3))
        }
        #expect(error?.code == .cancelled && error?.cause is CancellationError)
        #expect(try await auth.start() == .signedOut)
    }

    @Test func `a service without device authorization says so before anything is shown`() async throws {
        await world.service.set { $0.metadata = [:] }
        await #expect(throws: AuthError(.unsupported, "")) { _ = try await signIn(world.container()) }
    }

    @Test(
        arguments: [
            ["verification_uri": "http://id.example.com/device"], ["verification_uri": "https://a b"],
            ["user_code": "\u{1B}[2J"], ["user_code": ""], ["device_code": ""], ["expires_in": 0], ["expires_in": nil],
        ] as [[String: JSONValue?]])
    func `an answer that cannot be shown is refused`(_ change: [String: JSONValue?]) async throws {
        await world.service.set { $0.deviceAnswer = change.mapValues { $0 ?? .null } }
        await #expect(throws: AuthError(.protocolViolation, "")) { _ = try await signIn(world.container()) }
    }

    @Test func `a nonsensical interval is bounded, and a missing one is five seconds`() {
        for (asked, first) in [(Int64?.none, Int64(5)), (0, 1), (-7, 1), (1_000_000, 300), (.max, 300)] {
            var polling = DevicePolling(
                DeviceAuthorizationResponse(
                    deviceCode: "d", userCode: "u", verificationURI: "v", expiresInSeconds: 900, intervalSeconds: asked),
                startedAt: 0)
            #expect(polling.pause(at: 0) == first)
        }
    }
}
