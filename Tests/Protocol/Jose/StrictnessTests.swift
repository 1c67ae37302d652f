import KeyturnBase
import KeyturnJose
import Testing

@Suite("Strict tokens, RFC 8725")
struct StrictnessTests {
    let key: SigningKey
    let verification: VerificationKey
    let token: String

    init() throws {
        key = try SigningKey.generate(.es256)
        verification = try VerificationKey(key.publicKey, algorithm: .es256)
        token = try JWSSigner(key: key, type: "at+jwt").sign(Array(#"{"sub":"me"}"#.utf8))
    }

    /// A token with this header, properly signed.
    private func signed(header: String, payload: String = #"{"sub":"me"}"#) throws -> String {
        let input = "\(Base64URL.encode(Array(header.utf8))).\(Base64URL.encode(Array(payload.utf8)))"
        return "\(input).\(Base64URL.encode(try key.signature(for: Array(input.utf8))))"
    }

    private func accepts(_ token: String) -> Bool {
        (try? UnverifiedJWS(token).verify(with: verification).claims()) != nil
    }

    @Test(arguments: SignatureAlgorithm.allCases)
    func `what is signed verifies, also by a key that was stored`(_ algorithm: SignatureAlgorithm) throws {
        let key = try SigningKey.generate(algorithm)
        let stored = try SigningKey(pkcs8DER: key.pkcs8DER, algorithm: algorithm)
        #expect(stored.publicKey == key.publicKey)
        let token = try JWSSigner(key: stored, type: "JWT").sign(Array(#"{"a":1}"#.utf8))
        let published = try JSONWebKey(key.publicKey.json)
        let claims = try UnverifiedJWS(token).verify(with: VerificationKey(published, algorithm: algorithm)).claims()
        #expect(claims == ["a": 1])
        #expect(published.keyID == published.thumbprint())
    }

    @Test(arguments: ["none", "None", "nOnE", "NONE", "HS256", "hs256", "ES256K", "es256", "", "RS1"])
    func `attacks 52 and 53: an algorithm that does not exist here is refused`(_ name: String) throws {
        let forged = try signed(header: #"{"alg":"\#(name)"}"#)
        #expect(throws: JoseProblem.self) { try UnverifiedJWS(forged) }
        let bare = forged.split(separator: ".").prefix(2).joined(separator: ".") + "."
        #expect(throws: JoseProblem.self) { try UnverifiedJWS(bare) }
    }

    @Test func `attack 53: the key decides, not the header`() throws {
        let rsa = try SigningKey.generate(.rs256)
        let token = try JWSSigner(key: rsa, type: nil).sign([0x7B, 0x7D])
        #expect(throws: JoseProblem(.algorithmMismatch, "the token names another algorithm than the key is for")) {
            try UnverifiedJWS(token).verify(with: verification)
        }
        #expect(throws: JoseProblem.self) { try VerificationKey(rsa.publicKey, algorithm: .es256) }
        #expect(throws: JoseProblem.self) { try VerificationKey(rsa.publicKey, algorithm: .ps256) }
    }

    @Test func `attack 54: keys and addresses in the header are not looked at`() throws {
        let attacker = try SigningKey.generate(.es256)
        let jwk = String(decoding: attacker.publicKey.json.serialized, as: UTF8.self)
        let header = #"{"alg":"ES256","jwk":\#(jwk),"jku":"https://evil.test/","x5u":"https://evil.test/","x5c":["x"]}"#
        #expect(accepts(try signed(header: header)), "ignored, not refused: the signature is by our key")
        let input = "\(Base64URL.encode(Array(header.utf8))).e30"
        let forged = "\(input).\(Base64URL.encode(try attacker.signature(for: Array(input.utf8))))"
        #expect(!accepts(forged))
    }

    @Test(arguments: ["../../etc/passwd", "' OR 1=1", "a\\u0000b", "🔑"])
    func `attack 55: a key's name is a name and nothing else`(_ kid: String) throws {
        let jws = try UnverifiedJWS(signed(header: #"{"alg":"ES256","kid":"\#(kid)"}"#))
        #expect(JSONWebKeySet(keys: [key.publicKey]).candidates(for: jws.header).isEmpty)
        let long = String(repeating: "a", count: 10_000)
        #expect(throws: JoseProblem.self) { try UnverifiedJWS(signed(header: #"{"alg":"ES256","kid":"\#(long)"}"#)) }
    }

    @Test(arguments: [
        #""crit":["exp"]"#, #""crit":[]"#, #""crit":["b64"],"b64":false"#, #""b64":false"#, #""b64":true"#,
    ])
    func `attack 56: what demands to be understood is refused`(_ member: String) throws {
        #expect(throws: JoseProblem.self) { try UnverifiedJWS(signed(header: #"{"alg":"ES256",\#(member)}"#)) }
    }

    @Test func `attack 57: nothing is said twice`() throws {
        #expect(throws: JoseProblem.self) { try UnverifiedJWS(signed(header: #"{"alg":"ES256","alg":"ES256"}"#)) }
        #expect(!accepts(try signed(header: #"{"alg":"ES256"}"#, payload: #"{"sub":"me","sub":"you"}"#)))
        #expect(!accepts(try signed(header: #"{"alg":"ES256"}"#, payload: #"{"sub":"me","s\u0075b":"you"}"#)))
        #expect(!accepts(try signed(header: #"{"alg":"ES256"}"#, payload: "[]")))
    }

    @Test func `attack 60: every other spelling of a token is refused`() {
        #expect(accepts(token))
        for index in token.indices {
            for replacement in ["A", "-", ".", "=", " ", "é"] where String(token[index]) != replacement {
                let changed = token[..<index] + replacement + token[token.index(after: index)...]
                #expect(!accepts(String(changed)))
            }
        }
        for changed in ["\(token)=", "\(token)\n", " \(token)", "\(token).", "\(token).x", "", "..", "a.b"] {
            #expect(!accepts(changed))
        }
    }

    @Test func `attack 62: weak and damaged keys are refused`() throws {
        let modulus = [UInt8](repeating: 0xFF, count: 256)
        let rsa = { (modulus: [UInt8], exponent: [UInt8]) throws -> VerificationKey in
            let key = try JSONWebKey([
                "kty": "RSA", "n": .string(Base64URL.encode(modulus)), "e": .string(Base64URL.encode(exponent)),
            ])
            return try VerificationKey(key, algorithm: .rs256)
        }
        #expect(throws: JoseProblem.self) { try rsa([UInt8](modulus.prefix(128)), [1, 0, 1]) }
        #expect(throws: JoseProblem.self) { try rsa(modulus, [1]) }
        #expect(throws: JoseProblem.self) { try rsa(modulus, [4]) }
        #expect(throws: JoseProblem.self) { try rsa(modulus.dropLast() + [0xFE], [1, 0, 1]) }
        #expect(throws: JoseProblem.self) { try rsa([0] + modulus, [1, 0, 1]) }
        var point = key.publicKey.json.objectValue ?? [:]
        point["y"] = point["x"]
        let damaged = try JSONWebKey(.object(point))
        #expect(throws: JoseProblem.self) { try VerificationKey(damaged, algorithm: .es256) }
    }

    @Test func `a token may be long, and no longer`() throws {
        #expect(throws: JoseProblem.self) { try UnverifiedJWS(String(repeating: "a", count: 16_385)) }
        let deep = String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
        #expect(!accepts(try signed(header: #"{"alg":"ES256"}"#, payload: #"{"a":\#(deep)}"#)))
    }

    @Test func `a published key with private members is refused`() throws {
        var members = key.publicKey.json.objectValue ?? [:]
        members["d"] = "AAAA"
        #expect(throws: JoseProblem.self) { try JSONWebKey(.object(members)) }
    }

    @Test func `two keys of one name are ambiguous`() throws {
        var other = try SigningKey.generate(.es256).publicKey
        other.keyID = key.publicKey.keyID
        let jws = try UnverifiedJWS(token)
        #expect(JSONWebKeySet(keys: [key.publicKey]).candidates(for: jws.header).count == 1)
        #expect(JSONWebKeySet(keys: [key.publicKey, other]).candidates(for: jws.header).isEmpty)
    }
}
