import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("Signing in with a provider's own sheet")
struct NativeSocialTests {
    private func begin(_ fixture: FederationFixture, at provider: String = "acme") async throws -> JSONValue {
        let answer = try await fixture.server.call("oauth/native/start", ["provider": .string(provider)])
        #expect(answer.status == 200, "\(answer.json)")
        return answer.json
    }

    private func finish(
        _ fixture: FederationFixture, _ begun: JSONValue, token: JSONValue? = nil, provider: String = "acme"
    ) async throws -> EndpointAnswer {
        try await fixture.server.call(
            "oauth/native/finish",
            [
                "provider": .string(provider), "stateId": begun["stateId"] ?? "",
                "idToken": token ?? begun["nonce"] ?? "",
            ])
    }

    @Test func `an app gets a nonce, brings the token, and has a session`() async throws {
        let fixture = try await FederationFixture.start()
        let begun = try await begin(fixture)
        #expect(begun["clientId"] == "client" && begun["implicit"] == true)
        let answer = try await finish(fixture, begun)
        #expect(answer.status == 200 && answer.refreshJWT?.isEmpty == false, "\(answer.json)")
        #expect(answer.json["firstSeen"] == true && answer.methods == ["oauth"])
        #expect(try await fixture.holder() != nil)
        await fixture.server.stop()
    }

    @Test func `F-22: a token counts once, and only for the sign-in whose nonce it has`() async throws {
        let fixture = try await FederationFixture.start()
        let begun = try await begin(fixture)
        #expect(try await finish(fixture, begun).status == 200)
        let again = try await finish(fixture, begun)
        #expect(again.status == 400 && again.refreshJWT == nil)
        let other = try await begin(fixture)
        let replayed = try await finish(fixture, other, token: begun["nonce"])
        #expect(replayed.status >= 400 && replayed.refreshJWT == nil)
        // Whatever came of it, that sign-in is over.
        #expect(try await finish(fixture, other).status == 400)
        await fixture.server.stop()
    }

    @Test func `F-22: of a hundred ends of one sign-in one gets a session`() async throws {
        let fixture = try await FederationFixture.start()
        let begun = try await begin(fixture)
        let good = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<100 { group.addTask { try await finish(fixture, begun).status == 200 } }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(good == 1)
        await fixture.server.stop()
    }

    @Test func `F-22: a sign-in ends at the connection where it began, and no browser's state ends it`() async throws {
        let fixture = try await FederationFixture.start(.person(), [.scripted(), .scripted("other")])
        let begun = try await begin(fixture)
        #expect(try await finish(fixture, begun, provider: "other").status == 400)
        let browser = fixture.server.browser()
        let handle = try await fixture.leave(browser)
        let crossed = try await finish(fixture, ["stateId": .string(handle), "nonce": "kept"])
        #expect(crossed.status == 400 && crossed.refreshJWT == nil)
        // The native state is of no use at the callback.
        let state = try #require(begun["stateId"]?.stringValue)
        let screen = try await fixture.comeBack(browser, state)
        #expect(try !FederationFixture.hasCode(screen) && screen.status == 400)
        await fixture.server.stop()
    }

    @Test(arguments: [nil, 0, 4] as [Int64?])
    func `what the provider said before it signed the user out opens nothing afterwards`(_ issued: Int64?)
        async throws
    {
        let fixture = try await FederationFixture.start()
        let (clock, identities) = (fixture.server.clock, fixture.server.services.stores.identities)
        #expect(try await finish(fixture, try await begin(fixture)).status == 200)
        let begun = try await begin(fixture)
        var said = FederatedProfile.person()
        said.issuedAt = issued.map { clock.now + $0 }
        fixture.provider.says(said)
        clock.advance(4)
        try await identities.noteSignOut(of: said.key(at: "acme"), at: clock.now)
        clock.advance(4)
        let late = try await finish(fixture, begun)
        #expect(late.status == 400 && late.refreshJWT == nil)
        // Begun since, so said since, also by a provider whose clock is slow.
        #expect(try await finish(fixture, try await begin(fixture)).status == 200)
        await fixture.server.stop()
    }

    @Test func `a sheet that was open before the sign-out brings what was said after it`() async throws {
        let fixture = try await FederationFixture.start()
        let (clock, identities) = (fixture.server.clock, fixture.server.services.stores.identities)
        #expect(try await finish(fixture, try await begin(fixture)).status == 200)
        let begun = try await begin(fixture)
        var said = FederatedProfile.person()
        try await identities.noteSignOut(of: said.key(at: "acme"), at: clock.now)
        clock.advance(1)
        said.issuedAt = clock.now
        fixture.provider.says(said)
        #expect(try await finish(fixture, begun).status == 200)
        await fixture.server.stop()
    }

    @Test func `F-23: an access token or a code instead of the ID token opens nothing`() async throws {
        let fixture = try await FederationFixture.start()
        let begun = try await begin(fixture)
        for member in ["accessToken", "code"] {
            let answer = try await fixture.server.call(
                "oauth/native/finish",
                .object(["provider": "acme", "stateId": begun["stateId"] ?? "", member: begun["nonce"] ?? ""]))
            #expect(answer.status == 400 && answer.refreshJWT == nil)
        }
        await fixture.server.stop()
    }

    @Test func `a provider that does not answer can be tried again, an unknown or a tenant's one not`() async throws {
        let tenant = Tenant(id: "t", name: "T", createdAt: UnixTime(rawValue: 0))
        let fixture = try await FederationFixture.start(
            .person(), [.scripted(), .scripted("theirs", tenant: "t")], tenants: [tenant])
        let begun = try await begin(fixture)
        fixture.provider.fails(ConnectionProblem(.unavailable, code: "keys"))
        #expect(try await finish(fixture, begun).status >= 400)
        fixture.provider.says(.person())
        #expect(try await finish(fixture, begun).status == 200)
        for provider in ["nobody", "theirs"] {
            let answer = try await fixture.server.call("oauth/native/start", ["provider": .string(provider)])
            #expect(answer.status >= 400 && answer.json["nonce"] == nil)
        }
        await fixture.server.stop()
    }
}
