import KeyturnBase
import Testing
@testable import Model
@testable import SignIn

@Suite("Password hashes of other products")
struct StoredPasswordHashTests {
    static let weak = Argon2Parameters(memoryKiB: 64, passes: 1, lanes: 1)

    private func passwords() -> Passwords {
        Passwords(pool: HashingPool(threads: 2), parameters: Self.weak, ambient: .live)
    }

    @Test(arguments: PasswordHashVector.all)
    func `the right password fits, any other does not`(_ vector: PasswordHashVector) throws {
        let hash = try StoredPasswordHash(vector.hash)
        #expect(hash.encoded.exposed() == vector.hash)
        #expect(hash.matches(Secret(vector.password)))
        #expect(!hash.matches(Secret("X" + vector.password.dropFirst())))
        #expect(!hash.matches(Secret(String(vector.password.dropLast()))))
        #expect(!hash.matches(Secret("")))
    }

    @Test func `the vectors cover every scheme`() throws {
        let schemes = try PasswordHashVector.all.map { try StoredPasswordHash($0.hash).scheme }
        #expect(Set(schemes) == Set(StoredPasswordHash.Scheme.allCases).subtracting([.firebaseScrypt]))
        #expect(PasswordHashVector.all.count == 56)
    }

    @Test func `Firebase's own example`() throws {
        let hash = try StoredPasswordHash.firebase(
            hash: "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==",
            salt: "42xEC+ixf3L2lw==", separator: "Bw==",
            signerKey: "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==",
            rounds: 8, memoryCost: 14)
        #expect(hash.scheme == .firebaseScrypt)
        #expect(hash.matches(Secret("user1password")))
        #expect(!hash.matches(Secret("user1Password")))
        #expect(try StoredPasswordHash(hash.encoded.exposed()).matches(Secret("user1password")))
    }

    @Test func `RFC 7914 §12 and RFC 6070, in PHC's form`() throws {
        // "password", "NaCl", N = 1024, r = 8, p = 16, 64 bytes.
        let first = try StoredPasswordHash(
            "$scrypt$ln=10,r=8,p=16$TmFDbA$"
                + "/bq+HJ00cgB4VucZDQHp/nxq18vII3gw53N2Y0s3MWIurzDZLiKjiG/xCSedmDDaxyevuUqD7m2DYMvfoswGQA")
        #expect(first.matches(Secret("password")))
        // "password", "salt", 4096 iterations of HMAC-SHA-1, 20 bytes.
        let second = try StoredPasswordHash("$pbkdf2-sha1$i=4096$c2FsdA$SwB5AbdlSJq+rUnZJvch0GWkKcE")
        #expect(second.matches(Secret("password")))
    }

    @Test func `84: a hash from elsewhere is replaced at the first success`() async throws {
        let passwords = passwords()
        for vector in PasswordHashVector.all {
            let verdict = try await passwords.check(Secret(vector.password), against: vector.hash)
            guard case .rightAndRehashed(let fresh) = verdict else {
                Issue.record("\(vector.name): \(verdict)")
                continue
            }
            #expect(Argon2Parameters(encodedHash: fresh) == Self.weak)
            #expect(try await passwords.check(Secret(vector.password), against: fresh) == .right)
            #expect(try await passwords.check(Secret(vector.password + "x"), against: fresh) == .wrong)
        }
    }

    @Test func `82: bcrypt's edge of 72 bytes is crossed once, and then the whole password counts`() async throws {
        let passwords = passwords()
        let vector = try #require(PasswordHashVector.all.first { $0.password.utf8.count == 72 })
        let long = Secret(vector.password + "and-more")
        guard case .rightAndRehashed(let fresh) = try await passwords.check(long, against: vector.hash) else {
            Issue.record("its owner must get in")
            return
        }
        #expect(try await passwords.check(long, against: fresh) == .right)
        #expect(try await passwords.check(Secret(vector.password), against: fresh) == .wrong)
        let short = Secret(String(vector.password.dropLast()) + "X")
        #expect(try await passwords.check(short, against: vector.hash) == .wrong)
    }

    @Test(arguments: PasswordHashVector.all)
    func `82: nothing hides behind a NUL`(_ vector: PasswordHashVector) throws {
        let hash = try StoredPasswordHash(vector.hash)
        #expect(!hash.matches(Secret(vector.password + "\u{0}")))
        #expect(!hash.matches(Secret(vector.password + "\u{0}anything")))
    }

    @Test(arguments: PasswordHashVector.all.filter { $0.name.hasPrefix("accents") })
    func `82: what was hashed composed may be typed decomposed`(_ vector: PasswordHashVector) throws {
        #expect(try StoredPasswordHash(vector.hash).matches(Secret("pa\u{308}sswo\u{308}rd-日本")))
    }

    struct Refused: Sendable, CustomTestStringConvertible {
        let hash: String
        let scheme: StoredPasswordHash.Scheme?
        let reason: PasswordHashRefusal.Reason
        var testDescription: String { String(hash.prefix(50)) }

        init(_ hash: String, _ scheme: StoredPasswordHash.Scheme?, _ reason: PasswordHashRefusal.Reason) {
            (self.hash, self.scheme, self.reason) = (hash, scheme, reason)
        }
    }

    private static let tail = String(repeating: "a", count: 53)
    private static let salted = "c2FsdHNhbHQ$" + String(repeating: "A", count: 43)

    static let refused = [
        Refused("$2b$14$\(tail)x", .bcrypt, .malformed), Refused("$2b$15$\(tail)", .bcrypt, .tooExpensive),
        Refused("$2b$03$\(tail)", .bcrypt, .malformed), Refused("$2x$05$\(tail)", nil, .unknown),
        Refused("$2b$5$\(tail)", .bcrypt, .malformed), Refused("bcrypt$$2b$31$\(tail)", .bcrypt, .tooExpensive),
        Refused("$scrypt$ln=19,r=8,p=1$\(salted)", .scrypt, .tooExpensive),
        Refused("$scrypt$ln=999999999,r=8,p=1$\(salted)", .scrypt, .tooExpensive),
        Refused("$scrypt$ln=14,r=8,p=17$\(salted)", .scrypt, .tooExpensive),
        Refused("$scrypt$ln=14,r=8$\(salted)", .scrypt, .malformed),
        Refused("$scrypt$ln=0,r=8,p=1$\(salted)", .scrypt, .malformed),
        Refused("scrypt$1000$salt$8$5$\(String(repeating: "A", count: 86))==", .scrypt, .malformed),
        Refused(
            "$firebase-scrypt$ln=30,r=8$c2FsdA$Bw$\(salted.dropFirst(12))$\(salted.dropFirst(12))", .firebaseScrypt,
            .tooExpensive),
        Refused("$pbkdf2-sha256$4000001$\(salted)", .pbkdf2, .tooExpensive),
        Refused("$pbkdf2-sha1$2000001$\(salted)", .pbkdf2, .tooExpensive),
        Refused("$pbkdf2-sha256$0$\(salted)", .pbkdf2, .malformed),
        Refused("$pbkdf2-sha256$-5$\(salted)", .pbkdf2, .malformed),
        Refused("$pbkdf2-md5$1000$\(salted)", nil, .unknown),
        Refused("$pbkdf2-sha256$1000$c2FsdA$AAAA", .pbkdf2, .malformed),
        Refused("pbkdf2_sha256$99999999999$salt$\(salted.dropFirst(12))=", .pbkdf2, .malformed),
        Refused("$argon2i$v=19$m=262145,t=1,p=1$\(salted)", .argon2, .tooExpensive),
        Refused("$argon2id$v=19$m=65536,t=11,p=1$\(salted)", .argon2, .tooExpensive),
        Refused("$argon2d$v=19$m=65536,t=1,p=9$\(salted)", .argon2, .tooExpensive),
        Refused("$argon2id$v=19$m=65536,t=1,p=1,keyid=AA$\(salted)", .argon2, .malformed),
        Refused("$argon2id$v=18$m=65536,t=1,p=1$\(salted)", .argon2, .malformed),
        Refused("$P$I12345678\(String(repeating: "a", count: 22))", .phpass, .tooExpensive),
        Refused("$P$B12345678", .phpass, .malformed),
        Refused("$6$rounds=1000001$salt$\(String(repeating: "a", count: 86))", .shaCrypt, .tooExpensive),
        Refused("$6$salt$short", .shaCrypt, .malformed),
        Refused("$y$jFT$salt$\(String(repeating: "a", count: 43))", .yescrypt, .tooExpensive),
        Refused("$y$j9T.$salt$\(String(repeating: "a", count: 43))", .yescrypt, .malformed),
        Refused("{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=", .saltedSHA, .unknown),
        Refused("{SSHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=", .saltedSHA, .malformed),
        Refused("$1$salt$qJH7.N4xYta3aEG/dfqo/0", nil, .unknown), Refused("md5$salt$abc", nil, .unknown),
        Refused("", nil, .unknown), Refused("password", nil, .unknown), Refused("$2b$05$\n", nil, .malformed),
        Refused(String(repeating: "$", count: 1_025), nil, .malformed),
    ]

    @Test(arguments: refused)
    func `84: what cannot be checked within bounds is refused by name`(_ example: Refused) async throws {
        let refusal = #expect(throws: PasswordHashRefusal.self) { try StoredPasswordHash(example.hash) }
        #expect(refusal?.scheme == example.scheme)
        #expect(refusal?.reason == example.reason)
        #expect(try await passwords().check(Secret("password"), against: example.hash) == .wrong)
    }

    @Test func `the limits let the defaults of known products through`() throws {
        let usual = [
            "$2b$12$\(Self.tail)", "$2y$14$\(Self.tail)", "$scrypt$ln=17,r=8,p=1$\(Self.salted)",
            "$pbkdf2-sha256$1200000$\(Self.salted)", "$argon2id$v=19$m=65536,t=3,p=4$\(Self.salted)",
            "$P$B12345678\(String(repeating: "a", count: 22))", "$y$j9T$salt$\(String(repeating: "a", count: 43))",
            "$6$rounds=656000$salt$\(String(repeating: "a", count: 86))",
        ]
        for hash in usual { #expect(throws: Never.self) { try StoredPasswordHash(hash) } }
    }
}
