#if os(Linux)
    import Foundation
    import KeyturnBase
    import KeyturnJose
    import KeyturnVerify
    import KeyturnWire
    import Testing

    @testable import Keyturn

    /// Every request of a service client, over a real connection, beside the text in `Transcripts`. To accept new ones, run
    /// with `KEYTURN_RECORD=1` and read the difference.
    @Suite("Service clients: golden transcripts of the documented wire")
    struct TranscriptTests {
        static let now = UnixTime(rawValue: 1_800_000_000)

        /// A clock that stands and randomness that repeats.
        static let ambient = Ambient(clock: { now }, entropy: { [UInt8](repeating: 0x5A, count: $0) })

        static let answer: JSONValue = [
            "access_token": "T-1", "expires_in": 3_600, "token_type": "bearer", "restricted_to": [],
            "refresh_token": "R-1", "issued_token_type": .string(TokenTypeIdentifier.accessToken.rawValue),
        ]

        /// What goes over the wire while `body` runs, but for what the connection adds.
        static func record(
            _ body: (ServiceConfiguration, URLSessionTransport) async throws -> Void
        ) async throws -> String {
            let server = try LoopbackServer { request in
                let isToken = request.line.contains("/oauth2/")
                let json: JSONValue =
                    request.line.contains("/revoke") ? [:] : isToken ? answer : ["id": "11", "login": "a@x"]
                return HTTPResponse(status: 200, headers: [("Content-Type", "application/json")], body: json.serialized)
            }
            defer { server.stop() }
            try await body(.box(apiURL: server.base, uploadURL: server.base), URLSessionTransport())
            let connection: Set<String> = [
                "host", "user-agent", "accept-encoding", "accept-language", "connection", "content-length",
            ]
            return server.heard.map { request in
                let fields = request.fields.filter { !connection.contains($0.name.lowercased()) }
                let lines = fields.map { "\($0.name): \($0.value)" }.sorted()
                let text = ([request.line] + lines + [""]).joined(separator: "\n") + "\n"
                return text + request.body.replacing(server.base, with: "{base}")
            }.joined(separator: "\n----\n") + "\n"
        }

        private func compare(_ name: String, _ recorded: String, source: String = #filePath) throws {
            let file = URL(fileURLWithPath: source).deletingLastPathComponent()
                .appendingPathComponent("Transcripts/\(name).txt")
            if ProcessInfo.processInfo.environment["KEYTURN_RECORD"] == "1" {
                try Data(recorded.utf8).write(to: file)
            }
            let golden = try String(contentsOf: file, encoding: .utf8)
            #expect(recorded == golden, "\(name)")
        }

        private func client(
            _ credential: ServiceCredential, _ configuration: ServiceConfiguration, _ transport: URLSessionTransport,
            application: ServiceApplication? = ServiceApplication(clientID: "CID", clientSecret: "S+E&C r=t")
        ) -> ServiceClient {
            ServiceClient(
                credential, application: application, configuration: configuration, transport: transport,
                ambient: Self.ambient)
        }

        @Test func `client credentials, a call, and the end`() async throws {
            let recorded = try await Self.record { configuration, transport in
                let service = client(.clientCredentials(subject: .enterprise("801346")), configuration, transport)
                _ = try await service.call("GET", "/2.0/users/me")
                try await service.destroy()
                let person = client(.clientCredentials(subject: .user("17738362")), configuration, transport)
                _ = try await person.accessToken()
                _ = try await client(.clientCredentials(), configuration, transport).accessToken()
            }
            try compare("client-credentials", recorded)
        }

        @Test func `an assertion`() async throws {
            let key = try AssertionKey(keyID: "lvpw4bz4", pem: TranscriptKey.encrypted, passphrase: Secret("correct"))
            let recorded = try await Self.record { configuration, transport in
                let service = client(.assertion(key, subject: .enterprise("801346")), configuration, transport)
                _ = try await service.accessToken()
            }
            try compare("assertion", recorded)
            let assertion = recorded.split(separator: "assertion=").last.map(String.init) ?? ""
            #expect(
                FakeBox.claims(assertion, part: 0) == ["alg": "RS256", "kid": "lvpw4bz4", "typ": "JWT"])
            #expect(
                FakeBox.claims(assertion) == [
                    "iss": "CID", "sub": "801346", "box_sub_type": "enterprise",
                    "aud": "https://api.box.com/oauth2/token", "exp": .integer(Self.now.rawValue + 30),
                    "jti": .string(Base64URL.encode([UInt8](repeating: 0x5A, count: 24))),
                ])
        }

        @Test func `a code, a refresh token, and the end of both`() async throws {
            let application = ServiceApplication(clientID: "CID", clientSecret: "S+E&C r=t")
            let recorded = try await Self.record { configuration, transport in
                let authorization = try ServiceAuthorization(
                    application, redirectURI: "https://app.example.com/back?x=1", configuration: configuration,
                    transport: transport, ambient: Self.ambient)
                let query = "?x=1&code=C%2BO%26DE&state=" + authorization.state
                let tokens = try await authorization.redeem(callbackURL: "https://app.example.com/back" + query)
                let old = ServiceTokens(
                    accessToken: tokens.accessToken, refreshToken: tokens.refreshToken, obtainedAt: Self.now - 7_200,
                    expiresInSeconds: 3_600)
                let service = client(.threeLegged(uniqueID: "u", tokens: old), configuration, transport)
                _ = try await service.accessToken()
                try await service.revoke()
            }
            try compare("three-legged", recorded)
        }

        @Test func `exchanges, with and without an object and a shared link`() async throws {
            let recorded = try await Self.record { configuration, transport in
                let service = client(.developerToken("DEV"), configuration, transport, application: nil)
                _ = try await service.acting(as: "777").exchange(
                    scope: [.itemPreview, .itemUpload],
                    resource: "https://api.box.com/2.0/files/123456789")
                _ = try await service.exchange(
                    scope: Scope(names: ["item_preview"]), sharedLink: "https://app.box.com/s/a?b=c&d")
                var annotator = TokenRestriction(scope: Scope(names: ["annotation_edit"]))
                annotator.actorToken = Secret("a.b.c")
                annotator.actorTokenType = .idToken
                _ = try await service.exchange(annotator)
            }
            try compare("exchange", recorded)
        }

        @Test func `clones`() async throws {
            let recorded = try await Self.record { configuration, transport in
                let service = client(.developerToken("DEV"), configuration, transport)
                let all = service.acting(as: "777").withSharedLink("https://app.box.com/s/x y", password: "p&w")
                    .withoutNotifications().withHeaders(["X-Trace": "1"])
                _ = try await all.call("GET", "/2.0/files/1?fields=id")
                _ = try await all.call("PUT", "/2.0/files/1", body: ["name": "new"])
                _ = try await service.call("DELETE", "/2.0/files/1")
            }
            try compare("clones", recorded)
        }

        @Test func `a person's sign-in through a container`() async throws {
            let recorded = try await Self.record { configuration, transport in
                let auth = Keyturn(
                    .box(clientID: "CID", clientSecret: "S+E&C r=t", configuration: configuration), storage: .memory,
                    transport: transport, ambient: Self.ambient)
                let url = try await auth.startAuthorization(SignInOptions(redirectURI: "myapp://callback"))
                let challenge = PKCE(ambient: Self.ambient).codeChallenge
                let state = Self.ambient.randomToken()
                #expect(
                    url
                        == "https://account.box.com/api/oauth2/authorize?client_id=CID&redirect_uri=myapp%3A%2F%2Fcallback"
                        + "&response_type=code&state=\(state)&code_challenge=\(challenge)&code_challenge_method=S256")
                let result = try await auth.finishAuthorization(callbackURL: "myapp://callback?code=C1&state=\(state)")
                #expect(result.idToken == nil)
                #expect(result.userInfo.subject == "11" && result.userInfo.email == "a@x")
                try await auth.forceRefresh()
                try await auth.logout()
            }
            try compare("container", recorded)
        }

        @Test func `another host gets nothing of the client's, over a real connection`() async throws {
            let other = try LoopbackServer { _ in HTTPResponse(status: 200, body: Array("file".utf8)) }
            let first = try LoopbackServer { _ in
                HTTPResponse(status: 302, headers: [("Location", other.base + "/d?sig=1")])
            }
            defer {
                other.stop()
                first.stop()
            }
            let service = client(.developerToken("DEV"), .box(apiURL: first.base), URLSessionTransport())
                .acting(as: "777").withSharedLink("https://x").withHeaders(["X-Mine": "1"])
            let response = try await service.send(
                HTTPRequest(url: first.base + "/2.0/files/1/content", headers: [("Range", "bytes=0-3")]))
            #expect(response.body == Array("file".utf8))
            let names = Set(try #require(other.heard.first).fields.map { $0.name.lowercased() })
            #expect(names.contains("range"))
            #expect(names.isDisjoint(with: ["authorization", "as-user", "boxapi", "x-mine", "cookie"]))
        }
    }
#endif
