import KeyturnBase
import KeyturnJose
import KeyturnVerify
import KeyturnWire
import Testing

@Suite("Session tokens of the methods")
struct SessionTokenTests {
    static let issuer = TestIssuer()
    static let now = TestIssuer.now

    /// Claims of a session token that is good at ``now``; `nil` removes one.
    static func claims(_ changes: [String: JSONValue?] = [:]) -> [String: JSONValue] {
        var claims: [String: JSONValue] = [
            "iss": .string(TestIssuer.url + "/P1"), "sub": "U1", "aud": "P1", "drn": "DS",
            "iat": .integer(now.rawValue), "exp": .integer(now.rawValue + 600), "amr": ["email", "totp", "mfa"],
            "gid": "g-1", "su": true, "permissions": ["read"], "roles": ["guest"], "dct": "acme",
            "tenants": ["acme": ["permissions": ["write"], "roles": ["editor"]], "empty": [:]],
            "nsec": ["theme": "dark", "roles": ["admin"]],
        ]
        for (name, value) in changes { claims[name] = value }
        return claims
    }

    static func verifier(toleranceSeconds: Int64 = 30) throws -> SessionTokenVerifier {
        SessionTokenVerifier(
            issuer: TestIssuer.url, projectID: "P1", keys: try PinnedKeys(parsing: TestIssuer.document(issuer)),
            toleranceSeconds: toleranceSeconds)
    }

    static func verify(_ token: String, at now: UnixTime = now) async throws -> VerifiedSessionToken {
        try await verifier().verify(token, at: now)
    }

    @Test func `a good token gives its claims by type`() async throws {
        let token = try await Self.verify(Self.issuer.token(Self.claims(), type: "JWT"))
        #expect(token.issuer == TestIssuer.url + "/P1" && token.subject == "U1" && token.grantID == "g-1")
        #expect(token.issuedAt == Self.now && token.expiresAt == Self.now + 600)
        #expect(token.amr == ["email", "totp", "mfa"] && token.hasSeveralFactors && token.isSteppedUp)
        #expect(token.permissions() == ["read"] && token.roles() == ["guest"])
        #expect(token.currentTenant == "acme" && token.tenants.keys.sorted() == ["acme", "empty"])
        #expect(token.permissions(tenant: "acme") == ["write"] && token.roles(tenant: "acme") == ["editor"])
        #expect(token.permissions(tenant: "empty").isEmpty && token.roles(tenant: "nowhere").isEmpty)
        #expect(token.unvouchedClaims["theme"] == "dark" && token.actsFor == nil && token.actor == nil)
        #expect(token["drn"] == "DS")
    }

    @Test func `a token that says little says no more than that`() async throws {
        let bare = Self.claims([
            "amr": nil, "su": nil, "permissions": nil, "roles": nil, "tenants": nil, "dct": nil, "nsec": nil,
            "gid": nil,
        ])
        let token = try await Self.verify(Self.issuer.token(bare, type: "JWT"))
        #expect(!token.hasSeveralFactors && !token.isSteppedUp && token.tenants.isEmpty && token.grantID == nil)
        #expect(token.permissions().isEmpty && token.unvouchedClaims.isEmpty)
        let key = try await Self.verify(
            Self.issuer.token(Self.claims(["sub": "K1", "dsub": "U1", "act": ["sub": "boss"]]), type: "JWT"))
        #expect(key.subject == "K1" && key.actsFor == "U1" && key.actor == "boss")
    }

    @Test func `what the app put into its own token gives it no right`() async throws {
        let token = try await Self.verify(Self.issuer.token(Self.claims(["roles": nil, "su": nil]), type: "JWT"))
        #expect(token.roles().isEmpty && token.unvouchedClaims["roles"] == ["admin"])
        let forged = Self.claims(["su": nil, "nsec": ["su": true, "amr": ["mfa"]], "amr": ["pwd"]])
        let weak = try await Self.verify(Self.issuer.token(forged, type: "JWT"))
        #expect(!weak.isSteppedUp && !weak.hasSeveralFactors)
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        let name: String
        let claims: [String: JSONValue?]
        let code: AuthError.Code
        var testDescription: String { name }
    }

    static let refusals = [
        Refusal(name: "58: a refresh token", claims: ["drn": "DSR"], code: .tokenKind),
        Refusal(name: "58: no drn", claims: ["drn": nil], code: .tokenKind),
        Refusal(name: "58: drn in another case", claims: ["drn": "ds"], code: .tokenKind),
        Refusal(name: "59: drn is a list", claims: ["drn": ["DS"]], code: .tokenMalformed),
        Refusal(name: "another project", claims: ["iss": .string(TestIssuer.url + "/P2")], code: .tokenMisdirected),
        Refusal(name: "another service", claims: ["iss": "https://evil.example.com/P1"], code: .tokenMisdirected),
        Refusal(name: "the project alone", claims: ["iss": "P1"], code: .tokenMisdirected),
        Refusal(name: "the issuer alone", claims: ["iss": .string(TestIssuer.url)], code: .tokenMisdirected),
        Refusal(name: "67: for another project", claims: ["aud": "P2"], code: .tokenMisdirected),
        Refusal(name: "67: for nobody", claims: ["aud": nil], code: .tokenMalformed),
        Refusal(name: "no subject", claims: ["sub": nil], code: .tokenMalformed),
        Refusal(name: "59: no exp", claims: ["exp": nil], code: .tokenMalformed),
        Refusal(name: "59: no iat", claims: ["iat": nil], code: .tokenMalformed),
        Refusal(name: "59: iat in the future", claims: ["iat": .integer(now.rawValue + 31)], code: .tokenNotYetValid),
        Refusal(name: "59: su is a word", claims: ["su": "true"], code: .tokenMalformed),
        Refusal(name: "59: tenants is a list", claims: ["tenants": ["acme"]], code: .tokenMalformed),
        Refusal(name: "59: a tenant is a word", claims: ["tenants": ["acme": "all"]], code: .tokenMalformed),
        Refusal(name: "59: permissions is a word", claims: ["permissions": "read"], code: .tokenMalformed),
        Refusal(name: "59: act without a subject", claims: ["act": [:]], code: .tokenMalformed),
        Refusal(name: "65: bound to a key", claims: ["cnf": ["jkt": "abc"]], code: .tokenKind),
    ]

    @Test(arguments: refusals)
    func `a signed token with wrong claims is refused`(_ refusal: Refusal) async throws {
        let token = Self.issuer.token(Self.claims(refusal.claims), type: "JWT")
        await #expect(throws: AuthError(refusal.code, "")) { try await Self.verify(token) }
    }

    @Test(arguments: ["at+jwt", "logout+jwt", "dpop+jwt", "", nil])
    func `58: a token of another kind is refused`(_ type: String?) async throws {
        let token = Self.issuer.token(Self.claims(), type: type)
        await #expect(throws: AuthError(.tokenKind, "")) { try await Self.verify(token) }
    }

    @Test func `58: an ID token and an access token of the same service are refused`() async throws {
        for claims in [TestIssuer.idClaims(["aud": "P1"]), TestIssuer.accessClaims(["aud": "P1"])] {
            let token = Self.issuer.token(claims, type: "JWT")
            await #expect(throws: AuthError(.tokenKind, "")) { try await Self.verify(token) }
        }
        let session = Self.issuer.token(Self.claims(["client_id": "app"]), type: "JWT")
        let access = TokenVerifier(
            issuer: TestIssuer.url + "/P1", audience: "P1",
            keys: try PinnedKeys(parsing: TestIssuer.document(Self.issuer)))
        await #expect(throws: AuthError(.tokenKind, "")) { try await access.verify(session, at: Self.now) }
    }

    @Test func `the second before the tolerance ends is good, the next is not`() async throws {
        let token = Self.issuer.token(Self.claims(), type: "JWT")
        let end = Self.now + 600 + 30
        #expect(try await Self.verify(token, at: end - 1).subject == "U1")
        await #expect(throws: AuthError(.tokenExpired, "")) { try await Self.verify(token, at: end) }
        let strict = try Self.verifier(toleranceSeconds: 0)
        await #expect(throws: AuthError(.tokenExpired, "")) { try await strict.verify(token, at: Self.now + 600) }
    }

    @Test func `52 and 53: unsigned, with a foreign key, or with another algorithm: refused`() async throws {
        let claims = Base64URL.encode(JSONValue.object(Self.claims()).serialized)
        for algorithm in ["none", "None", "NONE"] {
            let header: JSONValue = ["alg": .string(algorithm), "kid": "k1", "typ": "JWT"]
            let signed = "\(Base64URL.encode(header.serialized)).\(claims)"
            await #expect(throws: AuthError(.tokenMalformed, "")) { try await Self.verify(signed + ".") }
            await #expect(throws: AuthError(.tokenMalformed, "")) { try await Self.verify(signed) }
        }
        let thief = TestIssuer(keyID: "k1")
        let stolen = thief.token(
            Self.claims(), header: ["alg": "ES256", "kid": "k1", "typ": "JWT", "jwk": thief.publicKey])
        await #expect(throws: AuthError.self) { try await Self.verify(stolen) }
        await #expect(throws: AuthError(.tokenSignature, "")) {
            try await Self.verify(thief.token(Self.claims(), type: "JWT"))
        }
        await #expect(throws: AuthError(.tokenSignature, "")) {
            try await Self.verify(TestIssuer(keyID: "k2").token(Self.claims(), type: "JWT"))
        }
        let rs256 = SessionTokenVerifier(
            issuer: TestIssuer.url, projectID: "P1", keys: try PinnedKeys(parsing: TestIssuer.document(Self.issuer)),
            algorithms: [.rs256])
        await #expect(throws: AuthError(.tokenSignature, "")) {
            try await rs256.verify(Self.issuer.token(Self.claims(), type: "JWT"), at: Self.now)
        }
        let parts = Self.issuer.token(Self.claims(), type: "JWT").split(separator: ".")
        let other = Self.issuer.token(Self.claims(["sub": "admin"]), type: "JWT").split(separator: ".")
        await #expect(throws: AuthError(.tokenSignature, "")) {
            try await Self.verify("\(parts[0]).\(other[1]).\(parts[2])")
        }
    }

    @Test func `nothing that is printed shows the token or the person`() async throws {
        let verified = try await Self.verify(Self.issuer.token(Self.claims(), type: "JWT"))
        #expect("\(verified)" == "VerifiedSessionToken" && String(reflecting: verified) == "VerifiedSessionToken")
        #expect(Mirror(reflecting: verified).children.isEmpty)
    }
}
