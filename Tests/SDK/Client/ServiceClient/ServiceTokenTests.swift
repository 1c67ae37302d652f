import KeyturnBase
import KeyturnVerify
import KeyturnWire
import Testing

@testable import Keyturn

@Suite("Service clients: tokens when they are needed, and once for all")
struct ServiceTokenTests {
    let world = BoxWorld()

    /// Runs `body` in so many tasks at once, and returns what came of them.
    static func together<Value: Sendable>(
        _ count: Int, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> [Value] {
        try await withThrowingTaskGroup(of: Value.self) { group in
            for _ in 0..<count { group.addTask { try await body() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test func `a hundred callers, one request`() async throws {
        let client = world.client()
        let gate = Gate()
        await world.service.fail("/oauth2/token", .held(gate))
        async let tokens = Self.together(100) { try await client.accessToken() }
        await gate.someoneArrives()
        await gate.open()
        #expect(Set(try await tokens) == ["access-1"])
        #expect(await world.service.tokenRequests == 1)
    }

    @Test func `clones and the first client have one token between them`() async throws {
        let client = world.client()
        let clones = [
            client, client.acting(as: "7"), client.withSharedLink("https://x"), client.withoutNotifications(),
        ]
        for clone in clones { _ = try await world.fetch(clone) }
        #expect(await world.service.tokenRequests == 1)
        #expect(await world.service.count(BoxWorld.me) == 4)
    }

    @Test func `a token is used until a minute before its end`() async throws {
        let client = world.client()
        #expect(try await client.accessToken() == "access-1")
        world.clock.advance(3_600 - 61)
        #expect(try await client.accessToken() == "access-1")
        world.clock.advance(1)
        #expect(try await client.accessToken() == "access-2")
        #expect(await world.service.tokenRequests == 2)
    }

    @Test func `whoever needs it longer gets one that lasts`() async throws {
        let client = world.client()
        _ = try await client.accessToken()
        world.clock.advance(1_900)
        #expect(try await client.accessToken(minimumSeconds: 1_600) == "access-1")
        #expect(try await client.accessToken(minimumSeconds: 1_700) == "access-2")
    }

    @Test(arguments: [(1 as Int64, 0 as Int64), (2, 0), (10, 4), (60, 29), (90, 44)])
    func `a token shorter than the leeway is used for half of its life, and asked for once`(
        _ lifetime: Int64, _ lastGood: Int64
    ) async throws {
        await world.service.setLifetime(lifetime)
        let client = world.client()
        #expect(try await client.accessToken() == "access-1")
        world.clock.advance(lastGood)
        #expect(try await client.accessToken(minimumSeconds: 80_000) == "access-1")
        #expect(await world.service.tokenRequests == 1)
        world.clock.advance(lifetime - lifetime / 2 - lastGood)
        #expect(try await client.accessToken() == "access-2")
    }

    @Test func `a token without any life is handed out all the same, one for each caller that comes later`()
        async throws
    {
        await world.service.setLifetime(0)
        let client = world.client()
        #expect(try await client.accessToken() == "access-1")
        #expect(try await client.accessToken() == "access-2")
        #expect(try await world.fetch(client).status == 200)
        #expect(await world.service.tokenRequests == 3)
    }

    @Test func `a token of unknown life is used until it is refused`() async throws {
        await world.service.setLifetime(nil)
        let client = world.client()
        _ = try await client.accessToken()
        world.clock.advance(1_000_000)
        #expect(try await client.accessToken() == "access-1")
        await world.service.forgetTokens()
        #expect(try await world.fetch(client).status == 200)
        #expect(try await client.accessToken() == "access-2")
    }

    @Test func `after a 401 one new token and one more try`() async throws {
        let client = world.client()
        _ = try await client.accessToken()
        await world.service.forgetTokens()
        #expect(try await world.fetch(client).status == 200)
        #expect(await world.service.tokenRequests == 2)
        #expect(await world.service.count(BoxWorld.me) == 2)
    }

    @Test func `a second 401 is the answer`() async throws {
        let client = world.client()
        await world.service.fail(BoxWorld.me, .answer(FakeBox.unauthorized), .answer(FakeBox.unauthorized))
        #expect(try await world.fetch(client).status == 401)
        #expect(await world.service.tokenRequests == 2)
        #expect(await world.service.count(BoxWorld.me) == 2)
        #expect(try await world.fetch(client).status == 200)
    }

    @Test func `fifty that are refused the same token cause one renewal`() async throws {
        let client = world.client()
        _ = try await client.accessToken()
        await world.service.forgetTokens()
        let world = world
        let answers = try await Self.together(50) { try await world.fetch(client).status }
        #expect(answers.allSatisfy { $0 == 200 })
        #expect(await world.service.tokenRequests == 2)
    }

    @Test func `a developer token that is refused is one request and one clear error`() async throws {
        let client = world.client(.developerToken("dev-secret"), application: nil)
        let error = await #expect(throws: AuthError(.developerTokenRefused, "")) { try await world.fetch(client) }
        #expect(await world.service.requests.count == 1)
        #expect(!String(reflecting: error).contains("dev-secret"))
        await world.service.give(token: "dev-secret")
        #expect(try await world.fetch(client).status == 200)
        #expect(await world.service.tokenRequests == 0)
    }

    @Test func `cancelling one who waits cancels nobody else`() async throws {
        let client = world.client()
        let gate = Gate()
        await world.service.fail("/oauth2/token", .held(gate))
        let patient = Task { try await client.accessToken() }
        await gate.someoneArrives()
        let hasty = Task { try await client.accessToken() }
        hasty.cancel()
        await #expect(throws: AuthError(.cancelled, "")) { try await hasty.value }
        await gate.open()
        #expect(try await patient.value == "access-1")
        #expect(await world.service.tokenRequests == 1)
    }

    @Test func `what the service says about a refusal is in the error, and nothing secret`() async throws {
        await world.service.fail(
            "/oauth2/token",
            .answer(
                FakeBox.json(
                    ["error": "unauthorized_client", "error_description": "not here"], status: 400,
                    headers: [("X-Request-ID", "r-1")])))
        let error = await #expect(throws: AuthError.self) { try await world.client().accessToken() }
        #expect(error?.code == .refused)
        #expect(error?.server?.code == "unauthorized_client")
        #expect(error?.server?.description == "not here")
        #expect(error?.server?.traceID == "r-1")
        #expect(!String(reflecting: error).contains("SEC"))
    }

    @Test func `what the API says about a refusal is in the error`() async throws {
        let body: JSONValue = [
            "type": "error", "status": 404, "code": "not_found", "message": "no such file", "request_id": "abc",
        ]
        await world.service.fail("/2.0/files/1", .answer(FakeBox.json(body, status: 404)))
        let error = await #expect(throws: AuthError.self) { try await world.client().call("GET", "/2.0/files/1") }
        #expect(error?.code == .refused)
        #expect(
            error?.server
                == .init(status: 404, code: "not_found", description: "no such file", traceID: "abc"))
        await world.service.fail("/2.0/files/1", .answer(FakeBox.busy(429, retryAfter: "3000")))
        let busy = await #expect(throws: AuthError.self) { try await world.client().call("GET", "/2.0/files/1") }
        #expect(busy?.code == .unavailable && busy?.server?.retryAfterSeconds == 3_000)
        #expect(try await world.client().call("GET", BoxWorld.me)["id"] == "11")
    }

    @Test func `nothing that is printed shows a secret`() async throws {
        let client = world.client(.threeLegged(uniqueID: "u", tokens: Self.given(world)))
        let values: [Any] = [
            client, BoxWorld.application, BoxWorld.enterprise, Self.given(world), ServiceCredential.developerToken("x"),
        ]
        for value in values {
            #expect(Mirror(reflecting: value).children.isEmpty)
            for text in ["\(value)", String(reflecting: value)] {
                #expect(!text.contains("SEC") && !text.contains("given") && !text.contains("x\""))
            }
        }
    }

    static func given(_ world: BoxWorld) -> ServiceTokens {
        ServiceTokens(
            accessToken: "given-access", refreshToken: "given-refresh", obtainedAt: world.clock.now,
            expiresInSeconds: 3_600)
    }
}
