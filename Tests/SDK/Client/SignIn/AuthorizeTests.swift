import KeyturnBase
import KeyturnVerify
import KeyturnWire
import Testing

@testable import Keyturn

@Suite("Signing in, OpenID Connect Core §3.1")
struct AuthorizeTests {
    static func query(_ url: String) throws -> FormParameters {
        try FormParameters(parsing: url.split(separator: "?", maxSplits: 1)[1])
    }

    @Test func `a sign-in ends with a verified person and a durable session`() async throws {
        let world = try World()
        let auth = world.container()
        let result = try await auth.authorize(redirectURI: World.redirectURI, state: "the app's own")
        #expect(result.idToken?.subject == "andy")
        #expect(result.userInfo["shoe_size"] == 44)
        #expect(result.userInfo.name == "Andy")
        #expect(result.state == "the app's own")
        #expect(await auth.state == .signedIn(.fresh))
        #expect(await auth.authTime == world.clock.now)
        #expect(await world.store.writes == 1)
        #expect(try await auth.fetchAPI() == 200)
    }

    @Test func `everything asked for is in the request`() async throws {
        let world = try World()
        var options = SignInOptions(redirectURI: World.redirectURI)
        options.prompt = [.login, .consent]
        options.uiLocales = ["de-CH", "fr"]
        options.page = .signup
        options.loginHint = "andy@example.com"
        options.maxAgeSeconds = 300
        options.acrValues = ["gold"]
        options.resource = ["https://api.example.com", "https://files.example.com"]
        options.extra = ["tenant": "t1"]
        let query = try Self.query(try await world.container().startAuthorization(options))
        let expected = [
            "response_type": "code", "client_id": FakeService.clientID, "redirect_uri": World.redirectURI,
            "prompt": "login consent create", "ui_locales": "de-CH fr", "login_hint": "andy@example.com",
            "max_age": "300", "acr_values": "gold", "tenant": "t1", "code_challenge_method": "S256",
            "scope": "openid profile email offline_access",
        ]
        for (name, value) in expected { #expect(try query.one(name) == value, "\(name)") }
        #expect(query.values("resource") == options.resource)
    }

    @Test func `a service's own words for page and colours are used`() async throws {
        let world = try World()
        let auth = Keyturn(
            .keyturn(issuer: FakeService.issuer, clientID: "app"), storage: .memory, transport: world.service,
            ambient: world.clock.ambient)
        var options = SignInOptions(redirectURI: World.redirectURI)
        options.page = .signup
        options.colorScheme = .dark
        let query = try Self.query(try await auth.startAuthorization(options))
        #expect(try query.one("x_page") == "signup")
        #expect(try query.one("x_color_scheme") == "dark")
        #expect(try query.one("prompt") == nil)
    }

    @Test func `state, nonce and challenge are new each time and unguessable`() async throws {
        let world = try World()
        let auth = world.container()
        var seen: Set<String> = []
        for _ in 0..<50 {
            let url = try await auth.startAuthorization(SignInOptions(redirectURI: World.redirectURI))
            for name in ["state", "nonce", "code_challenge"] {
                let value = try #require(try Self.query(url).one(name))
                #expect(value.utf8.count == 43)
                #expect(seen.insert(value).inserted)
            }
        }
    }

    @Test func `the claim that reauthentication goes by is asked for, beside those that the app asks for`() async throws
    {
        let world = try World()
        let auth = Keyturn(
            .keyturn(issuer: FakeService.issuer, clientID: FakeService.clientID, binding: .none),
            storage: .custom(world.store), browser: FakeBrowser(service: world.service), transport: world.service,
            ambient: world.clock.ambient)
        let claim = "https://authgear.com/claims/user/can_reauthenticate"
        var options = SignInOptions(redirectURI: World.redirectURI)
        func asked() async throws -> JSONValue? {
            try Self.query(try await auth.startAuthorization(options)).one("claims").map {
                try JSONValue(parsing: $0.utf8)
            }
        }
        #expect(try await asked() == ["id_token": .object([claim: .null])])
        options.extra = ["claims": "{\"userinfo\":{\"email\":null},\"id_token\":{\"name\":{\"essential\":true}}}"]
        let both: JSONValue = .object([claim: .null, "name": ["essential": true]])
        #expect(try await asked() == ["userinfo": ["email": .null], "id_token": both])
        options.extra = ["claims": "everything"]
        await #expect(throws: AuthError(.misconfigured, "")) { _ = try await asked() }
    }

    @Test func `only supported scopes are asked for, unless the app insists`() async throws {
        let world = try World()
        await world.service.set { $0.metadata["scopes_supported"] = ["openid", "email"] }
        let auth = world.container()
        var options = SignInOptions(redirectURI: World.redirectURI)
        #expect(try Self.query(try await auth.startAuthorization(options)).one("scope") == "openid email")
        options.scope = Scope("openid offline_access")
        #expect(try Self.query(try await auth.startAuthorization(options)).one("scope") == "openid offline_access")
    }

    struct Mistake: Sendable, CustomTestStringConvertible {
        let name: String
        let make: @Sendable (inout SignInOptions) -> Void
        var testDescription: String { name }
    }

    static let mistakes = [
        Mistake(name: "no openid") { $0.scope = Scope("email") },
        Mistake(name: "none beside another prompt") { $0.prompt = [.none, .login] },
        Mistake(name: "state as an extra parameter") { $0.extra = ["state": "x"] },
        Mistake(name: "a request object as an extra parameter") { $0.extra = ["request_uri": "x"] },
    ]

    @Test(arguments: mistakes)
    func `a request that contradicts itself is refused`(_ mistake: Mistake) async throws {
        var options = SignInOptions(redirectURI: World.redirectURI)
        mistake.make(&options)
        let auth = try World().container()
        await #expect(throws: AuthError(.misconfigured, "")) { try await auth.startAuthorization(options) }
    }

    struct Forgery: Sendable, CustomTestStringConvertible {
        let name: String
        let code: AuthError.Code
        let change: @Sendable (isolated FakeService) -> Void
        var testDescription: String { name }
    }

    static let forgeries = [
        Forgery(name: "nonce", code: .tokenMisdirected) { $0.tamperedNonce = "x" },
        Forgery(name: "iss", code: .tokenMisdirected) { $0.claims["iss"] = "https://evil.example.com" },
        Forgery(name: "aud", code: .tokenMisdirected) { $0.claims["aud"] = "other" },
        Forgery(name: "azp", code: .tokenMisdirected) { $0.claims["azp"] = "other" },
        Forgery(name: "exp", code: .tokenExpired) { $0.claims["exp"] = 1_000 },
        Forgery(name: "at_hash", code: .tokenMisdirected) { $0.claims["at_hash"] = "AAAAAAAAAAAAAAAAAAAAAA" },
    ]

    @Test(arguments: forgeries)
    func `an ID token that is not right signs nobody in`(_ forgery: Forgery) async throws {
        let world = try World()
        await world.service.set(forgery.change)
        let auth = world.container()
        await #expect(throws: AuthError(forgery.code, "")) { try await auth.authorize(redirectURI: World.redirectURI) }
        #expect(try await auth.start() == .signedOut)
    }

    @Test func `a session that cannot be stored is not begun`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        let before = await auth.idTokenHint
        await world.store.set(writable: false)
        await #expect(throws: AuthError(.storeUnavailable, "")) {
            try await auth.authorize(redirectURI: World.redirectURI)
        }
        #expect(await auth.idTokenHint == before)
    }

    @Test func `a userinfo endpoint that is down does not spoil a sign-in`() async throws {
        let world = try World()
        await world.service.fail("/userinfo", .answer(HTTPResponse(status: 503)))
        let result = try await world.container().authorize(redirectURI: World.redirectURI)
        #expect(result.userInfo.subject == "andy")
        #expect(result.userInfo.name == nil)
    }

    @Test func `userinfo about another sub than the ID token's is an error, and nobody is signed in`() async throws {
        let world = try World()
        await world.service.set { $0.userInfoSubject = "mallory" }
        let auth = world.container()
        await #expect(throws: AuthError(.userInfoMismatch, "")) {
            try await auth.authorize(redirectURI: World.redirectURI)
        }
        #expect(await auth.state == .signedOut)
        #expect(await auth.idToken == nil)
        #expect(try await world.container().start() == .signedOut)
    }

    struct Metadata: Sendable, CustomTestStringConvertible {
        let name: String
        let member: String
        let value: JSONValue
        var testDescription: String { name }
    }

    static let metadata = [
        Metadata(name: "another issuer", member: "issuer", value: "https://evil.example.com"),
        Metadata(name: "an issuer with a slash more", member: "issuer", value: .string(FakeService.issuer + "/")),
        Metadata(name: "a token endpoint in the clear", member: "token_endpoint", value: "http://id.example.com/token"),
        Metadata(name: "a token endpoint on loopback", member: "token_endpoint", value: "http://127.0.0.1/token"),
        Metadata(name: "a script as authorization endpoint", member: "authorization_endpoint", value: "javascript:0"),
        Metadata(name: "a token endpoint with a user", member: "token_endpoint", value: "https://a@id.example.com/t"),
        Metadata(name: "no token endpoint, as Facebook", member: "token_endpoint", value: .null),
        Metadata(name: "keys in the clear", member: "jwks_uri", value: "http://id.example.com/jwks"),
        Metadata(name: "no authorization endpoint", member: "authorization_endpoint", value: .null),
    ]

    @Test(arguments: metadata)
    func `a discovery document that endangers tokens is refused`(_ metadata: Metadata) async throws {
        let world = try World()
        await world.service.set { $0.metadata[metadata.member] = metadata.value }
        let auth = world.container()
        let error = await #expect(throws: AuthError(.protocolViolation, "")) {
            try await auth.startAuthorization(SignInOptions(redirectURI: World.redirectURI))
        }
        #expect(error?.detail.contains(metadata.member) == true, "the error names the member")
    }

    @Test(arguments: [
        ("userinfo_endpoint", "https://a@id.example.com/userinfo"), ("userinfo_endpoint", ""),
        ("revocation_endpoint", ""), ("end_session_endpoint", "http://id.example.com/end"),
        ("pushed_authorization_request_endpoint", "http://id.example.com/par"), ("device_authorization_endpoint", ""),
    ])
    func `an endpoint that a sign-in can do without is not used where it is unprotected or empty`(
        _ member: String, _ url: String
    ) async throws {
        let world = try World()
        await world.service.set { $0.metadata[member] = .string(url) }
        let auth = world.container()
        #expect(try await auth.authorize(redirectURI: World.redirectURI).idToken?.subject == "andy")
        if member == "end_session_endpoint" { #expect(try await auth.endSessionURL() == nil) }
        #expect(await world.service.requests.allSatisfy { $0.url.hasPrefix("https://id.example.com/") })
    }

    @Test func `an issuer that is no address in ASCII is named, with what to write`() async throws {
        let (issuer, world) = ("https://bücher.example", try World())
        let auth = Keyturn(.openID(issuer: issuer, clientID: "app"), storage: .memory, transport: world.service)
        let error = await #expect(throws: AuthError(.misconfigured, "")) {
            try await auth.startAuthorization(SignInOptions(redirectURI: World.redirectURI))
        }
        #expect(error?.detail.contains(issuer) == true && error?.detail.contains("xn--") == true)
    }

    @Test func `Google issues a refresh token for what an app adds to the request`() async throws {
        let world = try World()
        await world.service.set { $0.metadata["scopes_supported"] = ["openid", "email", "profile"] }
        var options = SignInOptions(redirectURI: World.redirectURI)
        options.extra = ["access_type": "offline"]
        options.prompt = [.consent]
        let query = try Self.query(try await world.container().startAuthorization(options))
        #expect(try query.one("access_type") == "offline" && query.one("prompt") == "consent")
        #expect(try query.one("scope") == "openid profile email")
    }

    @Test func `discovery is asked once for all, and again after a failure`() async throws {
        let world = try World()
        let auth = world.container()
        let options = SignInOptions(redirectURI: World.redirectURI)
        await world.service.fail("/.well-known/openid-configuration", .unreachable)
        await #expect(throws: AuthError(.unavailable, "")) { try await auth.startAuthorization(options) }
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<8 { group.addTask { try await auth.startAuthorization(options) } }
            try await group.waitForAll()
        }
        #expect(await world.service.count("/.well-known/openid-configuration") == 2)
    }
}
