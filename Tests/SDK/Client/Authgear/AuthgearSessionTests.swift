import KeyturnBase
import KeyturnJose
import KeyturnWire
import Testing

@testable import Keyturn

@Suite("Authgear: sign-in and session, scenario by scenario")
struct AuthgearSessionTests {
    private let fullAccess = "openid offline_access https://authgear.com/scopes/full-access"

    @Test func `a life as Authgear's SDK has it, request by request`() async throws {
        let world = AuthgearWorld()
        let auth = world.container()
        var options = SignInOptions(redirectURI: AuthgearWorld.redirectURI)
        (options.page, options.colorScheme, options.uiLocales) = (.signup, .dark, ["de-AT", "en"])
        options.extra = ["x_state": "mine", "x_oauth_provider_alias": "google"]
        let result = try await auth.authorize(options)
        #expect(result.userInfo.subject == "andy" && result.userInfo.customAttributes == ["shoeSize": 44])
        let page = try #require(await world.pages.first)
        let thumbprint = try #require(await auth.keeper.machine.record?.keyThumbprint)
        var fixed = page
        for name in ["state", "nonce", "code_challenge"] {
            #expect(fixed.removeValue(forKey: name)?.utf8.count ?? 0 >= 32)
        }
        #expect(
            fixed == [
                "response_type": "code", "client_id": "harbour", "redirect_uri": AuthgearWorld.redirectURI,
                "scope": fullAccess, "code_challenge_method": "S256", "ui_locales": "de-AT en", "x_page": "signup",
                "x_color_scheme": "dark", "x_sso_enabled": "false", "x_suppress_idp_session_cookie": "true",
                "x_state": "mine", "x_oauth_provider_alias": "google", "dpop_jkt": thumbprint,
            ])
        let refreshToken = try #require(await auth.keeper.machine.record?.refreshToken)
        try await auth.forceRefresh()
        _ = try await auth.userInfo()
        try await auth.logout()
        let forms = await world.server.forms()
        let device = try #require(forms[0]["x_device_info"])
        #expect(
            forms[1] == [
                "grant_type": "refresh_token", "client_id": "harbour", "refresh_token": refreshToken,
                "x_device_info": device,
            ])
        #expect(forms.count == 2 && forms[0].keys.sorted().joined(separator: " ") == exchanged)
        #expect(await world.server.revoked == [refreshToken])
        let paths = await world.server.requests.map { FakeAuthgear.path($0.url) }
        #expect(
            paths == [
                "/.well-known/openid-configuration", "/oauth2/token", "/oauth2/jwks", "/oauth2/userinfo",
                "/oauth2/token", "/oauth2/userinfo", "/oauth2/revoke",
            ])
        let model = try JSONValue(parsing: #require(Base64URL.decode(device)))["ios"]?["uname"]
        #expect(model?["machine"] != nil && model?["nodename"] == nil, "the machine's name stays here")
    }

    private let exchanged = "client_id code code_verifier grant_type redirect_uri x_device_info"

    @Test func `1: nothing is stored, and that is said once`() async throws {
        let auth = AuthgearWorld().container()
        var changes = auth.changes.makeAsyncIterator()
        #expect(try await auth.start() == .signedOut)
        #expect(await changes.next() == SessionChange(.signedOut, .nothingStored))
        #expect(try await auth.start() == .signedOut)
    }

    @Test func `2: a stored session knows at once what it may, and renews itself once`() async throws {
        let world = AuthgearWorld()
        _ = try await world.signedIn()
        world.clock.advance(1_800)
        let auth = world.container()
        let before = await world.server.requests.count
        #expect(try await auth.start().isSignedIn)
        #expect(await auth.canReauthenticate)
        #expect(await auth.authTime != nil)
        #expect(await world.server.requests.count == before, "without a network")
        #expect(try await auth.userInfo().subject == "andy")
        #expect(await world.server.forms().map { $0["grant_type"] } == ["authorization_code", "refresh_token"])
        #expect(await auth.state == .signedIn(.fresh))
        while await auth.idToken?.issuedAt != world.clock.now { await Task.yield() }
    }

    @Test func `3: a refresh that is refused ends the session once, and leaves the biometric key`() async throws {
        let world = AuthgearWorld()
        let auth = try await world.signedIn()
        try await auth.biometrics.enable(AuthgearWorld.prompt)
        var changes = auth.changes.makeAsyncIterator()
        await world.server.set { server in server.sessions.keys.forEach { server.end($0) } }
        world.clock.advance(1_800)
        await #expect(throws: AuthError.code(.sessionEnded)) { try await auth.accessToken() }
        #expect(await changes.next()?.reason == .ended)
        #expect(await auth.state == .ended(.refused))
        await #expect(throws: AuthError.code(.signedOut)) { try await auth.accessToken() }
        #expect(try await world.container().start() == .ended(.refused))
        #expect(try await auth.biometrics.isEnabled())
    }

    @Test(arguments: [500, 429])
    func `4: a server that cannot answer now ends nothing, and UserInfo is not asked`(_ status: Int) async throws {
        let world = AuthgearWorld()
        let auth = try await world.signedIn()
        world.clock.advance(1_800)
        let body = Refusal.body(status == 429 ? "x_rate_limited" : "server_error", "later")
        await world.server.fail("/oauth2/token", .answer(HTTPResponse(status: status, body: body)))
        let before = await world.server.sent("/oauth2/userinfo").count
        await #expect(throws: AuthError.code(.unavailable)) { try await auth.userInfo() }
        #expect(await world.server.sent("/oauth2/userinfo").count == before)
        #expect(await auth.state.isSignedIn)
        world.clock.advance(120)
        #expect(try await auth.userInfo().subject == "andy")
    }

    @Test func `5: ten callers make one refresh, and the rotated token is the stored one`() async throws {
        let world = AuthgearWorld()
        await world.server.set { $0.rotates = true }
        let auth = try await world.signedIn()
        world.clock.advance(1_800)
        let gate = Gate()
        await world.server.fail("/oauth2/token", .held(gate))
        let callers = (0..<10).map { _ in Task { try await auth.accessToken() } }
        await gate.someoneArrives()
        while await auth.keeper.waiters.count < 10 { await Task.yield() }
        await gate.open()
        var tokens: Set<String> = []
        for caller in callers { tokens.insert(try await caller.value) }
        #expect(tokens.count == 1)
        #expect(await world.server.forms().count == 2)
        let stored = try SessionRecord(try #require(await world.store.read("default").record))
        #expect(await world.server.refreshTokens.keys.sorted() == [stored.refreshToken])
    }

    @Test func `6: a token of half an hour is renewed in its last tenth`() async throws {
        let world = AuthgearWorld()
        let auth = try await world.signedIn()
        world.clock.advance(1_619)
        _ = try await auth.accessToken()
        #expect(await world.server.forms().count == 1)
        world.clock.advance(2)
        _ = try await auth.accessToken()
        #expect(await world.server.forms().count == 2)
    }

    @Test func `14: offline, a logout fails and changes nothing, and a forced one succeeds`() async throws {
        let world = AuthgearWorld()
        let auth = try await world.signedIn()
        await world.server.fail("/oauth2/revoke", .unreachable, .unreachable)
        await #expect(throws: AuthError.code(.unavailable)) { try await auth.logout() }
        #expect(await auth.state.isSignedIn)
        var changes = auth.changes.makeAsyncIterator()
        try await auth.logout(force: true)
        #expect(await changes.next() == SessionChange(.signedOut, .signedOut))
        #expect(try await world.container().start() == .signedOut)
    }

    @Test func `15: two names share nothing, and one name shares all`() async throws {
        let world = AuthgearWorld()
        let work = try await world.signedIn("work")
        try await work.biometrics.enable(AuthgearWorld.prompt)
        #expect(try await world.container("home").start() == .signedOut)
        #expect(try await !world.container("home").biometrics.isEnabled())
        #expect(try await world.container("work").start().isSignedIn)
        #expect(try await world.container("work").biometrics.isEnabled())
        let home = try await world.signedIn("home")
        let own = await home.keeper.machine.record?.keyThumbprint
        #expect(await work.keeper.machine.record?.keyThumbprint != own)
    }

    @Test func `16: what is kept in memory ends with the process`() async throws {
        let world = AuthgearWorld()
        let auth = world.container(storage: .memory)
        try await auth.authorize(redirectURI: AuthgearWorld.redirectURI)
        #expect(await auth.state.isSignedIn)
        #expect(try await world.container(storage: .memory).start() == .signedOut)
        #expect(try await world.container().start() == .signedOut)
    }

    @Test func `18: a callback with an error, with another state, and without a code`() async throws {
        let world = AuthgearWorld()
        for (error, code) in [
            ("cancel", AuthError.Code.cancelled), ("access_denied", .cancelled), ("invalid_scope", .refused),
            ("login_required", .interactionRequired), ("server_error", .unavailable),
        ] {
            await world.server.set { $0.pageError = error }
            let thrown = await #expect(throws: AuthError.self) {
                try await world.container().authorize(redirectURI: AuthgearWorld.redirectURI)
            }
            #expect(thrown?.code == code && thrown?.server?.code == error)
        }
        for bend: @Sendable (String) -> String in [
            { $0.replacing("state=", with: "state=x") }, { $0.replacing("code=", with: "kode=") },
            { $0.replacing("host/path", with: "host/other") },
        ] {
            await #expect(throws: AuthError.code(.callbackMismatch)) {
                try await world.container(bend: bend).authorize(redirectURI: AuthgearWorld.redirectURI)
            }
        }
        #expect(await world.server.forms().isEmpty)
    }

    @Test func `20: a refresh proves the key of the sign-in`() async throws {
        let world = AuthgearWorld()
        let auth = try await world.signedIn()
        let thumbprint = try #require(await world.server.sessions.values.first?.thumbprint)
        try await auth.forceRefresh()
        for request in await world.server.sent("/oauth2/token") {
            let proof = try #require(request.headers.first { $0.name == "DPoP" }?.value)
            let jws = try UnverifiedJWS(proof)
            #expect(try JSONWebKey(#require(jws.header.members["jwk"])).thumbprint() == thumbprint)
            let claims = try JSONValue(parsing: jws.unverifiedPayload)
            #expect(claims["htu"] == .string(FakeAuthgear.origin + "/oauth2/token"))
        }
        // Without the key the session is over, and says why.
        try await auth.deviceKeys.removeKey("default")
        await #expect(throws: AuthError.code(.sessionEnded)) { try await auth.forceRefresh() }
        #expect(await auth.state == .ended(.deviceKeyLost))
    }
}
