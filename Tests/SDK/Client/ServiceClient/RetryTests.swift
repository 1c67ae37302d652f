import KeyturnBase
import KeyturnVerify
import KeyturnWire
import Testing

@testable import Keyturn

@Suite("Service clients: requests that are made again, and those that are not")
struct RetryTests {
    let world = BoxWorld()

    private func seconds(_ duration: Duration) -> Double {
        Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    }

    private var pauses: [Double] { world.pauses.withLock { $0 }.map(seconds) }

    @Test(arguments: [429, 500, 501, 502, 503, 504])
    func `the API is asked again after a failure that may pass`(_ status: Int) async throws {
        await world.service.fail(BoxWorld.me, .answer(FakeBox.busy(status)), .answer(FakeBox.busy(status)))
        #expect(try await world.fetch(world.client()).status == 200)
        #expect(await world.service.count(BoxWorld.me) == 3)
        #expect(await world.service.tokenRequests == 1)
        #expect(pauses.count == 2)
        for (pause, usual) in zip(pauses, [1.0, 2.0]) { #expect((usual / 2...usual * 1.5).contains(pause)) }
    }

    @Test(arguments: [400, 403, 404, 409, 412])
    func `not after one that stays`(_ status: Int) async throws {
        await world.service.fail(BoxWorld.me, .answer(FakeBox.busy(status)))
        #expect(try await world.fetch(world.client()).status == status)
        #expect(await world.service.count(BoxWorld.me) == 1)
    }

    @Test func `the last answer is handed on when it does not pass`() async throws {
        for _ in 0..<9 { await world.service.fail(BoxWorld.me, .answer(FakeBox.busy(503))) }
        #expect(try await world.fetch(world.client()).status == 503)
        #expect(await world.service.count(BoxWorld.me) == 6)
        #expect(pauses.allSatisfy { $0 <= 30 })
    }

    @Test func `without an answer twice more`() async throws {
        for _ in 0..<9 { await world.service.fail(BoxWorld.me, .unreachable) }
        await #expect(throws: AuthError(.unavailable, "")) { try await world.fetch(world.client()) }
        #expect(await world.service.count(BoxWorld.me) == 3)
    }

    @Test func `what may have been acted on is not repeated, what was turned away is`() async throws {
        let client = world.client()
        let post = HTTPRequest(method: "POST", url: "https://api.box.com" + BoxWorld.me, body: [1])
        await world.service.fail(BoxWorld.me, .answer(FakeBox.busy(500)))
        #expect(try await client.send(post).status == 500)
        await world.service.fail(BoxWorld.me, .lost)
        await #expect(throws: AuthError(.unavailable, "")) { try await client.send(post) }
        #expect(await world.service.count(BoxWorld.me) == 2)
        await world.service.fail(BoxWorld.me, .answer(FakeBox.busy(429)), .answer(FakeBox.busy(503)))
        #expect(try await client.send(post).status == 200)
        #expect(await world.service.count(BoxWorld.me) == 5)
        var bold = ServiceConfiguration.box
        bold.retry.repeatsUnsafeMethods = true
        await world.service.fail(BoxWorld.me, .answer(FakeBox.busy(500)), .lost)
        #expect(try await world.client(configuration: bold).send(post).status == 200)
    }

    @Test func `an answer that is being prepared is asked for again`() async throws {
        await world.service.fail(BoxWorld.me, .answer(FakeBox.busy(202, retryAfter: "3")), .answer(FakeBox.busy(202)))
        #expect(try await world.fetch(world.client()).status == 202, "without Retry-After it is an answer")
        #expect(pauses.count == 1)
    }

    @Test(arguments: ["7", "Fri, 15 Jan 2027 08:00:07 GMT"])
    func `the service says how long, in seconds or as a date`(_ text: String) async throws {
        await world.service.fail(BoxWorld.me, .answer(FakeBox.busy(503, retryAfter: text)))
        await world.service.fail("/oauth2/token", .answer(FakeBox.busy(429, retryAfter: text)))
        #expect(try await world.fetch(world.client()).status == 200)
        #expect(pauses.count == 2)
        for pause in pauses { #expect((7.0...7.25).contains(pause)) }
    }

    @Test func `who asks for more patience than there is gets its answer handed on`() async throws {
        await world.service.fail(BoxWorld.me, .answer(FakeBox.busy(429, retryAfter: "121")))
        #expect(try await world.fetch(world.client()).status == 429)
        await world.service.fail("/oauth2/token", .answer(FakeBox.busy(503, retryAfter: "3000")))
        let error = await #expect(throws: AuthError(.unavailable, "")) { try await world.client().accessToken() }
        #expect(error?.server?.retryAfterSeconds == 3_000)
        #expect(pauses.isEmpty)
    }

    @Test func `none is none`() async throws {
        var configuration = ServiceConfiguration.box
        configuration.retry = .none
        await world.service.fail("/oauth2/token", .answer(FakeBox.busy(503)))
        await #expect(throws: AuthError(.unavailable, "")) {
            try await world.client(configuration: configuration).accessToken()
        }
        #expect(await world.service.requests.count == 1)
    }

    @Test func `jitter is somewhere between half and one and a half`() {
        for bytes: [UInt8] in [[0, 0], [255, 255], [128, 0]] {
            let ambient = Ambient(clock: { UnixTime(rawValue: 0) }, entropy: { _ in bytes })
            var count = RetryCount()
            let policy = RetryPolicy(retriesMax: 7, delayMaxMilliseconds: 10_000)
            let pauses = (0..<8).map { _ in
                count.pause(policy, isUnanswered: false, retryAfterSeconds: nil, ambient: ambient)
            }
            #expect(pauses.last == .some(nil))
            for (index, pause) in pauses.dropLast().enumerated() {
                let usual = min(10_000, Double(1_000 << index))
                let milliseconds = seconds(pause ?? .zero) * 1_000
                #expect((usual / 2...min(10_000, usual * 1.5)).contains(milliseconds))
            }
        }
    }

    struct Kind: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let credential: ServiceCredential
        /// Requests for tokens after each failure of ``failures``.
        let requests: [Int]
        var configuration = ServiceConfiguration.box
    }

    /// The same failure as often as anybody asks.
    static let failures: [FakeBox.Fault] = [
        .answer(FakeBox.busy(429)), .answer(FakeBox.busy(500)), .answer(FakeBox.busy(503)), .unreachable, .lost,
    ]

    static let kinds = [
        Kind(testDescription: "client credentials", credential: BoxWorld.enterprise, requests: [6, 6, 6, 3, 3]),
        Kind(
            testDescription: "a refresh token", credential: .threeLegged(uniqueID: "u", tokens: old),
            requests: [6, 1, 1, 1, 1]),
        Kind(
            testDescription: "a refresh token where a lost answer comes again",
            credential: .threeLegged(uniqueID: "u", tokens: old), requests: [6, 6, 6, 3, 3],
            configuration: .keyturn(issuer: "https://id.example.com")),
    ]

    private static var old: ServiceTokens {
        ServiceTokens(
            accessToken: "a", refreshToken: "r", obtainedAt: UnixTime(rawValue: 1_700_000_000), expiresInSeconds: 1)
    }

    @Test(arguments: kinds)
    func `a request for tokens is repeated only where nothing can have come of it`(_ kind: Kind) async throws {
        for (failure, requests) in zip(Self.failures, kind.requests) {
            let world = BoxWorld()
            await world.service.give(refreshToken: "r")
            for _ in 0..<9 { await world.service.fail("/oauth2/token", failure) }
            let client = world.client(kind.credential, configuration: kind.configuration)
            await #expect(throws: AuthError(.unavailable, "")) { try await client.accessToken() }
            #expect(await world.service.tokenRequests == requests)
        }
    }

    @Test func `each repeated assertion is another one`() async throws {
        await world.service.fail("/oauth2/token", .lost, .answer(FakeBox.busy(503)))
        let key = AssertionKey(keyID: "k", signingKey: try .generate(.es256))
        _ = try await world.client(.assertion(key, subject: .user("1"))).accessToken()
        let sent = await world.service.sent("/oauth2/token").compactMap {
            FakeBox.claims(FakeBox.form($0)["assertion"] ?? "")["jti"]?.stringValue
        }
        #expect(sent.count == 3 && Set(sent).count == 3)
    }

    @Test func `a code is never sent twice`() async throws {
        for failure in [FakeBox.Fault.lost, .answer(FakeBox.busy(503)), .unreachable] {
            let world = BoxWorld()
            await world.service.fail("/oauth2/token", failure)
            let authorization = try ServiceAuthorization(
                BoxWorld.application, redirectURI: "https://app.example.com/back", transport: world.service,
                ambient: world.clock.ambient)
            await #expect(throws: AuthError(.unavailable, "")) {
                try await authorization.redeem(
                    callbackURL: "https://app.example.com/back?code=c&state=" + authorization.state)
            }
            #expect(await world.service.tokenRequests == 1)
        }
    }

    @Test func `a pause ends with its task`() async throws {
        for _ in 0..<9 { await world.service.fail(BoxWorld.me, .answer(FakeBox.busy(503, retryAfter: "100"))) }
        let patient = ServiceClient(
            BoxWorld.enterprise, application: BoxWorld.application, transport: world.service,
            ambient: world.clock.ambient)
        let task = Task { try await patient.send(HTTPRequest(url: "https://api.box.com" + BoxWorld.me)) }
        #expect(await eventually { await world.service.count(BoxWorld.me) == 1 })
        task.cancel()
        await #expect(throws: AuthError(.cancelled, "")) { try await task.value }
    }
}
