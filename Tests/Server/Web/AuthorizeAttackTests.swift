import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("Authorization endpoint under attack")
struct AuthorizeAttackTests {
    /// What the client would learn from an error that is sent to it.
    private func refusal(_ server: TestServer, _ client: Client, _ change: (inout AuthorizationRequest) -> Void)
        async throws -> (response: AuthorizationResponse?, screen: ScriptedBrowser.Screen)
    {
        var request = server.request(client, proof: PKCE(ambient: .live))
        change(&request)
        let screen = try await server.authorize(request, in: server.browser())
        return (try TestServer.callback(screen), screen)
    }

    private func code(_ refusal: AuthorizationResponse?) -> OAuthProblem.Code? {
        guard case .refused(let problem) = refusal?.outcome else { return nil }
        return problem.code
    }

    @Test func `attacks 1 and 4: a foreign redirect or client gets a page, never a redirect`() async throws {
        let server = try await TestServer.start()
        for uri in ["https://evil.test/", TestClients.callback + "/x", "http://127.0.0.1:9001/callback"] {
            let (_, screen) = try await refusal(server, TestClients.web) { $0.redirectURI = uri }
            #expect(screen.status == 400 && screen.page == "error" && screen.header("location") == nil)
            #expect(screen.body.contains("role=\"alert\""))
        }
        let (_, unknown) = try await refusal(server, TestClients.web) { $0.clientID = "nobody" }
        #expect(unknown.status == 400 && unknown.page == "error")
        let (_, missing) = try await refusal(server, TestClients.web) { $0.redirectURI = nil }
        #expect(missing.status == 400 && missing.page == "error")
        await server.stop()
    }

    @Test func `attack 6: a posted password is answered with 303`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let page = try await server.authorize(server.request(TestClients.portal, proof: nil), in: browser)
        let answer = try await browser.submit(
            page, ["username": TestServer.username, "password": TestServer.password])
        #expect(answer.status == 303)
        #expect(answer.header("location")?.hasPrefix(TestClients.callback) == true)
        await server.stop()
    }

    @Test func `attack 7: every answer says who answers`() async throws {
        let server = try await TestServer.start()
        let granted = try await server.signIn(TestClients.web, proof: PKCE(ambient: .live))
        #expect(granted.issuer == server.issuer)
        let (refused, _) = try await refusal(server, TestClients.web) { $0.responseType = "token" }
        #expect(refused?.issuer == server.issuer)
        let metadata = try await server.get("/.well-known/openid-configuration").json
        #expect(metadata["authorization_response_iss_parameter_supported"]?.boolValue == true)
        await server.stop()
    }

    @Test func `attacks 8 and 9: nothing is said twice`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let query = server.request(TestClients.web, proof: PKCE(ambient: .live)).parameters.encoded
        for doubled in ["&scope=openid", "&client_id=web", "&unknown=1&unknown=2"] {
            #expect(try await browser.open("/oauth2/authorize?\(query)\(doubled)").status == 400)
        }
        let both = try await browser.post(
            "/oauth2/authorize?state=a", server.request(TestClients.web, proof: nil).parameters)
        #expect(both.status == 400)
        let form = FormParameters(["grant_type": "client_credentials"])
        var twice = form
        twice.append("grant_type", "client_credentials")
        #expect(try await server.post("/oauth2/token", twice, as: TestClients.web).error == "invalid_request")
        await server.stop()
    }

    @Test func `attacks 10 and 13: what the policy does not allow is refused by redirect`() async throws {
        let server = try await TestServer.start()
        let cases: [(OAuthProblem.Code, (inout AuthorizationRequest) -> Void)] = [
            (
                .invalidRequest,
                {
                    $0.codeChallenge = nil; $0.codeChallengeMethod = nil
                }
            ),
            (.invalidRequest, { $0.codeChallengeMethod = "plain" }),
            (.invalidRequest, { $0.codeChallengeMethod = nil }),
            (.invalidRequest, { $0.codeChallenge = "short" }),
            (.invalidRequest, { $0.responseType = nil }),
            (.unsupportedResponseType, { $0.responseType = "token" }),
            (.unsupportedResponseType, { $0.responseType = "code id_token" }),
            (.invalidRequest, { $0.responseMode = "web_message" }),
            (.invalidRequest, { $0.prompt = "none login" }),
            (.invalidRequest, { $0.maxAge = "soon" }),
            (.invalidRequest, { $0.maxAge = "-1" }),
            (.invalidRequest, { $0.claims = "{" }),
            (.invalidRequest, { $0.idTokenHint = "x.y.z" }),
            (.invalidScope, { $0.scope = "nothing of the kind" }),
            (.invalidTarget, { $0.resource = ["not a URI"] }),
            (.requestNotSupported, { $0.extra.append("request", "eyJhbGciOiJub25lIn0..") }),
            (.requestURINotSupported, { $0.extra.append("request_uri", "https://evil.test/") }),
            (.loginRequired, { $0.prompt = "none" }),
        ]
        for (expected, change) in cases {
            let (response, screen) = try await refusal(server, TestClients.tool, change)
            #expect(code(response) == expected, "status \(screen.status)")
            #expect(response?.state == "state-of-the-test")
        }
        await server.stop()
    }

    @Test func `attack 14: no token ever travels through the browser`() async throws {
        let server = try await TestServer.start()
        for type in ["token", "id_token", "id_token token", "code token"] {
            let (response, screen) = try await refusal(server, TestClients.web) { $0.responseType = type }
            #expect(code(response) == .unsupportedResponseType)
            #expect(!(screen.header("location") ?? "").contains("token="))
        }
        await server.stop()
    }

    @Test func `attacks 15 to 17: no page can be framed, sends a referrer, or loads from elsewhere`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let login = try await server.authorize(server.request(TestClients.web, proof: nil), in: browser)
        let consent = try await browser.submit(
            login, ["username": TestServer.username, "password": TestServer.password])
        let logout = try await browser.open("/logout")
        for screen in [login, consent, logout, try await browser.open("/nothing")] {
            #expect(screen.header("x-frame-options") == "DENY")
            #expect(screen.header("referrer-policy") == "no-referrer")
            #expect(screen.header("cache-control") == "no-store")
            let policy = try #require(screen.header("content-security-policy"))
            #expect(policy.contains("frame-ancestors 'none'") && policy.contains("default-src 'none'"))
            #expect(!policy.contains("unsafe-inline") && !policy.contains("*"))
        }
        #expect([login.page, consent.page, logout.page] == ["login", "consent", "logout"])
        await server.stop()
    }

    @Test func `attack 18: a form of another site, or of another browser, is refused`() async throws {
        let server = try await TestServer.start()
        let victim = server.browser()
        let attacker = server.browser()
        let page = try await server.authorize(server.request(TestClients.web, proof: nil), in: victim)
        let theirs = try await server.authorize(server.request(TestClients.web, proof: nil), in: attacker)
        var form = FormParameters(["username": TestServer.username, "password": TestServer.password])
        for field in theirs.hiddenFields { form.append(field.name, field.value) }
        #expect(try await victim.post("/login", form).status == 403, "login CSRF: somebody else's form")
        var bare = FormParameters(["username": TestServer.username, "password": TestServer.password])
        for field in page.hiddenFields where field.name != "csrf" { bare.append(field.name, field.value) }
        #expect(try await victim.post("/login", bare).status == 403, "no token")
        var own = FormParameters(["username": TestServer.username, "password": TestServer.password])
        for field in page.hiddenFields { own.append(field.name, field.value) }
        let crossSite = try await victim.post("/login", own, headers: [("Sec-Fetch-Site", "cross-site")])
        #expect(crossSite.status == 403)
        #expect(victim.cookieJar["keyturn-session"] == nil)
        await server.stop()
    }

    @Test func `18: a form whose mark another tab replaced is taken if the browser says that it is ours`() async throws
    {
        let server = try await TestServer.start()
        let browser = server.browser()
        let page = try await server.authorize(server.request(TestClients.portal, proof: nil), in: browser)
        browser.cookieJar = [:]
        _ = try await server.authorize(server.request(TestClients.web, proof: nil), in: browser)
        var form = FormParameters(["username": TestServer.username, "password": TestServer.password])
        for field in page.hiddenFields { form.append(field.name, field.value) }
        #expect(try await browser.post("/login", form).status == 403, "nobody says where it comes from")
        for site in ["cross-site", "same-site", "none"] {
            #expect(try await browser.post("/login", form, headers: [("Sec-Fetch-Site", site)]).status == 403)
        }
        let answer = try await browser.post("/login", form, headers: [("Sec-Fetch-Site", "same-origin")])
        guard case .code = try TestServer.callback(answer)?.outcome else { throw TestFailure("no code") }
        await server.stop()
    }

    @Test func `attack 19: prompt=none never shows a page`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        _ = try await server.signIn(TestClients.portal, proof: nil, in: browser)
        var request = server.request(TestClients.web, proof: nil)
        request.prompt = "none"
        let consent = try TestServer.callback(try await server.authorize(request, in: browser))
        #expect(code(consent) == .consentRequired)
        _ = try await server.signIn(TestClients.web, proof: nil, in: browser)
        let silent = try TestServer.callback(try await server.authorize(request, in: browser))
        guard case .code = silent?.outcome else { throw TestFailure("no silent code") }
        await server.stop()
    }

    @Test func `attack 20: a consent belongs to one person, session and request`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let other = server.browser()
        let first = try await consentPage(server, browser, scope: "openid")
        let bigger = try await consentPage(server, other, scope: "openid email")
        var swapped = FormParameters(["action": "allow"])
        for field in first.hiddenFields where field.name == "csrf" { swapped.append(field.name, field.value) }
        for field in bigger.hiddenFields where field.name == "transaction" { swapped.append(field.name, field.value) }
        #expect(try await browser.post("/consent", swapped).status == 403)
        var foreign = FormParameters(["action": "allow"])
        for field in bigger.hiddenFields { foreign.append(field.name, field.value) }
        #expect(try await browser.post("/consent", foreign).status == 403)
        await server.stop()
    }

    private func consentPage(_ server: TestServer, _ browser: ScriptedBrowser, scope: String) async throws
        -> ScriptedBrowser.Screen
    {
        var request = server.request(TestClients.web, proof: nil)
        request.scope = scope
        let login = try await server.authorize(request, in: browser)
        let page = try await browser.submit(
            login, ["username": TestServer.username, "password": TestServer.password])
        #expect(page.page == "consent")
        return page
    }

    @Test func `attacks 22 and 23: forged host and proxy headers change nothing`() async throws {
        let server = try await TestServer.start()
        let headers = [
            ("X-Forwarded-Host", "evil.test"), ("X-Forwarded-Proto", "https"), ("Forwarded", "host=evil.test"),
        ]
        let answer = try await server.send("GET", "/.well-known/openid-configuration", headers: headers, body: nil)
        #expect(answer.json["issuer"]?.stringValue == server.issuer)
        #expect(!answer.body.contains("evil.test"))
        let page = try await server.browser().open(
            "/oauth2/authorize?\(server.request(TestClients.web, proof: nil).parameters.encoded)", headers: headers)
        #expect(!page.body.contains("evil.test"))
        await server.stop()
    }

    @Test func `attack 24: scripts of strangers read nothing, those of clients what they need`() async throws {
        let server = try await TestServer.start()
        let client = ("Origin", "http://127.0.0.1:9000")
        let stranger = ("Origin", "https://evil.test")
        let form = FormParameters(["grant_type": "client_credentials"])
        let shared = try await server.post("/oauth2/token", form, as: TestClients.web, headers: [client])
        #expect(shared.headers["access-control-allow-origin"] == "http://127.0.0.1:9000")
        let closed = try await server.post("/oauth2/token", form, as: TestClients.web, headers: [stranger])
        #expect(closed.headers["access-control-allow-origin"] == nil)
        let page = try await server.send("GET", "/oauth2/authorize?client_id=web", headers: [client], body: nil)
        #expect(page.headers["access-control-allow-origin"] == nil)
        let preflight = try await server.send("OPTIONS", "/oauth2/token", headers: [client], body: nil)
        #expect(preflight.status == 204 && preflight.headers["access-control-allow-methods"] == "POST")
        await server.stop()
    }

    @Test func `attack 113: line breaks in a request never become headers`() async throws {
        let server = try await TestServer.start()
        var request = server.request(TestClients.web, proof: PKCE(ambient: .live))
        request.state = "a\r\nSet-Cookie: evil=1"
        request.responseType = "token"
        let screen = try await server.authorize(request, in: server.browser())
        #expect(screen.header("set-cookie")?.contains("evil") != true)
        #expect(try TestServer.callback(screen)?.state == "a\r\nSet-Cookie: evil=1")
        await server.stop()
    }
}
