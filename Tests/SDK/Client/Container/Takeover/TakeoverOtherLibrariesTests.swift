import KeyturnBase
import KeyturnWire
import Testing

@testable import Keyturn

@Suite("Sessions that Box's and Authgear's SDKs left")
struct TakeoverOtherLibrariesTests {
    private func box(_ world: BoxWorld, _ items: FolderItems, _ store: FragileStore) -> Keyturn {
        Keyturn(
            Service.box(clientID: "CID", clientSecret: "SEC").importing(.box(items: items)), storage: .custom(store),
            transport: world.service, ambient: world.clock.ambient)
    }

    private func isDone(_ auth: Keyturn, _ store: FragileStore) async -> Bool {
        await eventually {
            await store.read(auth.name + "/takeover").record.map { TakeoverMark($0.contents).stage } == .done
        }
    }

    @Test func `Box's tokens are used until their end, and renewed at once`() async throws {
        let (world, items, store) = (BoxWorld(), try FolderItems(), FragileStore())
        let end = world.clock.now.rawValue - 978_307_200 + 3_000
        let text = #"{"accessToken":"old","refreshToken":"refresh-0","expiresIn":3600,"expiresAt":\#(end).5}"#
        try items.put(BoxItem.place, Array(text.utf8))
        await world.service.give(refreshToken: "refresh-0")
        await world.service.fail("/oauth2/token", .unreachable)
        let auth = box(world, items, store)
        #expect(try await auth.start().isSignedIn)
        #expect(await eventually { await world.service.tokenRequests == 1 })
        #expect(await eventually { await auth.state == .signedIn(.fresh) })
        #expect(try await auth.accessToken() == "old")
        #expect(await auth.accessTokenExpiresInSeconds == 3_000)
        world.clock.advance(100)
        let next = box(world, items, store)
        #expect(try await next.start().isSignedIn)
        #expect(await isDone(next, store))
        #expect(items.count == 0)
        let form = FakeBox.form(try #require(await world.service.sent("/oauth2/token").last))
        #expect(form["grant_type"] == "refresh_token" && form["refresh_token"] == "refresh-0")
        #expect(form["client_id"] == "CID" && form["client_secret"] == "SEC")
        world.clock.advance(2)
        #expect(try await next.accessToken() == "access-1")
    }

    @Test func `a token of unknown age is not handed out`() async throws {
        let (world, items, store) = (BoxWorld(), try FolderItems(), FragileStore())
        let text = #"{"access_token":"old","refresh_token":"refresh-0","expires_in":3600,"token_type":"bearer"}"#
        try items.put(BoxGeneratedItem.place, Array(text.utf8))
        try items.put(BoxItem.place, Array(#"{"accessToken":"older","refreshToken":"older"}"#.utf8))
        await world.service.give(refreshToken: "refresh-0")
        await world.service.fail("/oauth2/token", .unreachable)
        let auth = box(world, items, store)
        #expect(try await auth.start().isSignedIn)
        #expect(auth.cachedAccessToken() == nil)
        await #expect(throws: AuthError(.unavailable, "")) { try await auth.accessToken() }
        world.clock.advance(100)
        #expect(try await auth.accessToken() == "access-1")
        #expect(await isDone(auth, store))
        #expect(!items.has(BoxGeneratedItem.place))
        #expect(items.has(BoxItem.place), "that one was not taken over")
    }

    private func authgear(_ world: World, _ items: FolderItems) -> Keyturn {
        Keyturn(
            Service.openID(issuer: FakeService.issuer, clientID: FakeService.clientID)
                .importing(.authgear(items: items)),
            storage: .custom(world.store), transport: world.service, ambient: world.clock.ambient)
    }

    private func put(_ items: FolderItems, _ suffix: String, _ text: String) throws {
        try items.put(LegacySessionItem(service: nil, account: "authgear_default_" + suffix), Array(text.utf8))
    }

    @Test func `Authgear's refresh token brings everything else, and what else is there stays`() async throws {
        let (world, items) = (try World(), try FolderItems())
        let session = try await world.tokens()
        try put(items, "refreshToken", try #require(session.refreshToken))
        try put(items, "idToken", ManagedSession.jwt(["sub": "andy"]))
        try put(items, "deviceSecret", "secret")
        try put(items, "biometricKeyID", "kid")
        await world.service.set { ($0.keepsRefreshTokens, $0.renewsIDToken) = (false, true) }
        let auth = authgear(world, items)
        #expect(try await auth.start().isSignedIn)
        let token = try await auth.accessToken()
        #expect(token.hasPrefix("access-"))
        #expect(await isDone(auth, world.store))
        #expect(items.count == 2)
        #expect(await eventually { await auth.idToken?.subject == "andy" })
        #expect(try await auth.userInfo().subject == "andy")
        try await auth.logout()
        #expect(items.count == 2)
    }

    @Test func `one that is bound to a key is reported, asks for a sign-in, and is left alone`() async throws {
        let (world, items) = (try World(), try FolderItems())
        try put(items, "refreshToken", "id.secret")
        try put(items, "dpopKeyID", "kid")
        let auth = authgear(world, items)
        var changes = auth.changes.makeAsyncIterator()
        #expect(try await auth.start() == .signedOut)
        let change = await changes.next()
        #expect(change?.reason == .notImported && change?.error?.code == .importKeyBound)
        #expect(items.count == 2)
        #expect(await world.service.count("/token") == 0)
        try await authgear(world, items).logout()
        #expect(items.count == 2)
    }
}
