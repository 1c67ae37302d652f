import KeyturnBase
import KeyturnWire
import Testing

@testable import Keyturn

@Suite("Authgear: confirming who it is, and settings")
struct AuthgearPageTests {
    private let settingsScope = "openid offline_access https://authgear.com/scopes/full-access"

    @Test func `10: without anything to prove it with, nothing is asked`() async throws {
        let world = AuthgearWorld()
        await world.server.set { $0.canReauthenticate = false }
        let auth = try await world.signedIn()
        let before = await world.server.requests.count
        await #expect(throws: AuthError.code(.cannotReauthenticate)) {
            try await auth.reauthenticate(redirectURI: AuthgearWorld.redirectURI)
        }
        #expect(await world.server.requests.count == before)
    }

    @Test func `11: a reauthentication moves auth_time, and leaves both tokens`() async throws {
        let world = AuthgearWorld()
        let auth = try await world.signedIn()
        let before = try #require(await auth.keeper.machine.record)
        world.clock.advance(30)
        try await auth.reauthenticate(redirectURI: AuthgearWorld.redirectURI)
        let after = try #require(await auth.keeper.machine.record)
        #expect(after.refreshToken == before.refreshToken && after.accessToken == before.accessToken)
        #expect(await auth.authTime == world.clock.now)
        #expect(after.scope == before.scope)
        var page = try #require(await world.pages.last)
        #expect(page.removeValue(forKey: "id_token_hint") == before.idToken?.compact)
        for name in ["state", "nonce", "code_challenge"] { page[name] = nil }
        #expect(
            page == [
                "response_type": "code", "client_id": "harbour", "redirect_uri": AuthgearWorld.redirectURI,
                "scope": "openid https://authgear.com/scopes/full-access", "code_challenge_method": "S256",
                "max_age": "0", "x_sso_enabled": "false", "x_suppress_idp_session_cookie": "true",
            ], "no prompt, and no key: the session has one")
        #expect(await world.server.forms().map { $0["grant_type"] } == ["authorization_code", "authorization_code"])
    }

    @Test func `an old ID token is renewed for the page, and what it says now counts`() async throws {
        let world = AuthgearWorld()
        let auth = try await world.signedIn()
        world.clock.advance(400)
        try await auth.reauthenticate(redirectURI: AuthgearWorld.redirectURI, maxAge: 300)
        #expect(await world.pages.last?["max_age"] == "300")
        let form = try #require(await world.server.forms().dropFirst().first)
        #expect(form.keys.sorted() == ["client_id", "grant_type", "x_device_info"])
        #expect(form["grant_type"] == "urn:authgear:params:oauth:grant-type:id-token")
        let pages = await world.pages.count
        try await auth.reauthenticate(redirectURI: AuthgearWorld.redirectURI, maxAge: 300)
        #expect(await world.pages.count == pages, "it is recent enough")
        world.clock.advance(400)
        await world.server.set { $0.canReauthenticate = false }
        await #expect(throws: AuthError.code(.cannotReauthenticate)) {
            try await auth.reauthenticate(redirectURI: AuthgearWorld.redirectURI)
        }
        #expect(await world.pages.count == pages)
    }

    @Test func `the ID token is renewed by itself, also by a renewed access token`() async throws {
        let world = AuthgearWorld()
        let auth = try await world.signedIn()
        let before = try #require(await auth.keeper.machine.record)
        world.clock.advance(10)
        let token = try await auth.refreshIDToken()
        #expect(token.issuedAt == world.clock.now && token.authTime == before.idToken?.authTime)
        #expect(await auth.keeper.machine.record?.accessToken == before.accessToken)
        await world.server.set { $0.accessTokens = [:] }
        world.clock.advance(10)
        #expect(try await auth.refreshIDToken().issuedAt == world.clock.now)
        #expect(try await world.container().start().isSignedIn)
        await world.server.set { server in server.sessions.keys.forEach { server.end($0) } }
        await #expect(throws: AuthError.code(.sessionEnded)) { try await auth.refreshIDToken() }
    }

    @Test func `12: settings open signed in, and closing them is no error`() async throws {
        let world = AuthgearWorld()
        let auth = try await world.signedIn()
        try await auth.settings.open(.identifiers, uiLocales: ["de", "en"], colorScheme: .dark)
        var page = try #require(await world.pages.last)
        #expect(
            page.removeValue(forKey: "login_hint")?.hasPrefix(
                "https://authgear.com/login_hint?type=app_session_token&app_session_token=app%2Bsession%26%3D-")
                == true)
        #expect(
            page == [
                "response_type": "none", "client_id": "harbour", "prompt": "none", "scope": settingsScope,
                "redirect_uri": FakeAuthgear.origin + "/settings/identities?ui_locales=de%20en&x_color_scheme=dark",
                "x_sso_enabled": "false", "x_suppress_idp_session_cookie": "true",
            ])
        #expect(await world.server.appSessions.isEmpty, "it was used")
        await #expect(throws: AuthError.code(.cancelled)) {
            try await world.container(closes: true).settings.changePassword(redirectURI: AuthgearWorld.redirectURI)
        }
        #expect(await auth.state.isSignedIn)
    }

    @Test func `13: an account is deleted, and nobody is signed in`() async throws {
        let world = AuthgearWorld()
        let auth = try await world.signedIn()
        try await auth.settings.deleteAccount(redirectURI: AuthgearWorld.redirectURI, colorScheme: .light)
        var page = try #require(await world.pages.last)
        for name in ["state", "nonce", "code_challenge", "login_hint", "id_token_hint"] {
            #expect(page.removeValue(forKey: name)?.isEmpty == false, "\(name)")
        }
        #expect(
            page == [
                "response_type": "urn:authgear:params:oauth:response-type:settings-action", "client_id": "harbour",
                "redirect_uri": AuthgearWorld.redirectURI, "scope": settingsScope, "prompt": "none",
                "code_challenge_method": "S256", "x_settings_action": "delete_account", "x_color_scheme": "light",
                "x_sso_enabled": "false", "x_suppress_idp_session_cookie": "true",
            ])
        let last = try #require(await world.server.forms().last)
        #expect(last["grant_type"] == "urn:authgear:params:oauth:grant-type:settings-action")
        #expect(await auth.state == .signedOut)
        #expect(try await world.container().start() == .signedOut)
        #expect(await world.server.revoked.isEmpty)
    }

    @Test func `every change has its parameters, and what Authgear does not have is not asked for`() async throws {
        let world = AuthgearWorld()
        let auth = try await world.signedIn()
        for (change, action, query, provider) in [
            (SettingsMethods.Change.addEmail, "add_email", nil, nil), (.addPhone, "add_phone", nil, nil),
            (.addUsername, "add_username", nil, nil),
            (.changeEmail(from: "a+b@x.org"), "change_email", "q_login_id=a%2Bb%40x.org", nil),
            (.changePhone(from: "+43 1"), "change_phone", "q_login_id=%2B43%201", nil),
            (.changeUsername(from: "ann"), "change_username", "q_login_id=ann", nil),
            (.linkProvider("google"), "link_oauth", nil, "google"),
            (.unlinkProvider("google"), "unlink_oauth", nil, "google"),
        ] as [(SettingsMethods.Change, String, String?, String?)] {
            try await auth.settings.perform(change, redirectURI: AuthgearWorld.redirectURI)
            let page = try #require(await world.pages.last)
            #expect(page["x_settings_action"] == action && page["x_settings_action_query"] == query)
            #expect(page["x_oauth_provider_alias"] == provider)
        }
        await #expect(throws: AuthError.code(.unsupported)) {
            try await auth.settings.verifyEmail(redirectURI: AuthgearWorld.redirectURI)
        }
    }

    @Test func `a change in two halves, each for its own`() async throws {
        let world = AuthgearWorld()
        let auth = try await world.signedIn()
        let url = try await auth.settings.startChangingPassword(redirectURI: AuthgearWorld.redirectURI)
        let callback = try await world.server.follow(url)
        await #expect(throws: AuthError.code(.callbackMismatch)) {
            try await auth.finishAuthorization(callbackURL: callback)
        }
        await #expect(throws: AuthError.code(.callbackMismatch)) {
            try await auth.settings.finish(.deleteAccount, callbackURL: callback)
        }
        try await auth.settings.finishChangingPassword(callbackURL: callback)
        await #expect(throws: AuthError.code(.callbackMismatch)) {
            try await auth.settings.finishChangingPassword(callbackURL: callback)
        }
        #expect(await auth.state.isSignedIn)
        // A sign-in is not finished by a change.
        let signIn = try await auth.startAuthorization(SignInOptions(redirectURI: AuthgearWorld.redirectURI))
        let other = try await world.server.follow(signIn)
        await #expect(throws: AuthError.code(.callbackMismatch)) {
            try await auth.settings.finish(.changePassword, callbackURL: other)
        }
        try await auth.finishAuthorization(callbackURL: other)
    }

    @Test func `a page that the service opens for nobody ends the session only if that is over`() async throws {
        let world = AuthgearWorld()
        await world.server.set { $0.rotates = true }
        let auth = try await world.signedIn()
        // Refused once, and good again once the session is renewed.
        await world.server.fail("/oauth2/app_session_token", .answer(Self.invalidGrant))
        try await auth.settings.open()
        #expect(await auth.state.isSignedIn)
        await world.server.set { server in server.sessions.keys.forEach { server.end($0) } }
        await #expect(throws: AuthError.code(.sessionEnded)) { try await auth.settings.open() }
        #expect(await auth.state == .ended(.refused))
    }

    private static let invalidGrant = Refusal.call("Forbidden", reason: "InvalidGrant", status: 403).response

    @Test func `19: a page of a web application, and why not`() async throws {
        let world = AuthgearWorld()
        let plain = try await world.signedIn("plain")
        func open(_ auth: Keyturn) async throws -> String {
            try await auth.preAuthenticatedURL(
                opening: "https://shop.example.com/", as: FakeAuthgear.webClientID, state: "s 1")
        }
        await #expect(throws: AuthError.code(.unsupported)) { try await open(plain) }
        let service = Service.authgear(
            clientID: FakeAuthgear.clientID, endpoint: FakeAuthgear.origin, isPreAuthenticatedURLEnabled: true)
        // Signed in before: no secret. Without an ID token, from elsewhere.
        await #expect(throws: AuthError.code(.preAuthenticatedURLSecret)) {
            try await open(world.container("plain", service: service))
        }
        await #expect(throws: AuthError.code(.signedOut)) { try await open(world.container("new", service: service)) }
        let auth = try await world.signedIn(service: service)
        let scope = "\(settingsScope) device_sso https://authgear.com/scopes/pre-authenticated-url"
        #expect(await world.pages.last?["scope"] == scope)
        let before = try #require(await auth.keeper.machine.record?.deviceSecret)
        world.clock.advance(1_000)
        let url = try await open(auth)
        let stored = try SessionRecord(try #require(await world.store.read("default").record))
        let session = try #require(await world.server.sessions[stored.idToken?.sessionID ?? ""])
        #expect(stored.deviceSecret == session.deviceSecret && stored.deviceSecret != before)
        let form = try FormParameters(parsing: String(url.split(separator: "?")[1]))
        var page = Dictionary(uniqueKeysWithValues: form.all.map { ($0.name, $0.value) })
        #expect(page.removeValue(forKey: "x_pre_authenticated_url_token")?.hasPrefix("url-token") == true)
        #expect(page.removeValue(forKey: "id_token_hint")?.isEmpty == false)
        #expect(
            page == [
                "response_type": "urn:authgear:params:oauth:response-type:pre-authenticated-url token",
                "client_id": "web", "redirect_uri": "https://shop.example.com/", "prompt": "none",
                "response_mode": "cookie", "state": "s 1",
            ])
        // Again, with the secret that came.
        _ = try await open(auth)
        try await auth.forceRefresh()
        _ = try await open(auth)
        await world.server.set { server in
            for id in server.sessions.keys { server.sessions[id]?.scope = "openid offline_access" }
        }
        await #expect(throws: AuthError.code(.preAuthenticatedURLScope)) { try await open(auth) }
        var record = try #require(await auth.keeper.machine.record)
        record.idToken = nil
        record.generation = record.generation.next
        _ = try await world.store.write(record.stored, for: "default", when: .always)
        await #expect(throws: AuthError.code(.preAuthenticatedURLIDToken)) {
            try await open(world.container(service: service))
        }
    }

    @Test func `with single sign-on the browser keeps its session`() async throws {
        let world = AuthgearWorld()
        _ = try await world.signedIn(
            service: .authgear(
                clientID: FakeAuthgear.clientID, endpoint: FakeAuthgear.origin + "/", isSSOEnabled: true))
        let page = try #require(await world.pages.last)
        #expect(page["x_sso_enabled"] == "true" && page["x_suppress_idp_session_cookie"] == nil)
        let found = try #require(
            try await Keyturn.stored(
                name: "default", storage: .custom(world.store), transport: world.server, ambient: world.clock.ambient))
        #expect(found.service.kind == .authgear && found.service.wire.authgear?.isSSOEnabled == true)
        #expect(try await found.userInfo().subject == "andy")
    }

    @Test func `a secret that was replaced while a session was renewed is the one that stays`() async throws {
        let world = AuthgearWorld()
        let service = Service.authgear(
            clientID: FakeAuthgear.clientID, endpoint: FakeAuthgear.origin, isPreAuthenticatedURLEnabled: true)
        let auth = try await world.signedIn(service: service)
        let gate = Gate()
        await world.server.fail("/oauth2/token", .held(gate))
        let renewal = Task { try await auth.forceRefresh() }
        await gate.someoneArrives()
        let before = await world.server.sessions.values.first?.deviceSecret
        let other = Task { try await auth.refreshIDToken() }
        while await world.server.sessions.values.first?.deviceSecret == before { await Task.yield() }
        await gate.open()
        _ = try await (renewal.value, other.value)
        let secret = await world.server.sessions.values.first?.deviceSecret
        #expect(secret != before)
        #expect(await auth.keeper.machine.record?.deviceSecret == secret)
        #expect(
            try await auth.preAuthenticatedURL(opening: "https://shop.example.com/", as: FakeAuthgear.webClientID)
                .contains("x_pre_authenticated_url_token="))
    }
}
