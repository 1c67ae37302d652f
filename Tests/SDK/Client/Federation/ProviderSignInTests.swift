import KeyturnBase
import KeyturnWire
import Testing

@testable import Keyturn

/// A browser whose user comes back from a provider; `end` makes the callback of redirect address and state.
struct ProviderBrowser: BrowserAgent {
    let end: @Sendable (_ redirectURI: String, _ state: String) throws(AuthError) -> String
    let seen = Locked<[String]>([])

    func prepare(redirectURI: String) async throws(AuthError) -> any WebAuthenticationSession {
        Session(browser: self, redirectURI: redirectURI)
    }

    struct Session: WebAuthenticationSession {
        let browser: ProviderBrowser
        let redirectURI: String

        func open(_ url: String, state: String) async throws(AuthError) -> String {
            browser.seen.withLock { $0.append(url) }
            return try browser.end(redirectURI, state)
        }

        func close() async {}
    }

    /// The user signs in.
    static var good: ProviderBrowser {
        ProviderBrowser { redirectURI, state in "\(redirectURI)?state=\(state)&code=good" }
    }
}

@Suite("Sign-in at providers")
struct ProviderSignInTests {
    let world = MethodWorld()
    private static let back = "myapp://callback"

    private func container(_ browser: ProviderBrowser = .good) -> Keyturn {
        Keyturn(
            .descope(projectID: "P1", baseURL: FakeMethods.baseURL), name: "default", storage: .custom(world.store),
            browser: browser, transport: world.service, ambient: world.clock.ambient)
    }

    @Test func `one call shows the provider's page and begins the session`() async throws {
        let browser = ProviderBrowser.good
        let auth = container(browser)
        let response = try await auth.social.signIn(provider: .google, redirectURL: Self.back)
        #expect(response.user.userId == "U1")
        #expect(await auth.state == .signedIn(.fresh))
        #expect(browser.seen.withLock { $0 } == ["https://provider.example.com/authorize"])
        let asked = try #require(await world.service.requests.first)
        #expect(asked.url.hasPrefix(FakeMethods.baseURL + "/v1/auth/oauth/authorize?provider=google&redirectURL="))
        #expect(asked.url.contains("state%3D"))
        #expect(asked.body == Array("{}".utf8))
    }

    @Test func `an organisation is found by an address, and its options travel in the query`() async throws {
        let auth = container()
        try await auth.sso.signIn(
            tenant: "ann@example.com", redirectURL: Self.back,
            request: .init(ssoID: "s1", loginHint: "ann", forcesAuthentication: true))
        #expect(await auth.state == .signedIn(.fresh))
        let url = try #require(await world.service.requests.first).url
        #expect(url.contains("/v1/auth/sso/authorize?tenant=ann%40example.com&"))
        #expect(url.hasSuffix("&ssoId=s1&loginHint=ann&forceAuthn=true"))
        #expect(await world.service.count("/v1/auth/sso/exchange") == 1)
    }

    @Test func `both halves as DescopeKit sends them`() async throws {
        let auth = container()
        let page = try await auth.social.start(provider: "my-provider", redirectURL: "https://app.example.com/back")
        #expect(page == "https://provider.example.com/authorize")
        try #expect(
            await world.service.last
                == .init(
                    "POST /v1/auth/oauth/authorize?provider=my-provider&redirectURL=https%3A%2F%2Fapp.example.com%2Fback",
                    "Bearer P1", "{}"))
        try await auth.social.exchange(code: "good")
        try #expect(
            await world.service.last == .init("POST /v1/auth/oauth/exchange", "Bearer P1", #"{"code":"good"}"#))
    }

    @Test func `a step-up presents the container's session, unwrapped options in the body`() async throws {
        let auth = try await world.signedIn()
        let session = try #require(await world.service.refreshToken)
        _ = try await auth.social.start(provider: .github, redirectURL: "https://x", options: [.stepup])
        let last = try await world.service.last
        #expect(last.bearer == "Bearer P1:\(session)")
        #expect(last.body == #"{"stepup":true}"#)
    }

    @Test func `F-16: a code that comes back with another state, or with none, is not exchanged`() async throws {
        for ending in ["?state=other&code=good", "?code=good", "?state=a&state=b&code=good", ""] {
            let auth = container(ProviderBrowser { redirectURI, _ in redirectURI + ending })
            await #expect(throws: AuthError(.callbackMismatch, "")) {
                try await auth.social.signIn(provider: .google, redirectURL: Self.back)
            }
        }
        let elsewhere = container(ProviderBrowser { _, state in "other://callback?state=\(state)&code=good" })
        await #expect(throws: AuthError(.callbackMismatch, "")) {
            try await elsewhere.sso.signIn(tenant: "T", redirectURL: Self.back)
        }
        #expect(await world.service.count("/v1/auth/oauth/exchange") == 0)
        #expect(await world.service.count("/v1/auth/sso/exchange") == 0)
    }

    @Test func `closing the page and declining at the provider are a cancel; other refusals say what they are`()
        async throws
    {
        let closed = container(ProviderBrowser { _, _ throws(AuthError) in throw AuthError(.cancelled, "closed") })
        await #expect(throws: AuthError(.cancelled, "")) {
            try await closed.social.signIn(provider: .google, redirectURL: Self.back)
        }
        for (word, code) in [("access_denied", AuthError.Code.cancelled), ("provider_denied", .refused)] {
            let auth = container(ProviderBrowser { "\($0)?state=\($1)&err=\(word)" })
            let error = try await #require(throws: AuthError.self) {
                try await auth.social.signIn(provider: .google, redirectURL: Self.back)
            }
            #expect(error.code == code && error.server?.code == word)
            #expect(await world.store.read("default").record == nil)
        }
    }

    @Test func `F-58: a code that was used is refused by the server, and the caller gets its code`() async throws {
        let auth = container()
        let error = try await #require(throws: AuthError.self) { try await auth.sso.exchange(code: "used") }
        #expect(error.code == .refused && error.methodCode == MethodProblem.wrongExchangeCode.code)
    }

    @Test(arguments: ["javascript:alert(1)", "http://provider.example.com/", "", "myapp://x"])
    func `only a page of the web is shown`(_ page: String) async throws {
        let auth = container()
        await world.service.set { $0.providerPage = page }
        await #expect(throws: AuthError(.protocolViolation, "")) {
            try await auth.social.signIn(provider: .google, redirectURL: Self.back)
        }
    }

    @Test func `the user is not asked if the container holds another client's session`() async throws {
        _ = try await world.signedIn()
        let browser = ProviderBrowser.good
        let other = Keyturn(
            .descope(projectID: "P2", baseURL: FakeMethods.baseURL), name: "default", storage: .custom(world.store),
            browser: browser, transport: world.service, ambient: world.clock.ambient)
        await #expect(throws: AuthError(.misconfigured, "")) {
            try await other.social.signIn(provider: .google, redirectURL: Self.back)
        }
        #expect(browser.seen.withLock { $0.isEmpty })
    }
}

@Suite("Sign-in with a provider's own sheet")
struct NativeSignInTests {
    let world = MethodWorld()

    struct Sheet: NativeSignIn {
        let credential: NativeCredential
        func credential(for start: NativeSocialStart) async throws(AuthError) -> NativeCredential {
            guard start.nonce == "N1", start.clientID == "server-client" else {
                throw AuthError(.providerFailed, "other values")
            }
            return credential
        }
    }

    @Test func `F-22: the ID token goes back with the state of the start, and the name once`() async throws {
        let auth = world.container()
        try await auth.social.signInNatively(
            with: Sheet(
                credential: NativeCredential(
                    idToken: Secret("good"), code: Secret("unused"),
                    name: NativeSocialName(firstName: "Ann", lastName: "Lee"))))
        #expect(await auth.state == .signedIn(.fresh))
        let last = try await world.service.last
        #expect(last.line == "POST /v1/auth/oauth/native/finish" && last.bearer == "Bearer P1")
        let body = try JSONValue(parsing: Array(last.body.utf8))
        #expect(body["provider"] == "apple" && body["stateId"] == "S1" && body["idToken"] == "good")
        #expect(body["code"] == nil)
        #expect(body["user"]?.stringValue == #"{"name":{"firstName":"Ann","lastName":"Lee"}}"#)
    }

    @Test func `a service that takes codes gets the code`() async throws {
        await world.service.set { $0.takesIDTokens = false }
        let auth = world.container()
        let start = try await auth.social.startNative(provider: .google, options: [.revokeOtherSessions])
        try #expect(
            await world.service.last.body
                == #"{"loginOptions":{"revokeOtherSessions":true},"provider":"google"}"#)
        #expect(!start.takesIDToken && start.nonce == "N1")
        try await auth.social.finishNative(start, with: NativeCredential(code: Secret("good")))
        #expect(await auth.state == .signedIn(.fresh))
    }

    @Test func `a credential without what the service takes is not sent`() async throws {
        let auth = world.container()
        let start = try await auth.social.startNative(provider: .google)
        await #expect(throws: AuthError(.invalidArgument, "")) {
            try await auth.social.finishNative(start, with: NativeCredential(code: Secret("good")))
        }
        #expect(await world.service.count("/v1/auth/oauth/native/finish") == 0)
        #expect(!"\(NativeCredential(code: Secret("abc")))".contains("abc"))
    }

    @Test func `where there is no sheet, nothing is sent`() async throws {
        let auth = world.container()
        await #expect(throws: AuthError(.unsupported, "")) { try await auth.social.signInNatively(provider: "other") }
        #expect(await world.service.requests.isEmpty)
    }
}
