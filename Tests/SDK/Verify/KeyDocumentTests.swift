import KeyturnBase
import KeyturnVerify
import Testing

@Suite("Key set documents, RFC 7517 §5")
struct KeyDocumentTests {
    static let now = TestIssuer.now
    let issuer = TestIssuer(keyID: "right")

    /// The public key of `issuer` with other members; `nil` removes one.
    static func key(_ issuer: TestIssuer, _ changes: [String: JSONValue?] = [:]) -> JSONValue {
        var members = issuer.publicKey.objectValue ?? [:]
        for (name, value) in changes { members[name] = value }
        return .object(members)
    }

    static func document(_ keys: [JSONValue]) -> [UInt8] {
        JSONValue.object(["keys": .array(keys)]).serialized
    }

    static func others(_ count: Int) -> [JSONValue] {
        (0..<count).map { TestIssuer(keyID: "other-\($0)").publicKey }
    }

    /// Verifies a token of ``issuer`` with these keys.
    func verify(_ keys: [JSONValue], keyID: String? = "right") async throws -> VerifiedToken {
        var header: [String: JSONValue] = ["alg": "ES256", "typ": "at+jwt"]
        header["kid"] = keyID.map(JSONValue.string)
        let source = try PinnedKeys(parsing: Self.document(keys))
        return try await TokenVerifier(issuer: TestIssuer.url, audience: "api", keys: source)
            .verify(issuer.token(TestIssuer.accessClaims(), header: header), at: Self.now)
    }

    @Test(arguments: [0, 35, 69])
    func `of seventy keys the right one is found by its name`(_ place: Int) async throws {
        var keys = Self.others(69)
        keys.insert(issuer.publicKey, at: place)
        #expect(try await verify(keys).subject == "user-1")
    }

    @Test func `keys that verify nothing here take no room from those that do`() async throws {
        let foreign: [JSONValue] = (0..<100).map {
            ["kty": "AKP", "alg": "ML-DSA-44", "kid": .string("pq-\($0)"), "pub": "AAAA"]
        }
        let encryption = (0..<70).map { Self.key(TestIssuer(keyID: "enc-\($0)"), ["use": "enc"]) }
        #expect(try await verify(foreign + encryption + [issuer.publicKey], keyID: nil).subject == "user-1")
    }

    @Test func `a thousand keys are read, and one more is too many`() async throws {
        var keys = [JSONValue](repeating: [:], count: VerifyLimits.keySetMembers - 1) + [issuer.publicKey]
        #expect(try await verify(keys).subject == "user-1")
        keys.insert([:], at: 0)
        let tooMany = keys
        let error = await #expect(throws: AuthError(.protocolViolation, "")) { try await verify(tooMany) }
        #expect(error?.detail.contains("more than 1000 keys") == true)
    }

    @Test func `a token without a name is tried with every suitable key`() async throws {
        #expect(try await verify(Self.others(20) + [issuer.publicKey], keyID: nil).subject == "user-1")
    }

    @Test func `a key without a name verifies a token that names one`() async throws {
        #expect(try await verify([Self.key(issuer, ["kid": nil])]).subject == "user-1")
        #expect(try await verify(Self.others(3) + [Self.key(issuer, ["kid": nil])]).subject == "user-1")
        #expect(try await verify([Self.key(issuer, ["kid": 7])], keyID: "7").subject == "user-1")
    }

    @Test func `a key without a name does not sign for one that is there`() async {
        let keys = [TestIssuer(keyID: "right").publicKey, Self.key(issuer, ["kid": nil])]
        await #expect(throws: AuthError(.tokenSignature, "")) { try await verify(keys) }
    }

    @Test func `the right one of two keys with one name is found`() async throws {
        #expect(try await verify([TestIssuer(keyID: "right").publicKey, issuer.publicKey]).subject == "user-1")
    }

    @Test func `members that are null are not there`() async throws {
        let key = Self.key(issuer, ["use": .null, "alg": .null, "key_ops": .null, "d": .null])
        #expect(try await verify([key]).subject == "user-1")
    }

    struct Flaw: Sendable, CustomTestStringConvertible {
        let name: String
        let key: JSONValue
        let words: String
        var testDescription: String { name }
    }

    static let modulus = [UInt8](repeating: 0xFF, count: 256)

    static let flaws = [
        Flaw(
            name: "a leading zero",
            key: [
                "kty": "RSA", "kid": "right", "e": "AQAB", "n": .string(Base64URL.encode([0] + modulus)),
            ], words: "leading zeros"),
        Flaw(
            name: "padding",
            key: ["kty": "RSA", "kid": "right", "e": "AQAB=", "n": .string(Base64URL.encode(modulus))],
            words: "not base64url"),
        Flaw(
            name: "standard base64",
            key: [
                "kty": "RSA", "kid": "right", "e": "AQAB",
                "n": .string(Base64URL.encode(modulus).replacing("_", with: "/")),
            ], words: "not base64url"),
        Flaw(
            name: "a short key",
            key: [
                "kty": "RSA", "kid": "right", "e": "AQAB", "n": .string(Base64URL.encode(Array(modulus.prefix(128)))),
            ], words: "fewer than 2048 bits"),
        Flaw(name: "a key for encryption", key: key(TestIssuer(keyID: "right"), ["use": "enc"]), words: "signatures"),
        Flaw(name: "an unknown type", key: ["kty": "AKP", "kid": "right"], words: "kty"),
    ]

    @Test(arguments: flaws)
    func `a key that cannot be used is refused with the reason`(_ flaw: Flaw) async {
        let error = await #expect(throws: AuthError(.tokenSignature, "")) {
            try await verify(Self.others(1) + [flaw.key])
        }
        #expect(error?.detail.contains(flaw.words) == true, "\(error?.detail ?? "")")
    }
}
