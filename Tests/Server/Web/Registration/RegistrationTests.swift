import Foundation
import Identity
import KeyturnBase
import KeyturnJose
import KeyturnWire
import Model
import OAuth
import ServerTesting
import Testing

@Suite("Clients that register themselves, RFC 7591 and RFC 7592")
struct RegistrationTests {
    private static let path = "/oauth2/register"

    private func start(_ settings: RegistrationSettings? = RegistrationSettings()) async throws -> TestServer {
        try await TestServer.start(registration: settings)
    }

    private func call(
        _ server: TestServer, _ method: String, _ path: String = path, _ body: JSONValue? = nil, token: String? = nil
    ) async throws -> EndpointAnswer {
        var headers = token.map { [("Authorization", "Bearer \($0)")] } ?? []
        if body != nil { headers.append(("Content-Type", "application/json")) }
        return try await server.send(
            method, path, headers: headers, body: body.map { String(decoding: $0.serialized, as: UTF8.self) })
    }

    private static let good: [String: JSONValue] = [
        "client_name": "New app", "redirect_uris": ["http://127.0.0.1:9000/callback"],
        "grant_types": ["authorization_code", "refresh_token"], "scope": "openid profile api.read",
    ]

    /// Registers a client, and gives its entry with what opens it.
    private func registered(_ server: TestServer, _ members: [String: JSONValue] = good) async throws
        -> (id: String, path: String, token: String, entry: JSONValue)
    {
        let answer = try await call(server, "POST", Self.path, .object(members))
        #expect(answer.status == 201, "\(answer.body)")
        let uri = try #require(answer.json["registration_client_uri"]?.stringValue)
        #expect(uri.hasPrefix(server.issuer))
        return (
            try #require(answer.json["client_id"]?.stringValue), String(uri.dropFirst(server.issuer.count)),
            try #require(answer.json["registration_access_token"]?.stringValue), answer.json
        )
    }

    @Test func `nobody can register unless the operator says so`() async throws {
        let server = try await start(nil)
        #expect(try await call(server, "POST", Self.path, .object(Self.good)).status == 404)
        #expect(try await server.get("/.well-known/openid-configuration").json["registration_endpoint"] == nil)
        await server.stop()
    }

    @Test func `a client registers, signs people in at once, changes and goes`() async throws {
        let server = try await start()
        let metadata = try await server.get("/.well-known/openid-configuration").json
        #expect(metadata["registration_endpoint"]?.stringValue == server.issuer + Self.path)
        let (id, path, token, entry) = try await registered(server)
        #expect(entry["client_secret_expires_at"] == 0 && entry["token_endpoint_auth_method"] == "client_secret_basic")
        #expect(entry["scope"] == "openid profile", "nobody gave it more")
        let secret = try #require(entry["client_secret"]?.stringValue)

        let pkce = PKCE(ambient: .live)
        let client = try #require(server.services.clients.client(id))
        let response = try await server.signIn(client, proof: pkce) { $0.scope = "openid" }
        let form = TokenRequest.authorizationCode(
            code: Secret(try #require(response.code)), redirectURI: TestClients.callback,
            codeVerifier: pkce.codeVerifier)
        let basic = BasicCredentials(clientID: id, clientSecret: Secret(secret)).header
        let tokens = try await server.post("/oauth2/token", form.parameters, headers: [("Authorization", basic)])
        #expect(tokens.status == 200, "\(tokens.body)")

        let read = try await call(server, "GET", path, token: token)
        #expect(read.status == 200 && read.json["client_name"] == "New app" && read.json["client_secret"] == nil)
        var change = Self.good
        change["client_id"] = .string(id)
        change["client_name"] = "Renamed"
        change["redirect_uris"] = ["https://app.example/callback"]
        let changed = try await call(server, "PUT", path, .object(change), token: token)
        #expect(changed.status == 200 && changed.json["client_name"] == "Renamed", "\(changed.body)")
        #expect(server.services.clients.client(id)?.metadata.redirectURIs == ["https://app.example/callback"])

        #expect(try await call(server, "DELETE", path, token: token).status == 204)
        #expect(server.services.clients.client(id) == nil)
        #expect(try await call(server, "GET", path, token: token).status == 401)
        let refresh = TokenRequest.refreshToken(Secret(tokens.json["refresh_token"]?.stringValue ?? "")).parameters
        let late = try await server.post("/oauth2/token", refresh, headers: [("Authorization", basic)])
        #expect(late.error == "invalid_client")
        await server.stop()
    }

    @Test func `3: addresses that are never safe cannot be registered`() async throws {
        let server = try await start()
        let uris = [
            "https://app.example/cb#fragment", "javascript:alert(1)", "data:text/html,x", "https://*.example/cb",
            "https://app.example/cb?code=1", "https://app.example/cb?state=1", "http://app.example/cb",
            "https://user@app.example/cb", "https://app.example\\@evil.test/", "/callback", "com.example.app:/cb",
            "http://127.0.0.1.evil.test/", "http://localhost.evil.test/", "vbscript:x", "", "http://app.localhost/cb",
            "http://127.1/cb", "http://0177.0.0.1/cb", "https://app.example./cb", "https://app.example:/cb",
        ]
        for uri in uris {
            var members = Self.good
            members["redirect_uris"] = ["https://app.example/ok", .string(uri)]
            let answer = try await call(server, "POST", Self.path, .object(members))
            #expect(answer.status == 400 && answer.error == "invalid_redirect_uri", "\(uri)")
        }
        var native = Self.good
        native["application_type"] = "native"
        native["redirect_uris"] = ["com.example.app:/callback", "http://[::1]/callback"]
        native["token_endpoint_auth_method"] = "none"
        #expect(try await registered(server, native).entry["client_secret"] == nil)
        native["redirect_uris"] = ["myapp:/callback"]
        #expect(try await call(server, "POST", Self.path, .object(native)).error == "invalid_redirect_uri")
        await server.stop()
    }

    @Test func `44: nobody can register what only the operator gives, and no change adds it`() async throws {
        let server = try await start()
        var greedy = Self.good
        for name in ["first_party", "may_impersonate", "assertion_audiences", "resources", "profile"] {
            greedy[name] = name == "first_party" ? true : ["tenant:ent-1"]
        }
        let (id, path, token, _) = try await registered(server, greedy)
        let refused: [(String, JSONValue)] = [
            ("grant_types", ["client_credentials"]),
            ("grant_types", ["urn:ietf:params:oauth:grant-type:jwt-bearer"]),
            ("grant_types", ["urn:ietf:params:oauth:grant-type:token-exchange"]), ("grant_types", []),
            ("response_types", ["token"]), ("jwks_uri", "https://keys.example/jwks"), ("subject_type", "pairwise"),
            ("token_endpoint_auth_method", "tls_client_auth"), ("token_endpoint_auth_method", "private_key_jwt"),
            ("id_token_signed_response_alg", "none"), ("request_object_signing_alg", "HS256"),
            ("policy_uri", "javascript:alert(1)"), ("logo_uri", "http://app.example/logo.png"),
            ("client_name", "Bank\u{202E}knaB"), ("client_name", ""), ("client_name", "a\nb"), ("scope", "a\"b"),
            ("authorization_details_types", ["payment"]), ("contacts", "one"), ("redirect_uris", "https://a.example/"),
            ("jwks", ["keys": [["kty": "oct", "k": "AAAA"]]]), ("jwks", ["keys": []]), ("default_max_age", -1),
        ]
        for (name, value) in refused {
            var members = Self.good
            members["client_id"] = .string(id)
            members[name] = value
            for (method, address) in [("POST", Self.path), ("PUT", path)] {
                let answer = try await call(server, method, address, .object(members), token: token)
                #expect(answer.status == 400 && answer.error == "invalid_client_metadata", "\(name) \(answer.body)")
            }
        }
        greedy["client_id"] = .string(id)
        greedy["scope"] = "openid api.read"
        #expect(try await call(server, "PUT", path, .object(greedy), token: token).json["scope"] == "openid")
        let client = try #require(server.services.clients.client(id))
        #expect(!client.isFirstParty && client.mayImpersonate.isEmpty && client.assertionAudiences.isEmpty)
        #expect(client.resources.isEmpty && client.profile == .standard && client.isUnverified)
        let form = FormParameters(["grant_type": "client_credentials"])
        #expect(try await server.post("/oauth2/token", form, as: client).error != nil)
        await server.stop()
    }

    @Test func `43: a token opens its own entry, and tells nothing of others`() async throws {
        let server = try await start()
        let one = try await registered(server)
        let two = try await registered(server)
        var answers: [EndpointAnswer] = []
        for path in [two.path, "\(Self.path)?client_id=web", "\(Self.path)?client_id=nobody", Self.path] {
            for token in [one.token, "guessed", nil] {
                for method in ["GET", "PUT", "DELETE"] {
                    let body: JSONValue? = method == "PUT" ? .object(Self.good) : nil
                    answers.append(try await call(server, method, path, body, token: token))
                }
            }
        }
        #expect(answers.allSatisfy { $0.status == 401 && $0.headers["www-authenticate"] != nil })
        #expect(Set(answers.map(\.body)).count == 1)
        #expect(try await call(server, "GET", two.path, token: two.token).status == 200)
        var foreign = Self.good
        foreign["client_id"] = .string(one.id)
        #expect(try await call(server, "PUT", two.path, .object(foreign), token: two.token).error == "invalid_request")
        foreign["client_id"] = .string(two.id)
        foreign["client_secret"] = "chosen"
        #expect(try await call(server, "PUT", two.path, .object(foreign), token: two.token).error == "invalid_request")
        await server.stop()
    }

    @Test func `21: people are told that nobody has checked the app`() async throws {
        let server = try await start()
        let (id, _, _, _) = try await registered(server)
        let client = try #require(server.services.clients.client(id))
        let browser = server.browser()
        var request = server.request(client, proof: PKCE(ambient: .live))
        request.scope = "openid profile"
        let consent = try await browser.submit(
            try await server.authorize(request, in: browser),
            ["username": TestServer.username, "password": TestServer.password])
        #expect(consent.page == "consent" && consent.body.contains("This app has not been reviewed"))
        let known = try await server.authorize(server.request(TestClients.web, proof: nil), in: browser)
        #expect(known.page == "consent" && !known.body.contains("This app has not been reviewed"))
        await server.stop()
    }

    @Test func `5: an error sends nobody on to an app that registered itself`() async throws {
        let server = try await start()
        let (id, _, _, _) = try await registered(server)
        let client = try #require(server.services.clients.client(id))
        let browser = server.browser()
        let changes: [(String, (inout AuthorizationRequest) -> Void)] = [
            ("invalid_scope", { $0.scope = "nothing" }), ("login_required", { $0.prompt = "none" }),
            ("unsupported_response_type", { $0.responseType = "token" }),
            ("request_uri_not_supported", { $0.extra.append("request_uri", "https://evil.test/") }),
            ("request_not_supported", { $0.extra.append("request", "a.b.c") }),
        ]
        for (code, change) in changes {
            var request = server.request(client, proof: PKCE(ambient: .live))
            request.scope = "openid"
            change(&request)
            let screen = try await server.authorize(request, in: browser)
            #expect(screen.status == 400 && screen.page == "error" && screen.header("location") == nil)
            #expect(screen.body.contains(code), "\(code)")
        }
        var request = server.request(client, proof: PKCE(ambient: .live))
        request.scope = "openid"
        let consent = try await browser.submit(
            try await server.authorize(request, in: browser),
            ["username": TestServer.username, "password": TestServer.password])
        let denied = try await browser.submit(consent, ["action": "deny"])
        #expect(try TestServer.callback(denied)?.refusal == .accessDenied, "who presses the button goes")
        await server.stop()
    }

    @Test func `where the operator gave a token, it takes that one`() async throws {
        let server = try await start(
            RegistrationSettings(initialAccessTokens: [SecretDigest(of: Secret("initial-token"))]))
        for token in [nil, "guessed", ""] {
            #expect(try await call(server, "POST", Self.path, .object(Self.good), token: token).status == 401)
        }
        let answer = try await call(server, "POST", Self.path, .object(Self.good), token: "initial-token")
        #expect(answer.status == 201)
        _ = try await server.services.auditLog.flush()
        var query = AuditQuery()
        query.kinds = [.clientRegistered, .clientRefused]
        let events = try await server.services.stores.audit.search(query)
        #expect(events.count { $0.kind == .clientRegistered } == 1 && events.count { $0.kind == .clientRefused } == 1)
        await server.stop()
    }

    @Test func `so many register, in all and from one network`() async throws {
        let server = try await start(RegistrationSettings(clientsMax: 2))
        for _ in 0..<2 { _ = try await registered(server) }
        #expect(try await call(server, "POST", Self.path, .object(Self.good)).status == 503)
        await server.stop()
        let other = try await start()
        for _ in 0..<Limits.registrationsPerNetworkMax { _ = try await registered(other) }
        let late = try await call(other, "POST", Self.path, .object(Self.good))
        #expect(late.status == 429 && late.headers["retry-after"] == "3600")
        other.clock.advance(3_600)
        _ = try await registered(other)
        await other.stop()
    }

    @Test func `115: what is no registration is refused quickly`() async throws {
        let server = try await start()
        let json = [("Content-Type", "application/json")]
        for body in ["", "[]", "{", #"{"a":1,"a":2}"#, String(repeating: "[", count: 100)] {
            let answer = try await server.send("POST", Self.path, headers: json, body: body)
            #expect(answer.status == 400 && answer.error == "invalid_client_metadata", "\(body)")
        }
        let large = try await server.send(
            "POST", Self.path, headers: json, body: #"{"client_name":"\#(String(repeating: "a", count: 40_000))"}"#)
        #expect(large.status == 413)
        let form = try await server.post(Self.path, FormParameters(["client_name": "a"]))
        #expect(form.status == 415)
        await server.stop()
    }
}
