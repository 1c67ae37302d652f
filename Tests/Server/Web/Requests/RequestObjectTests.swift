import Identity
import KeyturnBase
import KeyturnJose
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("Signed authorization requests, RFC 9101")
struct RequestObjectTests {
    private func send(
        _ object: String, _ clientID: String, _ server: TestServer, in browser: ScriptedBrowser? = nil,
        beside: FormParameters = FormParameters(["redirect_uri": TestClients.callback])
    ) async throws -> ScriptedBrowser.Screen {
        var form = FormParameters(["client_id": clientID, "request": object])
        for parameter in beside.all { form.append(parameter.name, parameter.value) }
        return try await (browser ?? server.browser()).open("/oauth2/authorize?\(form.encoded)")
    }

    private func refusal(_ object: String, _ server: TestServer, _ clientID: String = "signer") async throws
        -> OAuthProblem.Code?
    {
        try TestServer.callback(try await send(object, clientID, server))?.refusal
    }

    @Test(arguments: [SignatureAlgorithm.es256, .edDSA, .rs256])
    func `a signed request leads to a code`(_ algorithm: SignatureAlgorithm) async throws {
        let signer = try SigningClient("signer", algorithm)
        let client = signer.client()
        let server = try await TestServer.start(clients: [client])
        let pkce = PKCE(ambient: .live)
        let browser = server.browser()
        let object = try signer.object(server.request(client, proof: pkce), server) {
            $0["max_age"] = 3_600
            $0["claims"] = ["id_token": ["name": ["essential": true]]]
        }
        let screen = try await server.complete(try await send(object, "signer", server, in: browser), in: browser)
        let code = try #require(try TestServer.callback(screen)?.code)
        #expect(try await server.redeem(code, client, proof: pkce).status == 200)
        await server.stop()
    }

    @Test func `36: outer parameters never override inner ones, nor add to them`() async throws {
        let signer = try SigningClient()
        let client = signer.client()
        let server = try await TestServer.start(clients: [client])
        let browser = server.browser()
        var request = server.request(client, proof: nil)
        request.state = nil
        request.scope = "openid"
        let object = try signer.object(request, server)
        let beside = FormParameters([
            "redirect_uri": "https://evil.test/", "state": "outer", "scope": "openid email api.read", "nonce": "outer",
            "response_type": "token",
        ])
        let login = try await send(object, "signer", server, in: browser, beside: beside)
        let screen = try await server.complete(login, in: browser)
        #expect(screen.header("location")?.hasPrefix(TestClients.callback) == true)
        let response = try #require(try TestServer.callback(screen))
        #expect(response.state == nil)
        let tokens = try await server.redeem(try #require(response.code), client, proof: nil)
        #expect(tokens.json["scope"] == "openid")
        await server.stop()
    }

    @Test func `33: what is not for us, not now, or for too long is refused`() async throws {
        let signer = try SigningClient()
        let client = signer.client()
        let server = try await TestServer.start(clients: [client])
        let now = server.clock.now.rawValue
        let changes: [(String, (inout [String: JSONValue]) -> Void)] = [
            ("exp has passed", { $0["exp"] = .integer(now) }),
            ("exp as text", { $0["exp"] = .string("\(now + 60)") }),
            ("nbf ahead", { $0["nbf"] = .integer(now + 31) }),
            ("iat ahead", { $0["iat"] = .integer(now + 31) }),
            ("too long", { $0["exp"] = .integer(now + 3_601) }),
            ("from long ago", { $0["nbf"] = .integer(now - 3_601) }),
            ("other audience", { $0["aud"] = "https://other.example" }),
            ("no audience", { $0["aud"] = nil }),
            ("token endpoint as audience", { $0["aud"] = .string(server.issuer + "/oauth2/token") }),
            ("other issuer", { $0["iss"] = "web" }),
            ("issuer as a number", { $0["iss"] = 7 }),
            (
                "from long ago without exp",
                {
                    $0["exp"] = nil; $0["nbf"] = .integer(now - 3_601)
                }
            ),
            ("other client inside", { $0["client_id"] = "web" }),
            ("about the client itself", { $0["sub"] = "signer" }),
            ("a request inside", { $0["request"] = "a.b.c" }),
            ("a reference inside", { $0["request_uri"] = "https://evil.test/" }),
            ("jti as number", { $0["jti"] = 7 }),
            ("a parameter of no type", { $0["state"] = true }),
            ("U+0000 in a value", { $0["nonce"] = "a\u{0}b" }),
            ("U+0000 in a name", { $0["a\u{0}"] = "b" }),
        ]
        for (name, change) in changes {
            let object = try signer.object(server.request(client, proof: nil), server, change)
            #expect(try await refusal(object, server) == .invalidRequestObject, "\(name)")
        }
        for type in ["at+jwt", "client-authentication+jwt", "logout+jwt", "dpop+jwt"] {
            let object = try signer.object(server.request(client, proof: nil), server, type: type)
            #expect(try await refusal(object, server) == .invalidRequestObject, "\(type)")
        }
        await server.stop()
    }

    @Test func `33: an object without iss and exp is good outside FAPI, once, unless the client is strict`()
        async throws
    {
        let signer = try SigningClient()
        let strictSigner = try SigningClient("strict")
        let client = signer.client()
        let strict = Client(
            id: "strict", metadata: strictSigner.client().metadata,
            secretDigests: strictSigner.client().secretDigests, strictAssertions: true)
        let server = try await TestServer.start(clients: [client, strict])
        for names in [["exp"], ["iss"], ["iss", "exp"], ["iss", "exp", "nbf", "iat"]] {
            let leave: (inout [String: JSONValue]) -> Void = { claims in for name in names { claims[name] = nil } }
            let object = try signer.object(server.request(client, proof: nil), server, leave)
            let browser = server.browser()
            let screen = try await server.complete(try await send(object, "signer", server, in: browser), in: browser)
            #expect(try TestServer.callback(screen)?.code != nil, "\(names)")
            #expect(try await refusal(object, server) == .invalidRequestObject, "\(names): answered before")
            let refused = try strictSigner.object(server.request(strict, proof: nil), server, leave)
            #expect(try await refusal(refused, server, "strict") == .invalidRequestObject, "\(names)")
        }
        await server.stop()
    }

    @Test func `33 and 34: unsigned, encrypted, forged, and signed by others: refused by name`() async throws {
        let signer = try SigningClient()
        let client = signer.client { $0.requestObjectSigningAlg = "ES256" }
        let other = try SigningClient("signer", .edDSA)
        let server = try await TestServer.start(clients: [client])
        let request = server.request(client, proof: nil)
        let payload = Base64URL.encode(JSONValue.object(signer.claims(request, server)).serialized)
        let unsigned = Base64URL.encode(Array(#"{"alg":"none"}"#.utf8)) + ".\(payload)."
        let shared = Base64URL.encode(Array(#"{"alg":"HS256"}"#.utf8)) + ".\(payload).AAAA"
        let encrypted = Base64URL.encode(Array(#"{"alg":"RSA-OAEP","enc":"A256GCM"}"#.utf8)) + ".AA.AA.AA.AA"
        var forged = try signer.object(request, server)
        forged.replaceSubrange(
            forged.lastIndex(of: ".")!..., with: "." + Base64URL.encode([UInt8](repeating: 7, count: 64)))
        for object in [unsigned, shared, encrypted, forged, "x", "a.b.c", try other.object(request, server)] {
            #expect(try await refusal(object, server) == .invalidRequestObject)
        }
        let keyless = try await refusal(unsigned, server, "web")
        #expect(keyless == .requestNotSupported, "a client without keys")
        await server.stop()
    }

    @Test func `beside an address that is not registered, a bad object leads to a page`() async throws {
        let signer = try SigningClient()
        let server = try await TestServer.start(clients: [signer.client()])
        for beside in [FormParameters(["redirect_uri": "https://evil.test/"]), FormParameters(["scope": "openid"])] {
            let screen = try await send("a.b.c", "signer", server, beside: beside)
            #expect(screen.status == 400 && screen.page == "error" && screen.header("location") == nil)
            #expect(screen.body.contains("invalid_request_object"))
        }
        await server.stop()
    }

    @Test func `35: a request object is answered once, and loading it again before that is no answer`() async throws {
        let signer = try SigningClient()
        let client = signer.client()
        let server = try await TestServer.start(clients: [client])
        let browser = server.browser()
        let named = try signer.object(server.request(client, proof: nil), server)
        let nameless = try signer.object(server.request(client, proof: nil), server) { $0["jti"] = nil }
        _ = try await server.signIn(TestClients.portal, proof: nil, in: browser)
        for object in [named, nameless] {
            #expect(try await send(object, "signer", server).page == "login")
            #expect(try await send(object, "signer", server).page == "login")
            #expect(try TestServer.callback(try await send(object, "signer", server, in: browser))?.code != nil)
            #expect(try await refusal(object, server) == .invalidRequestObject)
        }
        await server.stop()
    }

    @Test func `35: of two tabs with one request object one ends with a code, however long the other one takes`()
        async throws
    {
        let signer = try SigningClient()
        let client = signer.client()
        let server = try await TestServer.start(clients: [client])
        let object = try signer.object(server.request(client, proof: nil), server)
        let one = server.browser()
        let two = server.browser()
        let first = try await send(object, "signer", server, in: one)
        let second = try await send(object, "signer", server, in: two)
        #expect(try TestServer.callback(try await server.complete(first, in: one))?.code != nil)
        server.clock.advance(1_800)
        _ = try await server.services.stores.maintenance.removeExpired(limit: 500, at: server.clock.now)
        let late = try await server.complete(second, in: two)
        #expect(try TestServer.callback(late)?.refusal == .invalidRequestURI)
        await server.stop()
    }

    @Test func `35: a pushed request object is used up at once`() async throws {
        let signer = try SigningClient()
        let client = signer.client()
        let server = try await TestServer.start(clients: [client])
        let object = try signer.object(server.request(client, proof: nil), server)
        let form = FormParameters(["request": object, "state": "outer"])
        let first = try await server.post("/oauth2/par", form, as: client)
        #expect(first.status == 201, "\(first.body)")
        let second = try await server.post("/oauth2/par", form, as: client)
        #expect(second.status == 400 && second.error == "invalid_request_object")
        let browser = server.browser()
        let reference = try #require(first.json["request_uri"]?.stringValue)
        let screen = try await server.complete(
            try await server.visit(reference, "signer", in: browser), in: browser)
        #expect(try TestServer.callback(screen)?.state == "state-of-the-test")
        await server.stop()
    }

    @Test func `32: an address that a stranger names is never fetched`() async throws {
        let server = try await TestServer.start()
        for uri in ["https://evil.test/object", "http://169.254.169.254/", "file:///etc/passwd", "urn:something:else"] {
            let form = FormParameters([
                "client_id": "web", "request_uri": uri, "redirect_uri": TestClients.callback, "state": "s",
            ])
            let screen = try await server.browser().open("/oauth2/authorize?\(form.encoded)")
            #expect(try TestServer.callback(screen)?.refusal == .requestURINotSupported)
        }
        let metadata = try await server.get("/.well-known/openid-configuration").json
        #expect(metadata["request_parameter_supported"] == true && metadata["request_uri_parameter_supported"] == false)
        await server.stop()
    }
}
