import KeyturnBase
import KeyturnVerify
import KeyturnWire
import Testing

@testable import Keyturn

@Suite("Trifork Identity Manager's service")
struct TimServiceTests {
    private func forms(_ world: VaultWorld, _ path: String = "/token") async throws -> [[String: String]] {
        try await world.provider.requests.filter { $0.url.hasSuffix(path) }.map { request in
            let form = try FormParameters(parsing: String(decoding: request.body ?? [], as: UTF8.self))
            return Dictionary(form.all.map { ($0.name, $0.value) }) { first, _ in first }
        }
    }

    @Test func `a realm is issuer and key service at once`() {
        let service = Service.tim(baseURL: "https://id.example.com/", realm: "r", clientID: "app")
        #expect(service.issuer == "https://id.example.com/auth/realms/r" && service.keyServiceURL == service.issuer)
        #expect(service.defaultScope.text == "openid profile" && service.clientAuthentication.isPublic)
    }

    @Test(arguments: [
        ("https://id.example.com/auth/realms/r", true), ("https://id.example.com/auth/realms/r/s", false),
        ("https://id.example.com.evil/auth/realms/r", false),
        ("https://id.example.com/other/r", false),
    ])
    func `a realm's document names its server, and no other address's does`(
        _ address: String, _ isTaken: Bool
    ) async throws {
        let world = try VaultWorld(service: .tim(issuer: address, keyServiceURL: address, clientID: "app"))
        let document = FakeService.json([
            "issuer": .string(FakeService.issuer), "authorization_endpoint": .string(FakeService.issuer + "/authorize"),
            "token_endpoint": .string(FakeService.issuer + "/token"), "jwks_uri": .string(FakeService.issuer + "/jwks"),
            "userinfo_endpoint": .string(FakeService.issuer + "/userinfo"),
        ])
        let path = "/" + address.split(separator: "/").dropFirst(2).joined(separator: "/")
        await world.provider.fail(path + "/.well-known/openid-configuration", .answer(document))
        let auth = world.container()
        guard isTaken else {
            await #expect(throws: AuthError.code(.protocolViolation)) {
                try await auth.startAuthorization(SignInOptions(redirectURI: World.redirectURI))
            }
            return
        }
        try await auth.authorize(redirectURI: World.redirectURI)
        #expect(try await auth.fetchAPI() == 200)
    }

    @Test func `to lock a session that is not stored forgets it, and tells nobody`() async throws {
        let world = try VaultWorld.tim()
        let auth = world.container()
        try await auth.authorize(redirectURI: World.redirectURI)
        try await auth.vault.lock()
        #expect(await auth.state == .signedOut)
        await #expect(throws: AuthError.code(.signedOut)) { try await auth.accessToken() }
        #expect(await world.provider.revoked.isEmpty)
        #expect(try await world.container().start() == .signedOut)
    }

    @Test(arguments: [
        HTTPResponse(status: 401, headers: [("Content-Type", "text/html")], body: Array("<html>".utf8)),
        HTTPResponse(status: 403, headers: [("Content-Type", "text/html")], body: Array("<html>".utf8)),
        HTTPResponse(status: 200, body: Array("<!doctype html>".utf8)),
        HTTPResponse(status: 302, body: Array("<html>".utf8)),
        HTTPResponse(status: 404, body: Array("<html>".utf8)),
        HTTPResponse(status: 410, headers: [("Content-Type", "text/html")], body: Array("<html>".utf8)),
        HTTPResponse(status: 511),
    ])
    func `a captive portal's page is neither a wrong PIN nor a locked key`(_ page: HTTPResponse) async throws {
        let world = try VaultWorld.tim()
        let auth = try await world.locked()
        await world.keys.fail("key", .answer(page))
        let error = await #expect(throws: AuthError.code(.vaultUnreachable)) {
            try await auth.vault.unlock("andy", password: "1234")
        }
        #expect(error?.server?.status == page.status)
        try await auth.vault.unlock("andy", password: "1234")
    }

    @Test func `to lock a session that is not stored can revoke it as well`() async throws {
        let world = try VaultWorld.tim()
        let auth = world.container()
        try await auth.authorize(redirectURI: World.redirectURI)
        try await auth.vault.lock(revokesUnstored: true)
        #expect(await auth.state == .signedOut)
        #expect(await world.provider.revoked.count == 1)
        try await auth.vault.lock(revokesUnstored: true)
        #expect(await world.provider.revoked.count == 1, "there is nothing left")
    }

    @Test func `what a PIN costs on the wire is what Trifork's clients send`() async throws {
        let world = try VaultWorld.tim(["enable_app_switch": "true"])
        let auth = world.container()
        let url = try await auth.startAuthorization(SignInOptions(redirectURI: World.redirectURI))
        #expect(url.contains("enable_app_switch=true") && url.contains("code_challenge_method=S256"))
        #expect(url.contains("scope=openid+profile") || url.contains("scope=openid%20profile"))
        try await auth.finishAuthorization(callbackURL: try await world.provider.follow(url))
        let key = try await auth.vault.store(newPassword: "1234")
        try await auth.vault.lock()
        try await auth.vault.unlock("andy", password: "1234")
        let token = await world.provider.refreshToken
        try await auth.forceRefresh()
        try await auth.forceRefresh()
        let sent = try await forms(world)
        #expect(sent.count == 3)
        #expect(sent[0]["enable_app_switch"] == nil && sent[0]["code_verifier"] != nil)
        #expect(
            sent[1] == [
                "grant_type": "refresh_token", "scope": "openid profile", "refresh_token": token ?? "",
                "client_id": "app", "enable_app_switch": "true",
            ])
        #expect(sent[2].keys.sorted() == ["client_id", "grant_type", "refresh_token"])
        #expect(await world.keys.bodies("createkey") == [#"{"secret":"1234"}"#])
        #expect(await world.keys.bodies("key") == [#"{"secret":"1234","keyid":"\#(key.keyID)"}"#])
        let asked = try #require(await world.keys.requests.last)
        #expect(asked.url == "https://keys.example.com/auth/realms/r/keyservice/v1/key")
        // The access token is another server's affair.
        #expect(await world.keys.header("Authorization", of: "createkey").isEmpty)
    }

    @Test func `7: 61 seconds are enough, 60 are not, and a token without a lifetime is never renewed`() async throws {
        for lifetime in [Int64(300), 3_600, 36_000] {
            let world = try VaultWorld.tim()
            await world.provider.set { $0.lifetimeSeconds = lifetime }
            let auth = try await world.stored()
            world.clock.advance(lifetime - 61)
            _ = try await auth.accessToken()
            #expect(await world.provider.count("/token") == 1)
            world.clock.advance(1)
            _ = try await auth.accessToken()
            #expect(await world.provider.count("/token") == 2)
        }
        let world = try VaultWorld.tim()
        await world.provider.set { $0.lifetimeSeconds = nil }
        let auth = try await world.stored()
        world.clock.advance(10_000_000)
        _ = try await auth.accessToken()
        #expect(await world.provider.count("/token") == 1)
    }

    @Test func `8: ten callers make one refresh, and get the same token or the same error`() async throws {
        let world = try VaultWorld.tim()
        let auth = try await world.locked()
        try await auth.vault.unlock("andy", password: "1234")
        for isReachable in [true, false] {
            world.clock.advance(600)
            let before = await world.provider.count("/token")
            let gate = Gate()
            // A caller that begins after the others have failed fails by itself.
            for _ in 0..<(isReachable ? 1 : 10) {
                await world.provider.fail("/token", isReachable ? .held(gate) : .unreachable)
            }
            let callers = (0..<10).map { _ in Task { await Result { try await auth.accessToken() } } }
            if isReachable { await gate.someoneArrives() }
            while isReachable, await auth.keeper.waiters.count < 10 { await Task.yield() }
            await gate.open()
            var results: Set<String> = []
            for caller in callers {
                switch await caller.value {
                case .success(let token): results.insert(token)
                case .failure(let error): results.insert(error.code.rawValue)
                }
            }
            #expect(results.count == 1)
            if isReachable { #expect(await world.provider.count("/token") == before + 1) }
        }
    }

    @Test func `13: an answer without a refresh token keeps the old one`() async throws {
        let world = try VaultWorld.tim()
        let auth = try await world.stored()
        await world.provider.set { $0.keepsRefreshTokens = true }
        let token = await world.provider.refreshToken
        for _ in 0..<2 {
            try await auth.forceRefresh()
            try await auth.vault.lock()
            try await auth.vault.unlock("andy", password: "1234")
        }
        #expect(try await auth.vault.refreshToken("andy", password: "1234")?.exposed() == token)
        #expect(try await auth.fetchAPI() == 200)
    }

    @Test func `14: giving up is one error, wherever it happens, and the next sign-in works`() async throws {
        let world = try VaultWorld.tim()
        let givingUp = world.container(bend: { _ in throw AuthError(.cancelled, "the window was closed") })
        await #expect(throws: AuthError.code(.cancelled)) {
            try await givingUp.authorize(redirectURI: World.redirectURI)
        }
        let auth = world.container()
        let url = try await auth.startAuthorization(SignInOptions(redirectURI: World.redirectURI))
        let form = try FormParameters(parsing: String(url.split(separator: "?")[1]))
        let state = try #require(try form.one("state"))
        await #expect(throws: AuthError.code(.cancelled)) {
            try await auth.finishAuthorization(
                callbackURL: World.redirectURI + "?error=access_denied&state=\(state)&iss=" + FakeService.issuer)
        }
        let cancelled = Task { try await auth.authorize(redirectURI: World.redirectURI) }
        cancelled.cancel()
        _ = await cancelled.result
        try await auth.authorize(redirectURI: World.redirectURI)
        #expect(try await auth.fetchAPI() == 200)
    }

    @Test func `15: a code that is refused is no refresh token that expired`() async throws {
        let world = try VaultWorld.tim()
        let auth = world.container()
        await world.provider.fail("/token", .answer(FakeService.invalidGrant))
        let error = await #expect(throws: AuthError.self) { try await auth.authorize(redirectURI: World.redirectURI) }
        #expect(error?.isRefreshTokenExpired == false)
        #expect(error?.server?.code == "invalid_grant")
        try await world.stored("andy", in: auth)
        await world.provider.forgetSession()
        let ended = await #expect(throws: AuthError.self) { try await auth.forceRefresh() }
        #expect(ended?.isRefreshTokenExpired == true)
    }

    @Test func `a session that is not in the vault ends with the process, one that is does not`() async throws {
        let folder = try TemporaryDirectory()
        let store = SealedFileStore(folder.locations, ambient: .live)
        let world = try VaultWorld.tim()
        let memory = world.container(storage: .memory)
        try await memory.authorize(redirectURI: World.redirectURI)
        #expect(folder.contents.isEmpty)
        let auth = world.container(storage: .custom(store))
        try await world.stored("andy", in: auth)
        try await auth.vault.lock()
        // A program that is told nothing finds its service again.
        let found = try #require(
            try await Keyturn.stored(
                name: "default", storage: .custom(store), biometricDevice: world.device,
                transport: VaultNetwork(service: world.provider, keys: world.keys), ambient: world.clock.ambient))
        #expect(found.service.kind == .tim && found.service.keyServiceURL == world.service.keyServiceURL)
        #expect(try await found.vault.users == ["andy"])
        try await found.vault.unlock("andy", password: "1234")
        #expect(try await found.fetchAPI() == 200)
    }
}
