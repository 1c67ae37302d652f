import KeyturnBase
import KeyturnVerify
import KeyturnWire
import Testing

@Suite("Claims that inform, in the types of other people's providers")
struct InformationalClaimTests {
    static let issuer = TestIssuer()
    static let now = TestIssuer.now

    static func verify(_ claims: [String: JSONValue?], maxAgeSeconds: Int64? = nil) async throws -> VerifiedIDToken {
        try await IDTokenVerifierTests.verify(IDTokenVerifierTests.token(claims), maxAgeSeconds: maxAgeSeconds)
    }

    static func access(_ claims: [String: JSONValue?]) async throws -> VerifiedToken {
        try await TokenVerifier(
            issuer: TestIssuer.url, audience: "api", keys: try PinnedKeys(parsing: TestIssuer.document(issuer))
        ).verify(issuer.token(TestIssuer.accessClaims(claims)), at: now)
    }

    struct Oddity: Sendable, CustomTestStringConvertible {
        let name: String
        let claim: String
        let value: JSONValue
        var testDescription: String { name }
    }

    static let oddities = [
        Oddity(name: "Signicat: amr as text", claim: "amr", value: "simulator"),
        Oddity(name: "amr with a number", claim: "amr", value: ["pwd", 1]),
        Oddity(name: "amr as null", claim: "amr", value: .null),
        Oddity(name: "acr as a number", claim: "acr", value: 2),
        Oddity(name: "acr as null", claim: "acr", value: .null),
        Oddity(name: "sid as a number", claim: "sid", value: 17),
        Oddity(name: "AD FS: auth_time as a date", claim: "auth_time", value: "2026-11-14T12:00:00.000Z"),
        Oddity(name: "auth_time as text", claim: "auth_time", value: "1795000000"),
        Oddity(name: "auth_time as a flag", claim: "auth_time", value: true),
        Oddity(name: "auth_time beyond 53 bits", claim: "auth_time", value: .integer(.max)),
    ]

    @Test(arguments: oddities)
    func `an ID token is accepted, and the claim is absent but by its name`(_ oddity: Oddity) async throws {
        var claims: [String: JSONValue?] = ["acr": "a", "amr": ["pwd"]]
        claims[oddity.claim] = oddity.value
        let token = try await Self.verify(claims)
        #expect((token.acr == nil) == (oddity.claim == "acr"))
        #expect(token.amr.isEmpty == (oddity.claim == "amr"))
        #expect((token.sessionID == nil) == (oddity.claim == "sid"))
        #expect((token.authTime == nil) == (oddity.claim == "auth_time"))
        #expect(token[oddity.claim] == oddity.value && token.claims[oddity.claim] == oddity.value)
    }

    @Test(arguments: oddities)
    func `an access token is accepted, and satisfies no policy by it`(_ oddity: Oddity) async throws {
        let token = try await Self.access([oddity.claim: oddity.value, "gid": 9])
        #expect((token.acr == nil) == (oddity.claim == "acr"))
        #expect(token.amr.isEmpty == (oddity.claim == "amr"))
        #expect((token.sessionID == nil) == (oddity.claim == "sid"))
        #expect((token.authTime == nil) == (oddity.claim == "auth_time"))
        #expect(token.grantID == nil && token[oddity.claim] == oddity.value)
        guard ["acr", "auth_time"].contains(oddity.claim) else { return }
        #expect(throws: AuthError(.tokenInsufficient, "")) {
            try token.require(FreshnessPolicy(maxAgeSeconds: 3_600, acrValues: ["mfa"]), at: Self.now)
        }
    }

    @Test(arguments: ["1795000000", true, ["x"]] as [JSONValue])
    func `auth_time of another type is refused where max_age needs it`(_ value: JSONValue) async {
        let error = await #expect(throws: AuthError(.tokenInsufficient, "")) {
            try await Self.verify(["auth_time": value], maxAgeSeconds: 3_600)
        }
        #expect(error?.detail.contains("auth_time") == true)
    }

    @Test(arguments: ["azp", "at_hash", "nbf", "acr"])
    func `an optional claim that is null is not there`(_ claim: String) async throws {
        #expect(try await Self.verify([claim: .null]).subject == "user-1")
    }

    @Test(arguments: ["nonce", "iss", "sub", "aud", "exp", "iat"])
    func `a claim that decides is refused when it is null`(_ claim: String) async {
        await #expect(throws: AuthError.self) { try await Self.verify([claim: .null]) }
    }

    @Test(arguments: ["client_id", "iat", "exp", "sub", "iss"])
    func `what RFC 9068 demands of an access token is refused by its name`(_ claim: String) async {
        for value: JSONValue? in [nil, .null, ["x"]] {
            let error = await #expect(throws: AuthError(.tokenMalformed, "")) { try await Self.access([claim: value]) }
            #expect(error?.detail.contains("the claim \(claim) ") == true)
        }
    }

    @Test func `a scope that is a list is refused by its name`() async {
        let error = await #expect(throws: AuthError(.tokenMalformed, "")) { try await Self.access(["scope": ["read"]]) }
        #expect(error?.detail.contains("the claim scope ") == true)
    }

    @Test func `introspection answers with null, and with odd types of what informs, are read`() async throws {
        let answer: JSONValue = [
            "active": true, "sub": "user-1", "aud": "api", "client_id": .null, "scope": .null, "exp": .null,
            "iat": .null, "acr": 2, "auth_time": "2026-11-14T12:00:00.000Z",
        ]
        let endpoint = TestIssuer.url + "/introspect"
        let introspection = Introspection(
            endpoint: endpoint, clientID: "api", clientSecret: Secret("s"), audience: "api",
            transport: ScriptedTransport([endpoint: ScriptedTransport.answer(answer.serialized)]))
        let token = try await introspection.ask(UnverifiedToken("a"), at: Self.now).get()
        #expect(token.subject == "user-1" && token.clientID == nil && token.scope.isEmpty)
        #expect(token.expiresAt == nil && token.authTime == nil && token.acr == nil && token.claims["acr"] == 2)
    }

    @Test func `an introspection answer that cannot be read names the claim`() async {
        let answer: JSONValue = ["active": true, "sub": 7]
        let endpoint = TestIssuer.url + "/introspect"
        let introspection = Introspection(
            endpoint: endpoint, clientID: "api", clientSecret: Secret("s"), audience: nil,
            transport: ScriptedTransport([endpoint: ScriptedTransport.answer(answer.serialized)]))
        let error = await #expect(throws: AuthError(.protocolViolation, "")) {
            try await introspection.ask(UnverifiedToken("a"), at: Self.now)
        }
        #expect(error?.detail.contains("the claim sub ") == true)
    }

    @Test func `session tokens with odd types of what informs are accepted`() async throws {
        let claims = SessionTokenTests.claims(["amr": "mfa", "gid": 7, "nsec": "x"])
        let token = try await SessionTokenTests.verify(SessionTokenTests.issuer.token(claims, type: "JWT"))
        #expect(token.amr.isEmpty && !token.hasSeveralFactors && token.grantID == nil && token.unvouchedClaims.isEmpty)
    }
}

@Suite("Large ID tokens")
struct LargeIDTokenTests {
    static func groups(_ count: Int) -> JSONValue {
        .array((0..<count).map { .string("9f8b1c7e-0000-4000-8000-000000\(100_000 + $0)") })
    }

    static func verify(_ count: Int) async throws -> VerifiedIDToken {
        try await IDTokenVerifierTests.verify(IDTokenVerifierTests.token(["groups": groups(count)]))
    }

    @Test(arguments: [1_200, 15_000])
    func `a user of many groups can sign in`(_ count: Int) async throws {
        #expect(try await Self.verify(count)["groups"]?.arrayValue?.count == count)
    }

    @Test func `an ID token larger than any answer is refused, and says so`() async {
        let error = await #expect(throws: AuthError(.tokenMalformed, "")) { try await Self.verify(30_000) }
        #expect(error?.detail.contains("larger than \(VerifyLimits.idTokenBytes) bytes") == true)
    }
}
