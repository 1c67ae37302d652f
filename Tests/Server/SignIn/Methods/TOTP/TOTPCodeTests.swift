import KeyturnBase
import Testing
@testable import SignIn

@Suite("Authenticator codes, RFC 6238 over RFC 4226")
struct TOTPCodeTests {
    /// The key of the standards: "12345678901234567890", repeated to the length that each hash function wants.
    private func secret(_ count: Int = 20) throws -> TOTPSecret {
        let bytes = Array(String(repeating: "1234567890", count: 7).utf8.prefix(count))
        return try #require(TOTPSecret(bytes: bytes))
    }

    @Test func `RFC 4226, Appendix D`() throws {
        let expected = [
            "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489",
        ]
        let codes = try (0..<10).map {
            CounterCode.make(try secret(), counter: UInt64($0), algorithm: .sha1, digits: 6)
        }
        #expect(codes == expected)
    }

    struct Vector: Sendable, CustomTestStringConvertible {
        let time: Int64
        let sha1: String
        let sha256: String
        let sha512: String
        var testDescription: String { "at \(time)" }
    }

    static let vectors = [
        Vector(time: 59, sha1: "94287082", sha256: "46119246", sha512: "90693936"),
        Vector(time: 1_111_111_109, sha1: "07081804", sha256: "68084774", sha512: "25091201"),
        Vector(time: 1_111_111_111, sha1: "14050471", sha256: "67062674", sha512: "99943326"),
        Vector(time: 1_234_567_890, sha1: "89005924", sha256: "91819424", sha512: "93441116"),
        Vector(time: 2_000_000_000, sha1: "69279037", sha256: "90698825", sha512: "38618901"),
        Vector(time: 20_000_000_000, sha1: "65353130", sha256: "77737706", sha512: "47863826"),
    ]

    @Test(arguments: vectors)
    func `RFC 6238, Appendix B`(_ vector: Vector) throws {
        let cases: [(TOTPCode.Algorithm, Int, String)] = [
            (.sha1, 20, vector.sha1), (.sha256, 32, vector.sha256), (.sha512, 64, vector.sha512),
        ]
        for (algorithm, count, expected) in cases {
            let code = try #require(
                TOTPCode(imported: secret(count), algorithm: algorithm, digits: 8, periodSeconds: 30))
            let time = UnixTime(rawValue: vector.time)
            #expect(code.code(at: time).exposed() == expected)
            #expect(code.verify(Secret(expected), at: time, lastUsedStep: nil) == vector.time / 30)
        }
    }

    @Test func `87: one step before and one after are accepted, two are not`() throws {
        let authenticator = TOTPCode(try secret())
        let shown = authenticator.code(at: UnixTime(rawValue: 1_000_000_020))
        let step = authenticator.step(at: UnixTime(rawValue: 1_000_000_020))
        // The code belongs to the seconds …020 to …049.
        let accepted: [(Int64, Int64?)] = [
            (1_000_000_019 - 30, nil), (1_000_000_020 - 30, step), (1_000_000_020, step), (1_000_000_049, step),
            (1_000_000_050 + 29, step), (1_000_000_050 + 30, nil),
        ]
        for (time, answer) in accepted {
            #expect(authenticator.verify(shown, at: UnixTime(rawValue: time), lastUsedStep: nil) == answer, "\(time)")
        }
    }

    @Test func `87: an accepted step is never accepted again, nor one before it`() throws {
        let authenticator = TOTPCode(try secret())
        let time = UnixTime(rawValue: 1_000_000_020)
        let previous = authenticator.code(at: time - 30)
        let current = authenticator.code(at: time)
        let next = authenticator.code(at: time + 30)
        let used = try #require(authenticator.verify(current, at: time, lastUsedStep: nil))
        #expect(authenticator.verify(current, at: time, lastUsedStep: used) == nil)
        #expect(authenticator.verify(current, at: time + 30, lastUsedStep: used) == nil)
        #expect(authenticator.verify(previous, at: time, lastUsedStep: used) == nil)
        #expect(authenticator.verify(next, at: time, lastUsedStep: used) == used + 1)
        // A clock that was set back does not open what is used.
        #expect(authenticator.verify(previous, at: time - 30, lastUsedStep: used) == nil)
    }

    @Test func `a code that fits two steps counts for the later`() throws {
        // With this key, two neighbours show 911617.
        let authenticator = TOTPCode(try secret())
        let step: Int64 = 910_737
        #expect(authenticator.code(at: UnixTime(rawValue: step * 30)).exposed() == "911617")
        #expect(authenticator.code(at: UnixTime(rawValue: (step + 1) * 30)).exposed() == "911617")
        let time = UnixTime(rawValue: step * 30)
        #expect(authenticator.verify(authenticator.code(at: time), at: time, lastUsedStep: nil) == step + 1)
        #expect(authenticator.verify(authenticator.code(at: time), at: time, lastUsedStep: step + 1) == nil)
    }

    @Test func `what people type`() throws {
        let authenticator = TOTPCode(try secret())
        let time = UnixTime(rawValue: 59)
        for typed in ["287082", "287 082", " 287-082 "] {
            #expect(authenticator.verify(Secret(typed), at: time, lastUsedStep: nil) == 1, "\(typed)")
        }
        for typed in ["", "28708", "2870820", "28708x", "٢٨٧٠٨٢", String(repeating: " ", count: 33) + "287082"] {
            #expect(authenticator.verify(Secret(typed), at: time, lastUsedStep: nil) == nil, "\(typed)")
        }
    }

    @Test func `the beginning of time has no step before it`() throws {
        let authenticator = TOTPCode(try secret())
        let code = authenticator.code(at: UnixTime(rawValue: 0))
        #expect(authenticator.verify(code, at: UnixTime(rawValue: 0), lastUsedStep: nil) == 0)
        #expect(authenticator.verify(code, at: UnixTime(rawValue: -5), lastUsedStep: nil) == 0)
    }

    @Test func `parameters that nobody uses are refused`() throws {
        let secret = try secret()
        for (digits, period) in [(5, 30), (9, 30), (6, 14), (6, 121), (6, 0), (6, -30)] {
            #expect(
                TOTPCode(imported: secret, algorithm: .sha1, digits: digits, periodSeconds: Int64(period))
                    == nil)
        }
        #expect(TOTPSecret(bytes: [UInt8](repeating: 1, count: 9)) == nil)
        #expect(TOTPSecret(bytes: [UInt8](repeating: 1, count: 129)) == nil)
    }

    @Test func `a new secret has 160 bits and is not printed`() {
        let secret = TOTPSecret.make(.live)
        #expect(secret.bytes.count == 20)
        #expect(secret.base32.exposed().count == 32)
        #expect(secret != TOTPSecret.make(.live))
        #expect("\(secret) \(TOTPCode(secret))".contains(secret.base32.exposed()) == false)
        #expect(String(reflecting: TOTPCode(secret)).contains("\(secret.bytes)") == false)
        #expect(TOTPSecret(typed: secret.base32) == secret)
    }
}

@Suite("Base32, RFC 4648 §6")
struct Base32Tests {
    static let vectors = [
        ("", ""), ("f", "MY======"), ("fo", "MZXQ===="), ("foo", "MZXW6==="), ("foob", "MZXW6YQ="),
        ("fooba", "MZXW6YTB"), ("foobar", "MZXW6YTBOI======"),
    ]

    @Test(arguments: vectors)
    func `RFC 4648 §10`(_ plain: String, _ spelled: String) {
        let bare = String(spelled.prefix { $0 != "=" })
        #expect(Base32.encode(Array(plain.utf8)) == bare)
        #expect(Base32.decode(bare) == Array(plain.utf8))
        #expect(Base32.decode(spelled) == Array(plain.utf8))
    }

    @Test(arguments: ["M", "MZX", "MZXW6Y", "mzxw6ytb", "MZXW 6YTB", "MZ", "MY=", "MY==M===", "M1======", "========"])
    func `strictly, every byte string has one spelling`(_ text: String) {
        #expect(Base32.decode(text) == nil)
    }

    @Test(arguments: ["mzxw 6ytb", "MZXW-6YTB", "mZxW6YtB====", " mzxw\n6ytb "])
    func `what people paste is understood`(_ text: String) {
        #expect(Base32.decodeTyped(text) == Array("fooba".utf8))
    }

    @Test func `digits that look like letters are read as letters`() {
        #expect(Base32.decodeTyped("0I8O1B") == Base32.decodeTyped("OIBOIB"))
        #expect(Base32.decodeTyped("MZXW6YT9") == nil)
    }
}
