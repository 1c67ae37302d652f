import Crypto
import KeyturnBase
import KeyturnVerify
import Testing

@Suite("ID tokens, OpenID Connect Core §3.1.3.7")
struct IDTokenVerifierTests {
    static let issuer = TestIssuer()
    static let now = TestIssuer.now

    static func verify(
        _ token: String, nonce: String? = "n-1", accessToken: String? = nil, maxAgeSeconds: Int64? = nil,
        at now: UnixTime = now
    ) async throws -> VerifiedIDToken {
        try await IDTokenVerifier(
            issuer: TestIssuer.url, clientID: "app", keys: try PinnedKeys(parsing: TestIssuer.document(issuer))
        ).verify(token, nonce: nonce, accessToken: accessToken, maxAgeSeconds: maxAgeSeconds, at: now)
    }

    static func token(_ changes: [String: JSONValue?] = [:], type: String? = "JWT") -> String {
        issuer.token(TestIssuer.idClaims(changes), type: type)
    }

    @Test(arguments: ["JWT", "jwt", "application/jwt", nil])
    func `a good token gives its claims by type`(_ type: String?) async throws {
        let token = try await Self.verify(Self.token(type: type))
        #expect(token.issuer == TestIssuer.url)
        #expect(token.subject == "user-1")
        #expect(token.audience == ["app"])
        #expect(token.issuedAt == Self.now)
        #expect(token.expiresAt == Self.now + 300)
        #expect(token.authTime == Self.now - 100)
        #expect(token.acr == nil)
        #expect(token.amr.isEmpty)
        #expect(token.sessionID == "s-1")
        #expect(token.canReauthenticate == true)
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        let name: String
        let claims: [String: JSONValue?]
        let code: AuthError.Code
        var testDescription: String { name }
    }

    static let refusals = [
        Refusal(name: "step 2: issuer", claims: ["iss": "https://evil.example.com"], code: .tokenMisdirected),
        Refusal(name: "step 3: audience", claims: ["aud": "other"], code: .tokenMisdirected),
        Refusal(name: "step 3: others beside us", claims: ["aud": ["app", "other"]], code: .tokenMisdirected),
        Refusal(name: "step 5: azp is another", claims: ["azp": "other"], code: .tokenMisdirected),
        Refusal(
            name: "step 5: others, and azp is another", claims: ["aud": ["app", "other"], "azp": "other"],
            code: .tokenMisdirected),
        Refusal(name: "step 9: expired", claims: ["exp": .integer(now.rawValue - 60)], code: .tokenExpired),
        Refusal(name: "step 10: iat ahead", claims: ["iat": .integer(now.rawValue + 61)], code: .tokenNotYetValid),
        Refusal(name: "step 11: nonce", claims: ["nonce": "n-2"], code: .tokenMisdirected),
        Refusal(name: "step 11: no nonce", claims: ["nonce": nil], code: .tokenMisdirected),
        Refusal(name: "59: exp is text", claims: ["exp": "soon"], code: .tokenMalformed),
        Refusal(name: "no subject", claims: ["sub": nil], code: .tokenMalformed),
        Refusal(
            name: "58: a logout token", claims: ["events": ["http://schemas.openid.net/event/backchannel-logout": [:]]],
            code: .tokenKind),
    ]

    @Test(arguments: refusals)
    func `a signed token with wrong claims is refused`(_ refusal: Refusal) async throws {
        await #expect(throws: AuthError(refusal.code, "")) { try await Self.verify(Self.token(refusal.claims)) }
    }

    @Test(arguments: ["at+jwt", "logout+jwt", "application/at+jwt", "secevent+jwt"])
    func `58: a token of another kind is refused`(_ type: String) async throws {
        await #expect(throws: AuthError(.tokenKind, "")) { try await Self.verify(Self.token(type: type)) }
    }

    @Test func `the second before the tolerance ends is good, the next is not`() async throws {
        #expect(try await Self.verify(Self.token(), at: Self.now + 359).subject == "user-1")
        await #expect(throws: AuthError(.tokenExpired, "")) {
            try await Self.verify(Self.token(), at: Self.now + 360)
        }
    }

    @Test func `others beside us are fine when it was issued to us`() async throws {
        #expect(try await Self.verify(Self.token(["aud": ["app", "other"], "azp": "app"])).subject == "user-1")
    }

    @Test func `a refresh sends no nonce, and none is demanded`() async throws {
        #expect(try await Self.verify(Self.token(), nonce: nil).subject == "user-1")
        #expect(try await Self.verify(Self.token(["nonce": nil]), nonce: nil).subject == "user-1")
    }

    @Test func `step 13: max_age is checked to the second, and needs auth_time`() async throws {
        #expect(try await Self.verify(Self.token(), maxAgeSeconds: 40).subject == "user-1")
        await #expect(throws: AuthError(.tokenInsufficient, "")) {
            try await Self.verify(Self.token(), maxAgeSeconds: 39)
        }
        await #expect(throws: AuthError(.tokenInsufficient, "")) {
            try await Self.verify(Self.token(["auth_time": nil]), maxAgeSeconds: 1_000)
        }
    }

    @Test func `at_hash vouches for one access token`() async throws {
        let hash = Base64URL.encode(Array(SHA256.hash(data: Array("token".utf8))).prefix(16))
        let token = Self.token(["at_hash": .string(hash)])
        #expect(try await Self.verify(token, accessToken: "token").subject == "user-1")
        #expect(try await Self.verify(token, accessToken: nil).subject == "user-1")
        #expect(try await Self.verify(Self.token(), accessToken: "token").subject == "user-1")
        await #expect(throws: AuthError(.tokenMisdirected, "")) {
            try await Self.verify(token, accessToken: "another")
        }
        await #expect(throws: AuthError(.tokenMalformed, "")) {
            try await Self.verify(Self.token(["at_hash": 1]), accessToken: "token")
        }
    }
}

@Suite("Logout tokens, Back-Channel Logout §2.6")
struct LogoutTokenVerifierTests {
    static let issuer = TestIssuer()
    static let now = TestIssuer.now

    static func verify(
        _ token: String, allowsMissingType: Bool = false, at now: UnixTime = now
    ) async throws -> VerifiedLogoutToken {
        try await LogoutTokenVerifier(
            issuer: TestIssuer.url, clientID: "app", keys: try PinnedKeys(parsing: TestIssuer.document(issuer)),
            allowsMissingType: allowsMissingType
        ).verify(token, at: now)
    }

    static func token(_ changes: [String: JSONValue?] = [:], type: String? = "logout+jwt") -> String {
        issuer.token(TestIssuer.logoutClaims(changes), type: type)
    }

    @Test func `a good token says which session ends`() async throws {
        let token = try await Self.verify(Self.token())
        #expect(token.subject == "user-1")
        #expect(token.sessionID == "s-1")
        #expect(token.tokenID == "l-1")
        #expect(try await Self.verify(Self.token(["sid": nil])).sessionID == nil)
        #expect(try await Self.verify(Self.token(["sub": nil])).subject == nil)
    }

    static let refusals = [
        IDTokenVerifierTests.Refusal(
            name: "issuer", claims: ["iss": "https://evil.example.com"], code: .tokenMisdirected),
        IDTokenVerifierTests.Refusal(name: "audience", claims: ["aud": "other"], code: .tokenMisdirected),
        IDTokenVerifierTests.Refusal(name: "77: a nonce", claims: ["nonce": "n-1"], code: .tokenKind),
        IDTokenVerifierTests.Refusal(name: "77: an empty nonce", claims: ["nonce": .null], code: .tokenKind),
        IDTokenVerifierTests.Refusal(name: "no events", claims: ["events": nil], code: .tokenKind),
        IDTokenVerifierTests.Refusal(name: "another event", claims: ["events": ["urn:x": [:]]], code: .tokenKind),
        IDTokenVerifierTests.Refusal(
            name: "an event that is no object",
            claims: ["events": ["http://schemas.openid.net/event/backchannel-logout": true]], code: .tokenKind),
        IDTokenVerifierTests.Refusal(
            name: "nobody", claims: ["sub": nil, "sid": nil], code: .tokenMalformed),
        IDTokenVerifierTests.Refusal(name: "no jti", claims: ["jti": nil], code: .tokenMalformed),
        IDTokenVerifierTests.Refusal(name: "no exp", claims: ["exp": nil], code: .tokenMalformed),
        IDTokenVerifierTests.Refusal(
            name: "77: older than two minutes",
            claims: ["iat": .integer(now.rawValue - 151), "exp": .integer(now.rawValue + 600)], code: .tokenExpired),
    ]

    @Test(arguments: refusals)
    func `a signed token with wrong claims is refused`(_ refusal: IDTokenVerifierTests.Refusal) async throws {
        await #expect(throws: AuthError(refusal.code, "")) { try await Self.verify(Self.token(refusal.claims)) }
    }

    @Test func `77: two minutes and the tolerance are good, one second more is not`() async throws {
        let changes: [String: JSONValue?] = ["exp": .integer(Self.now.rawValue + 600)]
        #expect(try await Self.verify(Self.token(changes), at: Self.now + 150).subject == "user-1")
        await #expect(throws: AuthError(.tokenExpired, "")) {
            try await Self.verify(Self.token(changes), at: Self.now + 151)
        }
    }

    @Test(arguments: ["JWT", "at+jwt", "jwt"])
    func `58: a token of another kind is refused`(_ type: String) async throws {
        await #expect(throws: AuthError(.tokenKind, "")) {
            try await Self.verify(Self.token(type: type), allowsMissingType: true)
        }
    }

    @Test func `a missing type is accepted only from providers said to be old`() async throws {
        await #expect(throws: AuthError(.tokenKind, "")) { try await Self.verify(Self.token(type: nil)) }
        #expect(try await Self.verify(Self.token(type: nil), allowsMissingType: true).subject == "user-1")
    }
}
