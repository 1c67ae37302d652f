import Crypto
import KeyturnBase
import KeyturnJose
import KeyturnVerify
import Testing

@Suite("Forged tokens, RFC 8725")
struct ForgedTokenTests {
    static let issuer = TestIssuer()
    static let claims = TestIssuer.accessClaims()

    static func expectRefusal(
        of token: String, _ codes: Set<AuthError.Code>, _ location: SourceLocation = #_sourceLocation
    ) async throws {
        let transport = ScriptedTransport(keys: TestIssuer.document(issuer))
        let keys = KeySet(jwksURI: ScriptedTransport.keys, transport: transport)
        let verifier = TokenVerifier(issuer: TestIssuer.url, audience: "api", keys: keys)
        let error = await #expect(throws: AuthError.self, sourceLocation: location) {
            try await verifier.verify(token, at: TestIssuer.now)
        }
        #expect(error.map { codes.contains($0.code) } == true, "\(String(reflecting: error))", sourceLocation: location)
        let asked = await transport.requests
        #expect(asked.allSatisfy { $0.url == ScriptedTransport.keys }, "asks the issuer only", sourceLocation: location)
    }

    @Test(arguments: ["none", "None", "NONE", "nOnE"])
    func `52: an unsigned token is refused`(_ algorithm: String) async throws {
        let header = JSONValue.object(TestIssuer.header(["alg": .string(algorithm)])).serialized
        let signed = Base64URL.encode(header) + "." + Base64URL.encode(JSONValue.object(Self.claims).serialized)
        try await Self.expectRefusal(of: signed + ".", [.tokenMalformed])
        try await Self.expectRefusal(of: signed, [.tokenMalformed])
        try await Self.expectRefusal(
            of: Self.issuer.token(Self.claims, header: ["alg": .string(algorithm)]),
            [
                .tokenMalformed, .tokenKind,
            ])
    }

    @Test func `53: a MAC made with the public key is refused`() async throws {
        let header = JSONValue.object(TestIssuer.header(["alg": "HS256"])).serialized
        let signed = Base64URL.encode(header) + "." + Base64URL.encode(JSONValue.object(Self.claims).serialized)
        let key = SymmetricKey(data: Self.issuer.publicKey.serialized)
        let mac = HMAC<SHA256>.authenticationCode(for: Array(signed.utf8), using: key)
        try await Self.expectRefusal(of: signed + "." + Base64URL.encode(Array(mac)), [.tokenMalformed])
    }

    @Test(arguments: ["RS256", "ES384", "PS512", "EdDSA"])
    func `53: a key is not used for another algorithm`(_ algorithm: String) async throws {
        let token = Self.issuer.token(Self.claims, header: TestIssuer.header(["alg": .string(algorithm)]))
        try await Self.expectRefusal(of: token, [.tokenSignature, .tokenMalformed])
    }

    @Test func `53: an algorithm that is not allowed is refused`() async throws {
        let verifier = TokenVerifier(
            issuer: TestIssuer.url, audience: "api", keys: try PinnedKeys(parsing: TestIssuer.document(Self.issuer)),
            algorithms: [.rs256])
        await #expect(throws: AuthError(.tokenSignature, "")) {
            try await verifier.verify(Self.issuer.token(Self.claims), at: TestIssuer.now)
        }
    }

    @Test(arguments: ["jwk", "jku", "x5u", "x5c"])
    func `54: a key named or held by the token is ignored`(_ member: String) async throws {
        let thief = TestIssuer(keyID: "k1")
        let value: JSONValue =
            switch member {
            case "jwk": thief.publicKey
            case "x5c": ["MIIB"]
            default: "https://evil.example.com/keys"
            }
        try await Self.expectRefusal(
            of: thief.token(Self.claims, header: TestIssuer.header([member: value])),
            [.tokenSignature, .tokenMalformed])
    }

    static let names = [
        "../../etc/passwd", "' OR 1=1 --", "k1\u{0}", "", "K1", String(repeating: "k", count: 10_240),
    ]

    @Test(arguments: names)
    func `55: a strange key name is a name nobody has`(_ name: String) async throws {
        try await Self.expectRefusal(
            of: Self.issuer.token(Self.claims, header: TestIssuer.header(keyID: name)),
            [.tokenSignature, .tokenMalformed])
    }

    static let critical: [[String: JSONValue]] = [
        ["crit": ["exp"]], ["crit": []], ["crit": ["b64"], "b64": false], ["b64": false], ["crit": "b64"],
    ]

    @Test(arguments: critical)
    func `56: extensions that must be understood are refused`(_ extra: [String: JSONValue]) async throws {
        try await Self.expectRefusal(
            of: Self.issuer.token(Self.claims, header: TestIssuer.header(extra)), [.tokenMalformed])
    }

    @Test func `57: a member that stands twice is refused, in header and claims`() async throws {
        let payload = JSONValue.object(Self.claims).serialized
        let twice = Array(#"{"alg":"ES256","kid":"k1","typ":"at+jwt","typ":"at+jwt"}"#.utf8)
        try await Self.expectRefusal(of: Self.issuer.token(payload: payload, header: twice), [.tokenMalformed])
        let header = JSONValue.object(TestIssuer.header()).serialized
        let claims = Array(#"{"aud":"other","#.utf8) + payload.dropFirst()
        try await Self.expectRefusal(of: Self.issuer.token(payload: claims, header: header), [.tokenMalformed])
    }

    @Test(arguments: ["[]", "\"x\"", "1", "{", "", "{\"a\":\"\\ud800\"}"])
    func `57: claims that are no JSON object are refused`(_ text: String) async throws {
        let header = JSONValue.object(TestIssuer.header()).serialized
        try await Self.expectRefusal(
            of: Self.issuer.token(payload: Array(text.utf8), header: header), [.tokenMalformed])
    }

    @Test func `60: other spellings of the same token are refused`() async throws {
        let token = Self.issuer.token(Self.claims)
        for spelling in [
            token + "=", " " + token, token + "\n", token.replacing(".", with: ". "), token + ".", "." + token,
            token.replacing("_", with: "/").replacing("-", with: "+") + "=",
        ] {
            try await Self.expectRefusal(of: spelling, [.tokenMalformed])
        }
    }

    @Test func `a changed signature, a foreign key and a cut token are refused`() async throws {
        let token = Self.issuer.token(Self.claims)
        let parts = token.split(separator: ".")
        let zeros = Base64URL.encode([UInt8](repeating: 0, count: 64))
        try await Self.expectRefusal(of: "\(parts[0]).\(parts[1]).\(zeros)", [.tokenSignature])
        try await Self.expectRefusal(of: TestIssuer().token(Self.claims), [.tokenSignature])
        let other = Self.issuer.token(TestIssuer.accessClaims(["sub": "admin"])).split(separator: ".")
        try await Self.expectRefusal(of: "\(parts[0]).\(other[1]).\(parts[2])", [.tokenSignature])
        try await Self.expectRefusal(of: "\(parts[0]).\(parts[1]).", [.tokenMalformed, .tokenSignature])
    }

    @Test(arguments: ["", ".", "..", "...", "a.b.c", "not a token", "a.b.c.d.e"])
    func `what is no token is malformed`(_ text: String) async throws {
        try await Self.expectRefusal(of: text, [.tokenMalformed])
    }

    @Test func `115: an oversized token is refused before it is read`() async throws {
        let claims = TestIssuer.accessClaims(["x": .string(String(repeating: "a", count: 20_000))])
        try await Self.expectRefusal(of: Self.issuer.token(claims), [.tokenMalformed])
    }
}
