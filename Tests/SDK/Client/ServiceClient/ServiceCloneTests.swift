import KeyturnBase
import KeyturnVerify
import KeyturnWire
import Testing

@testable import Keyturn

@Suite("Service clients: clones, lesser tokens, and the end")
struct ServiceCloneTests {
    let world = BoxWorld()

    /// The fields of the last request for the API that a client adds.
    private func added() async throws -> [String: String] {
        let request = try #require(await world.service.sent(BoxWorld.me).last)
        let fields = request.headers.map { ($0.name.lowercased(), $0.value) }
        return Dictionary(fields) { "\($0), \($1)" }.filter { $0.key != "authorization" }
    }

    @Test func `each clone adds its own and keeps what was there; the first client stays as it is`() async throws {
        let client = world.client()
        let all = client.acting(as: "777").withSharedLink("https://a.box.com/s/x?y=1&z", password: "p&w=ä +")
            .withoutNotifications().withHeaders(["X-One": "1", "X-Two": "2"])
        _ = try await world.fetch(all)
        #expect(
            try await added() == [
                "as-user": "777", "box-notifications": "off", "x-one": "1", "x-two": "2",
                "boxapi": "shared_link=https%3A%2F%2Fa.box.com%2Fs%2Fx%3Fy%3D1%26z"
                    + "&shared_link_password=p%26w%3D%C3%A4%20%2B",
            ])
        _ = try await world.fetch(client)
        #expect(try await added() == [:])
        _ = try await world.fetch(all.acting(as: "888").withHeaders(["x-one": "new"]).withSharedLink("b"))
        #expect(
            try await added() == [
                "as-user": "888", "box-notifications": "off", "x-one": "new", "x-two": "2", "boxapi": "shared_link=b",
            ])
    }

    @Test func `a client's field takes the place of the request's own`() async throws {
        let client = world.client().acting(as: "7").withHeaders(["accept": "b"])
        _ = try await client.send(
            HTTPRequest(
                url: "https://api.box.com" + BoxWorld.me,
                headers: [("as-user", "8"), ("Accept", "a"), ("X-Own", "x"), ("Authorization", "Bearer mine")]))
        #expect(try await added() == ["as-user": "7", "accept": "b", "x-own": "x"])
        let request = try #require(await world.service.sent(BoxWorld.me).last)
        #expect(request.headers.filter { $0.name == "Authorization" }.map(\.value) == ["Bearer access-1"])
    }

    @Test func `what cannot stand in a header is never sent`() async throws {
        let client = world.client()
        let bad = [
            client.acting(as: ""), client.acting(as: "7\r\nX: y"), client.acting(as: "ä"), client.acting(as: "7 8"),
            client.withHeaders(["X": "a\nb"]), client.withHeaders(["X Y": "a"]), client.withHeaders(["": "a"]),
            client.withHeaders(["authorization": "Bearer x"]), client.withHeaders(["As-User": "1"]),
            client.withHeaders(["Host": "evil"]), client.withSharedLink(String(repeating: "x", count: 9_000)),
        ]
        for client in bad {
            await #expect(throws: AuthError(.misconfigured, "")) { try await world.fetch(client) }
        }
        #expect(await world.service.requests.isEmpty)
    }

    static let exchangeBody =
        "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange&subject_token=access-1"
        + "&subject_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Aaccess_token&scope=item_preview"

    @Test func `an exchange is the token alone: no secret, no header that speaks for somebody`() async throws {
        let client = world.client().acting(as: "777").withSharedLink("https://x").withHeaders(["X-Mine": "1"])
        let tokens = try await client.exchange(
            scope: [.itemPreview], resource: "https://api.box.com/2.0/files/123",
            sharedLink: "https://l?a&b")
        #expect(tokens.accessToken == "access-2" && tokens.refreshToken == nil)
        #expect(tokens.issuedTokenType == .accessToken)
        #expect(tokens.restrictedTo == [RestrictedObject(scope: "item_preview", resource: "123")])
        let request = try #require(await world.service.sent("/oauth2/token").last)
        #expect(Set(request.headers.map(\.name)) == ["Accept", "Content-Type"])
        #expect(
            String(decoding: request.body ?? [], as: UTF8.self)
                == Self.exchangeBody + "&resource=https%3A%2F%2Fapi.box.com%2F2.0%2Ffiles%2F123"
                + "&box_shared_link=https%3A%2F%2Fl%3Fa%26b")
    }

    @Test func `a restricted client has a token of its own, renews it, and acts as nobody`() async throws {
        let client = world.client().acting(as: "777").withSharedLink("https://x").withHeaders(["X-Mine": "1"])
        let lesser = client.restricted(to: TokenRestriction(scope: Scope(names: ["item_preview"])))
        #expect(try await world.fetch(lesser).status == 200)
        #expect(try await added() == [:])
        #expect(try await lesser.accessToken() == "access-2")
        world.clock.advance(3_600)
        #expect(try await lesser.accessToken() == "access-4", "with a new token to exchange")
        await world.service.forgetTokens()
        #expect(try await world.fetch(lesser).status == 200, "both were dead")
        _ = try await world.fetch(lesser.acting(as: "5"))
        #expect(try await added() == ["as-user": "5"], "unless it is told to")
    }

    @Test func `a scope that the client has not got is refused after one request`() async throws {
        let client = world.client()
        _ = try await client.accessToken()
        await world.service.fail("/oauth2/token", .answer(FakeBox.json(["error": "invalid_scope"], status: 400)))
        let error = await #expect(throws: AuthError(.refused, "")) {
            try await client.exchange(scope: Scope(names: ["root"]))
        }
        #expect(error?.server?.code == "invalid_scope")
        #expect(await world.service.tokenRequests == 2)
    }

    @Test func `an exchange that brings something else is none`() async throws {
        let client = world.client()
        _ = try await client.accessToken()
        await world.service.fail(
            "/oauth2/token",
            .answer(
                FakeBox.json([
                    "access_token": "x", "token_type": "bearer",
                    "issued_token_type": "urn:ietf:params:oauth:token-type:refresh_token",
                ])))
        await #expect(throws: AuthError(.protocolViolation, "")) { try await client.exchange(scope: .none) }
    }

    @Test func `revoke ends the token in both places; the next request asks for another`() async throws {
        let store = FragileTokenStore()
        let client = world.client(store: store)
        try await client.revoke()
        #expect(await world.service.revoked.isEmpty, "there was none")
        _ = try await client.accessToken()
        try await client.acting(as: "7").revoke()
        #expect(await world.service.revoked == ["access-1"])
        #expect(await store.contents.isEmpty)
        #expect(await client.tokens == nil)
        let body = try #require(await world.service.sent("/oauth2/revoke").first?.body)
        #expect(String(decoding: body, as: UTF8.self) == "client_id=CID&client_secret=SEC&token=access-1")
        #expect(try await client.accessToken() == "access-2")
    }

    @Test func `a revocation that did not reach the service changes nothing`() async throws {
        let client = world.client(configuration: Self.impatient)
        _ = try await client.accessToken()
        await world.service.fail("/oauth2/revoke", .unreachable)
        await #expect(throws: AuthError(.unavailable, "")) { try await client.revoke() }
        #expect(try await client.accessToken() == "access-1")
    }

    private static var impatient: ServiceConfiguration {
        var configuration = ServiceConfiguration.box
        configuration.retry = .none
        return configuration
    }

    @Test func `destroy stops every clone, memory and store`() async throws {
        let store = FragileTokenStore()
        let client = world.client(.threeLegged(uniqueID: "u", tokens: ServiceTokenTests.given(world)), store: store)
        let clones = [client, client.acting(as: "7"), client.withSharedLink("https://x").withoutNotifications()]
        let lesser = client.restricted(to: TokenRestriction(scope: .none))
        _ = try await client.accessToken()
        #expect(await store.contents.count == 1)
        try await clones[1].destroy()
        #expect(await world.service.revoked == ["given-refresh"], "what stands for the whole session")
        #expect(await store.contents.isEmpty)
        let before = await world.service.requests.count
        for clone in clones + [lesser] {
            await #expect(throws: AuthError(.clientDestroyed, "")) { try await world.fetch(clone) }
            await #expect(throws: AuthError(.clientDestroyed, "")) { try await clone.accessToken() }
            await #expect(throws: AuthError(.clientDestroyed, "")) { try await clone.exchange(scope: .none) }
            await #expect(throws: AuthError(.clientDestroyed, "")) { try await clone.revoke() }
        }
        for clone in clones { #expect(await clone.isDestroyed) }
        #expect(await client.tokens == nil)
        try await client.destroy()
        #expect(await world.service.requests.count == before, "nothing is said twice")
    }

    @Test func `whoever waits when it is destroyed hears so, and a token that comes too late is ended`() async throws {
        let store = FragileTokenStore()
        let client = world.client(store: store)
        let gate = Gate()
        await world.service.fail("/oauth2/token", .held(gate))
        let waiting = Task { try await client.accessToken() }
        await gate.someoneArrives()
        let destroying = Task { try await client.destroy() }
        await #expect(throws: AuthError(.clientDestroyed, "")) { try await waiting.value }
        await gate.open()
        try await destroying.value
        #expect(await store.contents.isEmpty)
        await #expect(throws: AuthError(.clientDestroyed, "")) { try await client.accessToken() }
    }

    @Test func `destroyed is destroyed, also where the service cannot be told; once more tells it`() async throws {
        let client = world.client(configuration: Self.impatient)
        _ = try await client.accessToken()
        await world.service.fail("/oauth2/revoke", .unreachable)
        await #expect(throws: AuthError(.unavailable, "")) { try await client.destroy() }
        await #expect(throws: AuthError(.clientDestroyed, "")) { try await client.accessToken() }
        try await client.destroy()
        #expect(await world.service.revoked == ["access-1"])
    }

    @Test func `a developer's client is destroyed without an application, and revoked with one`() async throws {
        let lone = world.client(.developerToken("dev"), application: nil)
        try await lone.destroy()
        await #expect(throws: AuthError(.clientDestroyed, "")) { try await world.fetch(lone) }
        #expect(await world.service.requests.isEmpty)
        try await world.client(.developerToken("dev")).destroy()
        #expect(await world.service.revoked == ["dev"])
    }
}
