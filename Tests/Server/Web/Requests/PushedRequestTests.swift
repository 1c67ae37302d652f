import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("Pushed authorization requests, RFC 9126")
struct PushedRequestTests {
    private func pushed(_ server: TestServer, _ client: Client, _ pkce: PKCE? = nil) async throws -> String {
        let answer = try await server.push(server.request(client, proof: pkce), as: client)
        #expect(answer.status == 201, "\(answer.body)")
        return try #require(answer.json["request_uri"]?.stringValue)
    }

    @Test func `a pushed request leads to a code, which is redeemed as any other`() async throws {
        let server = try await TestServer.start()
        let pkce = PKCE(ambient: .live)
        let answer = try await server.push(server.request(TestClients.web, proof: pkce), as: TestClients.web)
        #expect(answer.status == 201 && answer.headers["cache-control"] == "no-store")
        let reference = try #require(answer.json["request_uri"]?.stringValue)
        #expect(reference.hasPrefix("urn:ietf:params:oauth:request_uri:"))
        #expect(Base64URL.decode(String(reference.dropFirst(PushedAuthorizationResponse.prefix.count)))?.count == 32)
        let seconds = try #require(answer.json["expires_in"]?.integerValue)
        #expect(seconds > 0 && seconds < 600)
        let browser = server.browser()
        let screen = try await server.complete(
            try await server.visit(reference, "web", in: browser), in: browser)
        let response = try #require(try TestServer.callback(screen))
        #expect(response.state == "state-of-the-test" && response.issuer == server.issuer)
        let code = try #require(response.code)
        let tokens = try await server.redeem(code, TestClients.web, proof: pkce)
        #expect(tokens.status == 200)
        let metadata = try await server.get("/.well-known/openid-configuration").json
        #expect(metadata["pushed_authorization_request_endpoint"]?.stringValue == server.issuer + "/oauth2/par")
        await server.stop()
    }

    @Test func `30: a visit uses nothing up, the end does, with a code or a refusal`() async throws {
        let server = try await TestServer.start()
        let reference = try await pushed(server, TestClients.web)
        let browser = server.browser()
        for _ in 0..<3 {
            #expect(try await server.visit(reference, "web", in: browser).page == "login")
        }
        let done = try await server.complete(try await server.visit(reference, "web", in: browser), in: browser)
        #expect(try TestServer.callback(done)?.code != nil)
        let again = try await server.visit(reference, "web", in: browser)
        #expect(again.status == 400 && again.page == "error" && again.header("location") == nil)

        let other = try await pushed(server, TestClients.other)
        let consent = try await server.visit(other, "other", in: browser)
        #expect(consent.page == "consent")
        let refused = try await browser.submit(consent, ["action": "deny"])
        #expect(try TestServer.callback(refused)?.refusal == .accessDenied)
        #expect(try await server.visit(other, "other", in: browser).status == 400)
        await server.stop()
    }

    @Test func `30: two tabs with one request get one code`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        _ = try await server.signIn(TestClients.portal, proof: nil, in: browser)
        let reference = try await pushed(server, TestClients.web)
        let first = try await server.visit(reference, "web", in: browser)
        let second = try await server.visit(reference, "web", in: browser)
        #expect(first.page == "consent" && second.page == "consent")
        let one = try await browser.submit(first, ["action": "allow"])
        let two = try await browser.submit(second, ["action": "allow"])
        #expect(try TestServer.callback(one)?.code != nil)
        #expect(try TestServer.callback(two)?.refusal == .invalidRequestURI)
        await server.stop()
    }

    @Test func `30: another client's request, an old one, and one that never was get a page`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let reference = try await pushed(server, TestClients.web)
        for clientID in ["other", "portal"] {
            let screen = try await server.visit(reference, clientID, in: browser)
            #expect(screen.status == 400 && screen.page == "error" && screen.header("location") == nil)
        }
        let invented = PushedAuthorizationResponse.prefix + Ambient.live.randomToken(byteCount: 32)
        #expect(try await server.visit(invented, "web", in: browser).status == 400)
        server.clock.advance(299)
        #expect(try await server.visit(reference, "web", in: browser).page == "login")
        server.clock.advance(1)
        #expect(try await server.visit(reference, "web", in: browser).status == 400)
        await server.stop()
    }

    @Test func `whoever came in time may take longer, and the clean-up waits for them`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let reference = try await pushed(server, TestClients.web)
        let login = try await server.visit(reference, "web", in: browser)
        server.clock.advance(1_200)
        _ = try await server.services.stores.maintenance.removeExpired(limit: 500, at: server.clock.now)
        let screen = try await server.complete(login, in: browser)
        #expect(try TestServer.callback(screen)?.code != nil)
        let forgotten = try await pushed(server, TestClients.web)
        server.clock.advance(300 + 3_600)
        _ = try await server.services.stores.maintenance.removeExpired(limit: 500, at: server.clock.now)
        let digest = SecretDigest(of: Secret(forgotten))
        #expect(try await server.services.stores.pushedRequests.find(digest) == nil)
        await server.stop()
    }

    @Test func `36: what stands beside a pushed request does not count`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let reference = try await pushed(server, TestClients.portal)
        let beside = FormParameters([
            "redirect_uri": "https://evil.test/", "state": "evil", "scope": "api.read", "prompt": "none",
            "response_type": "token",
        ])
        let login = try await server.visit(reference, "portal", in: browser, beside: "&" + beside.encoded)
        let screen = try await server.complete(login, in: browser)
        #expect(screen.header("location")?.hasPrefix(TestClients.callback) == true)
        #expect(try TestServer.callback(screen)?.state == "state-of-the-test")
        await server.stop()
    }

    @Test func `the whole request is checked when it is pushed`() async throws {
        let server = try await TestServer.start()
        let cases: [(String, (inout AuthorizationRequest) -> Void)] = [
            ("invalid_request", { $0.redirectURI = "https://evil.test/" }),
            ("invalid_request", { $0.redirectURI = nil }),
            ("invalid_request", { $0.responseType = nil }),
            ("unsupported_response_type", { $0.responseType = "token" }),
            (
                "invalid_request",
                {
                    $0.codeChallengeMethod = "plain"; $0.codeChallenge = "a"
                }
            ),
            ("invalid_request", { $0.prompt = "none login" }),
            ("invalid_scope", { $0.scope = "nothing" }),
            ("invalid_target", { $0.resource = ["not a URI"] }),
            ("invalid_request", { $0.extra.append("request_uri", PushedAuthorizationResponse.prefix + "abc") }),
            ("invalid_request", { $0.extra.append("request_uri", "https://evil.test/") }),
            ("request_not_supported", { $0.extra.append("request", "a.b.c") }),
            ("invalid_request", { $0.dpopKeyThumbprint = "short" }),
        ]
        for (expected, change) in cases {
            var request = server.request(TestClients.web, proof: nil)
            change(&request)
            let answer = try await server.push(request, as: TestClients.web)
            #expect(answer.status == 400 && answer.error == expected, "\(answer.body)")
        }
        await server.stop()
    }

    @Test func `31 and 40: only the client itself can push, in the way that it registered`() async throws {
        let server = try await TestServer.start()
        let request = server.request(TestClients.web, proof: nil)
        let nobody = try await server.post("/oauth2/par", request.parameters)
        #expect(nobody.status == 401 && nobody.error == "invalid_client")
        var mixed = FormParameters()
        for parameter in request.parameters.all { mixed.append(parameter.name, parameter.value) }
        let other = try await server.post("/oauth2/par", mixed, as: TestClients.other)
        #expect(other.status == 401 || other.error == "invalid_request")
        var wrong = request.parameters
        wrong.append("client_secret", "guessed")
        #expect(try await server.post("/oauth2/par", wrong).error == "invalid_client")
        #expect(try await server.get("/oauth2/par").status == 405)
        await server.stop()
    }

    @Test func `a proof when it is pushed binds the code to its key`() async throws {
        let server = try await TestServer.start()
        let prover = Prover(server)
        let thief = Prover(server)
        let pkce = PKCE(ambient: .live)
        let browser = server.browser()
        let request = server.request(TestClients.portal, proof: pkce)
        let answer = try await server.push(
            request, as: TestClients.portal, headers: [("DPoP", try prover.proof(path: "/oauth2/par"))])
        #expect(answer.status == 201, "\(answer.body)")
        let reference = try #require(answer.json["request_uri"]?.stringValue)
        let screen = try await server.complete(
            try await server.visit(reference, "portal", in: browser), in: browser)
        let code = try #require(try TestServer.callback(screen)?.code)
        let stolen = try await thief.redeem(code, TestClients.portal, pkce, try thief.proof())
        #expect(stolen.error == "invalid_grant")
        #expect(try await prover.redeem(code, TestClients.portal, pkce, nil).error == "invalid_grant")
        let tokens = try await prover.redeem(code, TestClients.portal, pkce, try prover.proof())
        #expect(tokens.status == 200 && tokens.json["token_type"] == "DPoP")
        await server.stop()
    }

    @Test func `a proof of another key than dpop_jkt is refused, and so is a proof for another address`() async throws {
        let server = try await TestServer.start()
        let prover = Prover(server)
        var request = server.request(TestClients.web, proof: nil)
        request.dpopKeyThumbprint = try Prover(server).thumbprint
        let mismatch = try await server.push(
            request, as: TestClients.web, headers: [("DPoP", try prover.proof(path: "/oauth2/par"))])
        #expect(mismatch.status == 400 && mismatch.error == "invalid_request")
        request.dpopKeyThumbprint = try prover.thumbprint
        let proof = try prover.proof(path: "/oauth2/par")
        #expect(try await server.push(request, as: TestClients.web, headers: [("DPoP", proof)]).status == 201)
        let replay = try await server.push(request, as: TestClients.web, headers: [("DPoP", proof)])
        #expect(replay.error == "invalid_dpop_proof")
        let elsewhere = try await server.push(
            request, as: TestClients.web, headers: [("DPoP", try prover.proof(path: "/oauth2/token"))])
        #expect(elsewhere.error == "invalid_dpop_proof")
        await server.stop()
    }

    @Test func `a client that registered to push cannot begin otherwise`() async throws {
        let client = TestClients.make("careful", method: "client_secret_basic", secret: TestClients.webSecret) {
            $0.requirePushedAuthorizationRequests = true
        }
        let server = try await TestServer.start(clients: [client])
        let browser = server.browser()
        let screen = try await server.authorize(server.request(client, proof: nil), in: browser)
        #expect(try TestServer.callback(screen)?.refusal == .invalidRequest)
        let reference = try await pushed(server, client)
        #expect(try await server.visit(reference, "careful", in: browser).page == "login")
        await server.stop()
    }

    @Test func `one INSERT keeps a request, one SELECT finds it, and its end is part of the grant's transaction`()
        async throws
    {
        let statements = Locked<[String]>([])
        let server = try await TestServer.start(onStatement: { statement in
            statements.withLock { $0.append(statement) }
        })
        let browser = server.browser()
        _ = try await server.signIn(TestClients.portal, proof: nil, in: browser)
        statements.withLock { $0 = [] }
        let reference = try await pushed(server, TestClients.portal)
        #expect(statements.withLock { $0.filter { $0.contains("pushed_request") }.count } == 1)
        #expect(statements.withLock { $0.count } == 1)
        statements.withLock { $0 = [] }
        let screen = try await server.visit(reference, "portal", in: browser)
        #expect(try TestServer.callback(screen)?.code != nil)
        let seen = statements.withLock { all in
            all.filter { $0.contains("pushed_request") || $0.contains("grant_") && !$0.contains("FROM session s") }
        }
        #expect(seen.count == 3, "\(seen)")
        #expect(seen.first?.hasPrefix("SELECT") == true && seen.dropFirst().first?.hasPrefix("DELETE") == true)
        await server.stop()
    }
}
