import KeyturnBase
import KeyturnVerify
import KeyturnWire
import Testing

@Suite("Bearer tokens, RFC 6750")
struct BearerTests {
    static let issuer = TokenVerifierTests.issuer

    @Test(arguments: ["Bearer ", "bearer ", "BEARER ", "Bearer   "])
    func `the scheme's case does not matter`(_ scheme: String) async throws {
        let token = try UnverifiedToken.bearer(authorization: scheme + Self.issuer.token(TestIssuer.accessClaims()))
        let verified = try await TokenVerifierTests.verifier().verify(token, at: TestIssuer.now)
        #expect(verified.subject == "user-1")
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        var authorization: String?
        var query: String?
        let status: Int
        let header: String?
        var testDescription: String { name }
    }

    static let cases = [
        Case(name: "nothing", status: 401, header: "Bearer"),
        Case(name: "another scheme", authorization: "Basic YTpi", status: 401, header: "Bearer"),
        Case(name: "65: DPoP", authorization: "DPoP abc", status: 401, header: "Bearer"),
        Case(name: "a glued scheme", authorization: "Bearerabc", status: 401, header: "Bearer"),
        Case(name: "empty", authorization: "", status: 401, header: "Bearer"),
        Case(name: "no token", authorization: "Bearer", status: 400, header: "Bearer error=\"invalid_request\""),
        Case(name: "blank token", authorization: "Bearer  ", status: 400, header: "Bearer error=\"invalid_request\""),
        Case(name: "two tokens", authorization: "Bearer a, b", status: 400, header: "Bearer error=\"invalid_request\""),
        Case(
            name: "113: line end", authorization: "Bearer a\r\n", status: 400,
            header: "Bearer error=\"invalid_request\""),
        Case(
            name: "66: in the query", query: "a=b&access_token=abc", status: 400,
            header: "Bearer error=\"invalid_request\""),
        Case(
            name: "66: in the query, disguised", query: "Access%5Ftoken=abc", status: 400,
            header: "Bearer error=\"invalid_request\""),
        Case(
            name: "66: in both", authorization: "Bearer abc", query: "access_token=abc", status: 400,
            header: "Bearer error=\"invalid_request\""),
        Case(
            name: "115: too large", authorization: "Bearer " + String(repeating: "a", count: 16_385), status: 400,
            header: "Bearer error=\"invalid_request\""),
    ]

    @Test(arguments: cases)
    func `a request without a proper token gets the right answer`(_ c: Case) throws {
        let error = #expect(throws: AuthError.self) {
            try UnverifiedToken.bearer(authorization: c.authorization, query: c.query)
        }
        let challenge = BearerChallenge(answering: try #require(error))
        #expect(challenge.status == c.status)
        #expect(challenge.header == c.header)
    }

    @Test func `a query without a token is no concern`() throws {
        _ = try UnverifiedToken.bearer(authorization: "Bearer abc", query: "token=1&x_access_token=2&access_tokens=3")
    }

    @Test(arguments: [
        AuthError.Code.tokenExpired, .tokenSignature, .tokenMisdirected, .tokenKind, .tokenMalformed, .tokenNotYetValid,
        .tokenRefused,
    ])
    func `67: every refused token is an invalid token, and no more is said`(_ code: AuthError.Code) {
        let challenge = BearerChallenge(answering: AuthError(code, "detail"), realm: "notes")
        #expect(challenge.status == 401)
        #expect(challenge.header == "Bearer realm=\"notes\", error=\"invalid_token\"")
    }

    @Test func `what could not be decided is nobody's fault but ours`() {
        let challenge = BearerChallenge(answering: AuthError(.unavailable, "no keys"), realm: "notes")
        #expect(challenge.status == 503)
        #expect(challenge.header == nil)
    }
}

@Suite("Step-up, RFC 9470")
struct FreshnessTests {
    static let now = TestIssuer.now

    static func token(_ changes: [String: JSONValue?] = [:]) async throws -> VerifiedToken {
        try await TokenVerifierTests.verify(BearerTests.issuer.token(TestIssuer.accessClaims(changes)))
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let policy: FreshnessPolicy
        var claims: [String: JSONValue?] = [:]
        let isEnough: Bool
        var testDescription: String { name }
    }

    static let cases = [
        Case(name: "nothing asked", policy: FreshnessPolicy(), claims: ["auth_time": nil], isEnough: true),
        Case(name: "71: the last good second", policy: FreshnessPolicy(maxAgeSeconds: 100), isEnough: true),
        Case(name: "71: one second late", policy: FreshnessPolicy(maxAgeSeconds: 99), isEnough: false),
        Case(name: "71: at once", policy: FreshnessPolicy(maxAgeSeconds: 0), isEnough: false),
        Case(
            name: "71: no auth_time", policy: FreshnessPolicy(maxAgeSeconds: 1_000_000),
            claims: ["auth_time": nil], isEnough: false),
        Case(
            name: "a clock slightly ahead", policy: FreshnessPolicy(maxAgeSeconds: 0),
            claims: ["auth_time": .integer(now.rawValue + 30)], isEnough: true),
        Case(
            name: "71: a sign-in in the future", policy: FreshnessPolicy(maxAgeSeconds: 100),
            claims: ["auth_time": .integer(now.rawValue + 31)], isEnough: false),
        Case(name: "strong enough", policy: FreshnessPolicy(acrValues: ["phr", "mfa"]), isEnough: true),
        Case(name: "71: too weak", policy: FreshnessPolicy(acrValues: ["phr", "phrh"]), isEnough: false),
        Case(
            name: "71: no acr", policy: FreshnessPolicy(acrValues: ["mfa"]), claims: ["acr": nil],
            isEnough: false),
        Case(
            name: "71: strong but old", policy: FreshnessPolicy(maxAgeSeconds: 99, acrValues: ["mfa"]),
            isEnough: false),
    ]

    @Test(arguments: cases)
    func `a sign-in is fresh and strong enough, or not`(_ c: Case) async throws {
        let token = try await Self.token(c.claims)
        if c.isEnough {
            try token.require(c.policy, at: Self.now)
        } else {
            #expect(throws: AuthError(.tokenInsufficient, "")) { try token.require(c.policy, at: Self.now) }
        }
    }

    @Test func `71: the challenge says what is missing`() async throws {
        let token = try await Self.token()
        let policy = FreshnessPolicy(maxAgeSeconds: 5, acrValues: ["phr", "phrh"])
        let error = try #require(throws: AuthError.self) { try token.require(policy, at: Self.now) }
        let challenge = BearerChallenge(answering: error)
        #expect(challenge.status == 401)
        #expect(
            challenge.header
                == "Bearer error=\"insufficient_user_authentication\", acr_values=\"phr phrh\", max_age=\"5\"")
        #expect(BearerChallenge(answering: error, realm: "notes").header?.hasPrefix("Bearer realm=\"notes\", ") == true)
    }

    @Test func `a missing scope is forbidden, and named`() async throws {
        let token = try await Self.token()
        try token.require(scope: Scope(names: ["write", "read"]))
        try token.require(scope: .none)
        let error = try #require(throws: AuthError.self) {
            try token.require(scope: Scope(names: ["read", "admin"]))
        }
        let challenge = BearerChallenge(answering: error)
        #expect(challenge.status == 403)
        #expect(challenge.header == "Bearer error=\"insufficient_scope\", scope=\"read admin\"")
    }

    @Test func `a token without scope allows nothing`() async throws {
        let token = try await Self.token(["scope": nil])
        #expect(throws: AuthError(.tokenInsufficient, "")) { try token.require(scope: Scope(names: ["read"])) }
    }
}
