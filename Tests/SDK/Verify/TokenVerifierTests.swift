import Crypto
import KeyturnBase
import KeyturnVerify
import KeyturnWire
import Testing

@Suite("Access tokens, RFC 9068 §4")
struct TokenVerifierTests {
    static let issuer = TestIssuer()
    static let now = TestIssuer.now

    static func verifier(toleranceSeconds: Int64 = 30) throws -> TokenVerifier {
        TokenVerifier(
            issuer: TestIssuer.url, audience: "api", keys: try PinnedKeys(parsing: TestIssuer.document(issuer)),
            toleranceSeconds: toleranceSeconds)
    }

    static func verify(_ token: String, at now: UnixTime = now) async throws -> VerifiedToken {
        try await verifier().verify(token, at: now)
    }

    @Test func `a good token gives its claims by type`() async throws {
        let token = try await Self.verify(Self.issuer.token(TestIssuer.accessClaims()))
        #expect(token.issuer == TestIssuer.url)
        #expect(token.subject == "user-1")
        #expect(token.clientID == "app")
        #expect(token.scope == Scope("read write"))
        #expect(token.audience == ["api"])
        #expect(token.issuedAt == Self.now)
        #expect(token.expiresAt == Self.now + 600)
        #expect(token.tokenID == "t-1")
        #expect(token.authTime == Self.now - 100)
        #expect(token.acr == "mfa")
        #expect(token.amr == ["pwd", "otp"])
        #expect(token.sessionID == "s-1")
        #expect(token.grantID == "g-1")
        #expect(token["jti"] == "t-1")
    }

    @Test(arguments: ["at+jwt", "application/at+jwt", "AT+JWT", "Application/AT+jwt"])
    func `the type may be spelled in full and in any case`(_ type: String) async throws {
        let token = try await Self.verify(Self.issuer.token(TestIssuer.accessClaims(), type: type))
        #expect(token.subject == "user-1")
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        let name: String
        let claims: [String: JSONValue?]
        let code: AuthError.Code
        var testDescription: String { name }
    }

    static let refusals = [
        Refusal(name: "another issuer", claims: ["iss": "https://evil.example.com"], code: .tokenMisdirected),
        Refusal(
            name: "the issuer with a slash", claims: ["iss": .string(TestIssuer.url + "/")], code: .tokenMisdirected),
        Refusal(name: "no issuer", claims: ["iss": nil], code: .tokenMalformed),
        Refusal(name: "67: another audience", claims: ["aud": "other"], code: .tokenMisdirected),
        Refusal(name: "67: several other audiences", claims: ["aud": ["x", "y"]], code: .tokenMisdirected),
        Refusal(name: "67: an empty audience", claims: ["aud": []], code: .tokenMisdirected),
        Refusal(name: "67: no audience", claims: ["aud": nil], code: .tokenMalformed),
        Refusal(name: "59: an audience with a number", claims: ["aud": ["api", 1]], code: .tokenMalformed),
        Refusal(name: "59: exp is a string", claims: ["exp": "1900000000"], code: .tokenMalformed),
        Refusal(name: "59: exp is negative", claims: ["exp": -1], code: .tokenExpired),
        Refusal(name: "59: exp is huge", claims: ["exp": .number(1e300)], code: .tokenMalformed),
        Refusal(name: "59: exp is too large for 53 bits", claims: ["exp": .integer(.max)], code: .tokenMalformed),
        Refusal(name: "59: exp is null", claims: ["exp": .null], code: .tokenMalformed),
        Refusal(name: "59: no exp", claims: ["exp": nil], code: .tokenMalformed),
        Refusal(
            name: "59: iat in the future", claims: ["iat": .integer(now.rawValue + 31)], code: .tokenNotYetValid),
        Refusal(name: "59: no iat", claims: ["iat": nil], code: .tokenMalformed),
        Refusal(name: "59: nbf is a string", claims: ["nbf": "now"], code: .tokenMalformed),
        Refusal(
            name: "nbf in the future", claims: ["nbf": .integer(now.rawValue + 31)], code: .tokenNotYetValid),
        Refusal(name: "no subject", claims: ["sub": nil], code: .tokenMalformed),
        Refusal(name: "an empty subject", claims: ["sub": ""], code: .tokenMalformed),
        Refusal(name: "no client", claims: ["client_id": nil], code: .tokenMalformed),
        Refusal(name: "scope is a list", claims: ["scope": ["read"]], code: .tokenMalformed),
        Refusal(name: "65: bound to a key, shown as Bearer", claims: ["cnf": ["jkt": "abc"]], code: .tokenKind),
        Refusal(name: "bound in an unknown way", claims: ["cnf": ["x5t#S256": "abc"]], code: .tokenKind),
    ]

    @Test(arguments: refusals)
    func `a signed token with wrong claims is refused`(_ refusal: Refusal) async throws {
        let token = Self.issuer.token(TestIssuer.accessClaims(refusal.claims))
        await #expect(throws: AuthError(refusal.code, "")) { try await Self.verify(token) }
    }

    @Test(arguments: ["JWT", "logout+jwt", "dpop+jwt", "at+jwt ", "application/application/at+jwt", "", nil])
    func `58: a token of another kind is refused`(_ type: String?) async throws {
        let token = Self.issuer.token(TestIssuer.accessClaims(), type: type)
        await #expect(throws: AuthError(.tokenKind, "")) { try await Self.verify(token) }
    }

    @Test func `58: an ID token is not an access token`() async throws {
        let token = Self.issuer.token(TestIssuer.idClaims(["aud": "api", "client_id": "app"]), type: "JWT")
        await #expect(throws: AuthError(.tokenKind, "")) { try await Self.verify(token) }
    }

    @Test func `the second before the tolerance ends is good, the next is not`() async throws {
        let token = Self.issuer.token(TestIssuer.accessClaims())
        let end = Self.now + 600 + 30
        #expect(try await Self.verify(token, at: end - 1).subject == "user-1")
        await #expect(throws: AuthError(.tokenExpired, "")) { try await Self.verify(token, at: end) }
        let strict = try Self.verifier(toleranceSeconds: 0)
        #expect(try await strict.verify(token, at: Self.now + 599).subject == "user-1")
        await #expect(throws: AuthError(.tokenExpired, "")) { try await strict.verify(token, at: Self.now + 600) }
    }

    @Test(arguments: ["iat", "nbf"])
    func `a moment ahead by the tolerance is good, one second more is not`(_ claim: String) async throws {
        let token = Self.issuer.token(TestIssuer.accessClaims([claim: .integer(Self.now.rawValue + 30)]))
        #expect(try await Self.verify(token).subject == "user-1")
        await #expect(throws: AuthError(.tokenNotYetValid, "")) { try await Self.verify(token, at: Self.now - 1) }
    }

    @Test func `59: fractions of a second are dropped`() async throws {
        let claims = TestIssuer.accessClaims(["exp": .number(Double(Self.now.rawValue) + 0.9)])
        let token = Self.issuer.token(claims)
        #expect(try await Self.verify(token, at: Self.now + 29).expiresAt == Self.now)
        await #expect(throws: AuthError(.tokenExpired, "")) { try await Self.verify(token, at: Self.now + 30) }
    }

    @Test func `59: an audience among others is enough`() async throws {
        let token = Self.issuer.token(TestIssuer.accessClaims(["aud": ["other", "api"]]))
        #expect(try await Self.verify(token).audience == ["other", "api"])
    }

    @Test func `a bound token is accepted with the proof of its key`() async throws {
        let token = UnverifiedToken(Self.issuer.token(TestIssuer.accessClaims(["cnf": ["jkt": "abc"]])))
        let verifier = try Self.verifier()
        let verified = try await verifier.verify(token, proofKeyThumbprint: "abc", at: Self.now)
        #expect(verified.subject == "user-1")
        await #expect(throws: AuthError(.tokenKind, "")) {
            try await verifier.verify(token, proofKeyThumbprint: "abd", at: Self.now)
        }
    }

    @Test func `nothing that is printed shows the token or the person`() async throws {
        let text = Self.issuer.token(TestIssuer.accessClaims())
        let verified = try await Self.verify(text)
        let unverified = UnverifiedToken(text)
        for printed in ["\(verified)", "\(unverified)", String(reflecting: verified), String(reflecting: unverified)] {
            #expect(!printed.contains("user-1"))
            #expect(!printed.contains(text.prefix(8)))
        }
        #expect(Mirror(reflecting: verified).children.isEmpty)
        #expect(Mirror(reflecting: unverified).children.isEmpty)
    }
}
