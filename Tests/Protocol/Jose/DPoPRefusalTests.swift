import KeyturnBase
import KeyturnJose
import Testing

@Suite("DPoP proofs that are refused, RFC 9449 §4.3")
struct DPoPRefusalTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        var claims: [String: JSONValue?] = [:]
        var header: [String: JSONValue?] = [:]
        let rule: JoseProblem.Rule
        var testDescription: String { name }
    }

    static let cases = [
        Case(name: "63: no typ", header: ["typ": nil], rule: .header),
        Case(name: "63: typ JWT", header: ["typ": "JWT"], rule: .header),
        Case(name: "63: typ at+jwt", header: ["typ": "at+jwt"], rule: .header),
        Case(name: "63: typ in upper case", header: ["typ": "DPOP+JWT"], rule: .header),
        Case(name: "63: typ in full", header: ["typ": "application/dpop+jwt"], rule: .header),
        Case(name: "63: typ is a number", header: ["typ": 1], rule: .header),
        Case(name: "63: no alg", header: ["alg": nil], rule: .header),
        Case(name: "63: none", header: ["alg": "none"], rule: .unsupportedAlgorithm),
        Case(name: "63: HS256", header: ["alg": "HS256"], rule: .unsupportedAlgorithm),
        Case(name: "63: RS256 in name", header: ["alg": "RS256"], rule: .unsupportedAlgorithm),
        Case(name: "63: ES384 with a key on P-256", header: ["alg": "ES384"], rule: .algorithmMismatch),
        Case(name: "63: crit", header: ["crit": ["jwk"]], rule: .header),
        Case(name: "63: no jwk", header: ["jwk": nil], rule: .invalidKey),
        Case(name: "63: jwk is a text", header: ["jwk": "key"], rule: .invalidKey),
        Case(name: "63: jwk is null", header: ["jwk": .null], rule: .invalidKey),
        Case(name: "63: jwk is a secret", header: ["jwk": ["kty": "oct", "k": "AAAA"]], rule: .invalidKey),
        Case(name: "63: no jti", claims: ["jti": nil], rule: .malformed),
        Case(name: "63: an empty jti", claims: ["jti": ""], rule: .malformed),
        Case(name: "63: jti is a number", claims: ["jti": 1], rule: .malformed),
        Case(
            name: "63: jti of 257 bytes", claims: ["jti": .string(String(repeating: "a", count: 257))],
            rule: .malformed),
        Case(name: "63: no htm", claims: ["htm": nil], rule: .malformed),
        Case(name: "63: another method", claims: ["htm": "POST"], rule: .mismatch),
        Case(name: "63: the method in lower case", claims: ["htm": "get"], rule: .mismatch),
        Case(name: "63: htm is a list", claims: ["htm": ["GET"]], rule: .malformed),
        Case(name: "63: no htu", claims: ["htu": nil], rule: .malformed),
        Case(name: "63: htu is a number", claims: ["htu": 1], rule: .malformed),
        Case(name: "63: no iat", claims: ["iat": nil], rule: .malformed),
        Case(name: "63: iat is a text", claims: ["iat": "1800000000"], rule: .malformed),
        Case(name: "63: iat is huge", claims: ["iat": .number(1e300)], rule: .malformed),
        Case(name: "63: iat is too large for 53 bits", claims: ["iat": .integer(.max)], rule: .malformed),
        Case(name: "63: no ath", claims: ["ath": nil], rule: .mismatch),
        Case(name: "63: an empty ath", claims: ["ath": ""], rule: .mismatch),
        Case(
            name: "63: ath of another token", claims: ["ath": "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"],
            rule: .mismatch),
        Case(
            name: "63: ath with padding", claims: ["ath": "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo="],
            rule: .mismatch),
        Case(name: "63: ath is the token", claims: ["ath": .string(DPoPSample.token)], rule: .mismatch),
        Case(name: "63: ath is a number", claims: ["ath": 1], rule: .malformed),
        Case(name: "63: nonce is a number", claims: ["nonce": 1], rule: .malformed),
        Case(
            name: "63: longer than 4 KiB", claims: ["x": .string(String(repeating: "a", count: 3_000))],
            rule: .tooLarge),
    ]

    @Test(arguments: cases)
    func `a signed proof that is not right is refused`(_ c: Case) throws {
        #expect(DPoPSample.rule(try DPoPSample().proof(c.claims, header: c.header)) == c.rule)
    }

    @Test(arguments: [256, 1])
    func `63: the longest and the shortest jti are accepted`(_ count: Int) throws {
        let id = String(repeating: "a", count: count)
        #expect(try DPoPSample.verify(DPoPSample().proof(["jti": .string(id)])).id == id)
    }

    @Test(arguments: [
        "", "x", "a.b", "a.b.c", "..", "a.b.c.d", "{}", " ", "eyJ0eXAiOiJkcG9wK2p3dCJ9.e30.AA", "é.é.é",
    ])
    func `63: what is no token is refused`(_ text: String) {
        #expect(throws: JoseProblem.self) { try UnverifiedDPoPProof(text) }
    }

    @Test func `63: two proofs in one header are refused`() throws {
        let proof = try DPoPSample().proof()
        for text in ["\(proof), \(proof)", "\(proof),\(proof)", " \(proof)", "\(proof) ", "\(proof)\n", "\(proof)="] {
            #expect(DPoPSample.rule(text) == .malformed)
        }
    }

    @Test func `63: RS256 with a key of its own is refused`() throws {
        let sample = try DPoPSample(.rs256)
        #expect(DPoPSample.rule(try sample.proof()) == .unsupportedAlgorithm)
    }

    @Test func `63: not signed, or not by the key in it`() throws {
        let (sample, other) = (try DPoPSample(), try DPoPSample())
        #expect(DPoPSample.rule(try sample.proof(header: ["jwk": other.jwk])) == .signature)
        let parts = try sample.proof().split(separator: ".")
        #expect(DPoPSample.rule("\(parts[0]).\(parts[1]).") == .malformed)
        #expect(DPoPSample.rule("\(parts[0]).\(parts[1]).\(Base64URL.encode([UInt8](repeating: 0, count: 64)))") != nil)
        let changed = Base64URL.encode(JSONValue.object(sample.claims(["jti": "p-9"])).serialized)
        #expect(DPoPSample.rule("\(parts[0]).\(changed).\(parts[2])") == .signature)
    }

    @Test(arguments: ["d", "p", "q", "dp", "dq", "qi", "oth", "k"])
    func `63: a private member of the key is refused`(_ name: String) throws {
        let sample = try DPoPSample()
        var jwk = sample.jwk.objectValue ?? [:]
        jwk[name] = "AAAA"
        #expect(DPoPSample.rule(try sample.proof(header: ["jwk": .object(jwk)])) == .invalidKey)
    }

    @Test func `63: a key that is no point, or for something else, is refused`() throws {
        let sample = try DPoPSample()
        var jwk = sample.jwk.objectValue ?? [:]
        jwk["use"] = "enc"
        #expect(DPoPSample.rule(try sample.proof(header: ["jwk": .object(jwk)])) == .invalidKey)
        jwk["use"] = nil
        jwk["y"] = jwk["x"]
        #expect(DPoPSample.rule(try sample.proof(header: ["jwk": .object(jwk)])) == .invalidKey)
    }

    @Test func `62: an RSA key that is weak, or costs too much, is refused`() throws {
        let sample = try DPoPSample(.ps256)
        for (modulusBytes, exponent) in [(128, "AQAB"), (513, "AQAB"), (256, "AQAAAAE")] {
            let modulus = Base64URL.encode([UInt8](repeating: 0xFF, count: modulusBytes))
            let jwk: JSONValue = ["kty": "RSA", "n": .string(modulus), "e": .string(exponent)]
            let rule = DPoPSample.rule(try sample.proof(header: ["jwk": jwk]))
            #expect(rule == (modulusBytes == 128 ? .weakKey : .invalidKey))
        }
    }

    @Test func `57: nothing is said twice`() throws {
        let sample = try DPoPSample()
        let header = JSONValue.object(sample.header()).serialized
        let payload = JSONValue.object(sample.claims()).serialized
        let twice = { (json: [UInt8], member: String) in
            Array((member + ",").utf8).reversed().reduce(into: json) { $0.insert($1, at: 1) }
        }
        #expect(DPoPSample.rule(try sample.proof(header: header, payload: payload)) == nil)
        #expect(DPoPSample.rule(try sample.proof(header: header, payload: twice(payload, #""jti":"q""#))) == .malformed)
        #expect(DPoPSample.rule(try sample.proof(header: twice(header, #""typ":"x""#), payload: payload)) == .header)
        let jwk = String(decoding: sample.jwk.serialized, as: UTF8.self)
        #expect(
            DPoPSample.rule(try sample.proof(header: twice(header, #""jwk":\#(jwk)"#), payload: payload)) == .header)
        #expect(DPoPSample.rule(try sample.proof(header: header, payload: Array("[]".utf8))) == .malformed)
    }
}
