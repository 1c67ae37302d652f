import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("Clients that sign (private_key_jwt)")
struct ClientAssertionTests {
    @Test func `37: an assertion of the client, for the issuer alone, signs it in`() async throws {
        let fixture = try await ServiceFixture.start()
        let answer = try await fixture.asKeyed(fixture.assertion(of: fixture.keyed))
        #expect(answer.status == 200, "\(answer.body)")
        #expect(try ServiceFixture.claims(answer)["sub"] == "client:keyed")
        for type in [nil, "JWT", TokenKind.clientAuthentication] {
            let answer = try await fixture.asKeyed(fixture.assertion(of: fixture.keyed, type: type))
            #expect(answer.status == 200, "\(answer.body)")
        }
        await fixture.server.stop()
    }

    @Test func `37: what is wrong with an assertion is refused as invalid_client`() async throws {
        let fixture = try await ServiceFixture.start()
        let now = fixture.server.clock.now.rawValue
        let issuer = JSONValue.string(fixture.server.issuer)
        let cases: [(String, [String: JSONValue?])] = [
            ("another iss", ["iss": "service"]), ("no iss", ["iss": nil]),
            ("another sub", ["sub": "service"]), ("no sub", ["sub": nil]),
            ("the PAR endpoint", ["aud": .string(fixture.server.issuer + "/oauth2/par")]),
            ("another server's token endpoint", ["aud": "https://other.example/oauth2/token"]),
            ("another server beside the issuer", ["aud": ["https://other.example", issuer]]),
            ("an empty array", ["aud": []]), ("an array with a number", ["aud": [issuer, 7]]), ("no aud", ["aud": nil]),
            ("Box", ["aud": .string(ServiceFixture.issuerOfBox)]),
            ("no exp", ["exp": nil]), ("exp as text", ["exp": .string("\(now + 30)")]),
            ("exp over", ["exp": .integer(now - 31)]), ("exp long over", ["exp": .integer(now - 300)]),
            ("exp of years", ["exp": .integer(now + 86_400 * 365)]), ("exp huge", ["exp": .number(1e300)]),
            ("nbf ahead", ["nbf": .integer(now + 70)]), ("iat ahead", ["iat": .integer(now + 70)]),
            ("no jti", ["jti": nil]), ("empty jti", ["jti": ""]),
            ("long jti", ["jti": .string(String(repeating: "x", count: 257))]), ("jti as number", ["jti": 7]),
        ]
        for (name, changes) in cases {
            let answer = try await fixture.asKeyed(fixture.assertion(of: fixture.keyed, changes))
            #expect(answer.status == 400 && answer.error == "invalid_client", "\(name): \(answer.body)")
        }
        let early = try await fixture.asKeyed(fixture.assertion(of: fixture.keyed, ["nbf": .integer(now + 8)]))
        #expect(early.status == 200, "a clock that is eight seconds ahead is no attack")
        await fixture.server.stop()
    }

    @Test func `37: the token endpoint, or an array with nothing but this server, is an audience outside FAPI`()
        async throws
    {
        let strict = try ServiceFixture.keyed("strict", strictAssertions: true)
        let fixture = try await ServiceFixture.start(more: [strict])
        let issuer = JSONValue.string(fixture.server.issuer)
        let endpoint = JSONValue.string(fixture.server.issuer + "/oauth2/token")
        for audience: JSONValue in [endpoint, [issuer], [endpoint], [issuer, endpoint]] {
            let answer = try await fixture.asKeyed(fixture.assertion(of: fixture.keyed, ["aud": audience]))
            #expect(answer.status == 200, "\(audience) \(answer.body)")
            let refused = try await fixture.asKeyed(fixture.assertion(of: strict, ["aud": audience]))
            #expect(refused.status == 400 && refused.error == "invalid_client", "\(audience) \(refused.body)")
        }
        #expect(try await fixture.asKeyed(fixture.assertion(of: strict)).status == 200)
        await fixture.server.stop()
    }

    @Test func `58: another kind of token, or another client's key, is no assertion`() async throws {
        let fixture = try await ServiceFixture.start()
        for type in ["at+jwt", "logout+jwt", "dpop+jwt", "oauth-authz-req+jwt"] {
            let answer = try await fixture.asKeyed(fixture.assertion(of: fixture.keyed, type: type))
            #expect(answer.error == "invalid_client", "\(type)")
        }
        let stranger = ForeignIssuer(keyID: "service-1")
        let forged = stranger.token([
            "iss": "keyed", "sub": "keyed", "aud": .string(fixture.server.issuer), "jti": "x",
            "exp": .integer(fixture.server.clock.now.rawValue + 30),
        ])
        #expect(try await fixture.asKeyed(forged).error == "invalid_client")
        // A kid that nobody has leaves no candidate; a jwk in the header is nobody's word.
        let header: [String: JSONValue] = ["kid": "../../etc/passwd"]
        #expect(
            try await fixture.asKeyed(fixture.assertion(of: fixture.keyed, header: header)).error == "invalid_client")
        let jwk: [String: JSONValue] = ["jwk": .object(["kty": "EC"])]
        let embedded = try await fixture.asKeyed(fixture.assertion(of: fixture.keyed, header: jwk))
        #expect(embedded.status == 200 || embedded.error == "invalid_client", "54: ignored, and never used")
        await fixture.server.stop()
    }

    @Test func `38: of fifty parallel uses of one assertion one counts`() async throws {
        let fixture = try await ServiceFixture.start()
        let assertion = fixture.assertion(of: fixture.keyed)
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<50 { group.addTask { try await fixture.asKeyed(assertion).status } }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(statuses.count { $0 == 200 } == 1 && statuses.count { $0 == 400 } == 49)
        await fixture.server.stop()
    }

    @Test func `38: an assertion stays spent until its time refuses it`() async throws {
        let fixture = try await ServiceFixture.start()
        let assertion = fixture.assertion(of: fixture.keyed)
        #expect(try await fixture.asKeyed(assertion).status == 200)
        for _ in 0..<7 {
            fixture.server.clock.advance(9)
            _ = try await fixture.server.services.stores.maintenance.removeExpired(
                limit: 1_000, at: fixture.server.clock.now)
            #expect(try await fixture.asKeyed(assertion).error == "invalid_client")
        }
        await fixture.server.stop()
    }

    @Test func `39: an assertion beside a secret is refused`() async throws {
        let fixture = try await ServiceFixture.start()
        let secret = try await fixture.asKeyed(
            fixture.assertion(of: fixture.keyed), ["client_id": "keyed", "client_secret": TestClients.webSecret])
        #expect(secret.error == "invalid_client")
        let other = try await fixture.asKeyed(fixture.assertion(of: fixture.keyed), ["client_id": "service"])
        #expect(other.error == "invalid_client", "and two names are one too many")
        await fixture.server.stop()
    }

    @Test func `40: a client signs only if it registered to`() async throws {
        let fixture = try await ServiceFixture.start()
        #expect(try await fixture.asKeyed(fixture.assertion(of: fixture.service)).error == "invalid_client")
        let form: KeyValuePairs<String, String?> = ["grant_type": "client_credentials", "client_id": "keyed"]
        #expect(try await fixture.token(form, as: nil).error == "invalid_client", "nor does its name suffice")
        let untyped = try await fixture.token(
            ["grant_type": "client_credentials", "client_assertion": fixture.assertion(of: fixture.keyed)], as: nil)
        #expect(untyped.error == "invalid_client")
        await fixture.server.stop()
    }

    @Test func `an assertion costs one statement, and signs in at revocation and introspection too`() async throws {
        let statements = ServerStatements()
        let fixture = try await ServiceFixture.start(onStatement: statements.add)
        _ = statements.take()
        let token = try #require(
            try await fixture.asKeyed(fixture.assertion(of: fixture.keyed)).json["access_token"]?.stringValue)
        #expect(
            statements.take().filter { !$0.hasPrefix("BEGIN") && !$0.hasPrefix("COMMIT") && !$0.contains("SAVEPOINT") }
                .count == 1)
        for (path, active) in [("/oauth2/introspect", true), ("/oauth2/revoke", nil), ("/oauth2/introspect", false)] {
            let form = FormParameters([
                "token": token, "client_assertion": fixture.assertion(of: fixture.keyed),
                "client_assertion_type": ClientAssertionType.jwtBearer,
            ])
            let answer = try await fixture.server.post(path, form)
            #expect(answer.status == 200 && answer.json["active"]?.boolValue == active)
        }
        await fixture.server.stop()
    }
}
