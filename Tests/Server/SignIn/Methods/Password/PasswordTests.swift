import KeyturnBase
import Testing
@testable import Model
@testable import SignIn

@Suite("Passwords, NIST SP 800-63B and OWASP's password storage guidance")
struct PasswordTests {
    static let weak = Argon2Parameters(memoryKiB: 64, passes: 1, lanes: 1)

    private func passwords(_ parameters: Argon2Parameters = weak) -> Passwords {
        Passwords(pool: HashingPool(threads: 2), parameters: parameters, ambient: .live)
    }

    @Test func `attack 84: the standard is at least m=19456, t=2, p=1, and stands in the hash`() async throws {
        #expect(Argon2Parameters.standard.memoryKiB >= 19_456)
        #expect(Argon2Parameters.standard.passes >= 2)
        let hash = try await passwords(.standard).hash(Secret("correct-horse-battery"))
        #expect(hash.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
    }

    @Test func `the right password is right, any other is wrong`() async throws {
        let passwords = passwords()
        let hash = try await passwords.hash(Secret("correct-horse-battery"))
        #expect(try await passwords.check(Secret("correct-horse-battery"), against: hash) == .right)
        #expect(try await passwords.check(Secret("correct-horse-batterz"), against: hash) == .wrong)
        #expect(try await passwords.check(Secret(""), against: hash) == .wrong)
        #expect(try await passwords.check(Secret("correct-horse-battery"), against: nil) == .wrong)
    }

    @Test func `attack 82: nothing is cut off, and Unicode is normalised once`() async throws {
        let passwords = passwords()
        let long = String(repeating: "a", count: 200)
        let hash = try await passwords.hash(Secret(long))
        #expect(try await passwords.check(Secret(long), against: hash) == .right)
        #expect(try await passwords.check(Secret(String(long.dropLast())), against: hash) == .wrong)
        let composed = try await passwords.hash(Secret("caf\u{E9}-caf\u{E9}"))
        #expect(try await passwords.check(Secret("cafe\u{301}-cafe\u{301}"), against: composed) == .right)
        let nul = try await passwords.hash(Secret("before\u{0}after"))
        #expect(try await passwords.check(Secret("before\u{0}other"), against: nul) == .wrong)
    }

    @Test func `the Argon2 library reads what is stored, and what it wrote is read here`() async throws {
        let stored = try await passwords().hash(Secret("correct-horse-battery"))
        #expect(try Argon2Hash(stored).matches(Array("correct-horse-battery".utf8)))
        #expect(try !Argon2Hash(stored).matches(Array("correct-horse-batterx".utf8)))
        // By the program argon2, with the salt "somesaltsomesalt".
        let foreign =
            "$argon2id$v=19$m=64,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$Gpj7qOY5RCXJvcMzqcdQqvgR3wcPX7SleI4c9NtXk6E"
        #expect(Argon2.verify(Secret("password"), foreign))
        #expect(!Argon2.verify(Secret("passwore"), foreign))
    }

    @Test func `attack 84: weaker hashes are made anew at sign-in`() async throws {
        let hash = try await passwords().hash(Secret("correct-horse-battery"))
        let stronger = Argon2Parameters(memoryKiB: 128, passes: 2, lanes: 1)
        let verdict = try await passwords(stronger).check(Secret("correct-horse-battery"), against: hash)
        guard case .rightAndRehashed(let fresh) = verdict else { throw TestProblem.notRehashed }
        #expect(Argon2Parameters(encodedHash: fresh) == stronger)
    }

    @Test(
        arguments: [
            "$argon2id$v=19$m=9999999,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAA", "$argon2id$v=19$m=64,t=4000,p=1$AAAA$AAAA",
            "$argon2i$v=19$m=64,t=1,p=1$AAAA$AAAA", "$2b$12$abc", "", "plain", "$argon2id$v=19$m=64$AAAA$AAAA",
        ])
    func `a stored hash that asks for too much is not checked`(_ hash: String) {
        #expect(Argon2Parameters(encodedHash: hash) == nil)
        #expect(!Argon2.verify(Secret("x"), hash))
    }

    @Test func `attack 84: when too many wait, the next is turned away`() async throws {
        let pool = HashingPool(threads: 1, backlogMax: 2, waitMilliseconds: 60_000)
        let passwords = Passwords(
            pool: pool, parameters: Argon2Parameters(memoryKiB: 65_536, passes: 2, lanes: 1), ambient: .live)
        let outcomes = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<12 { group.addTask { (try? await passwords.hash(Secret("x"))) != nil } }
            return await group.reduce(into: [Bool]()) { $0.append($1) }
        }
        #expect(outcomes.contains(false))
        #expect(outcomes.count { $0 } >= 3)
    }

    @Test(
        arguments: [
            ("short", PasswordPolicy.Flaw.tooShort(minLength: 8)), ("password123", .common), ("Willkommen1", .common),
            ("andyandy1", .containsIdentifier), ("with\u{0}inside", .containsNUL),
        ])
    func `attacks 82 and 83: what may not be chosen`(_ password: String, _ flaw: PasswordPolicy.Flaw) throws {
        let identifier = try #require(Identifier(loginID: "andyandy@example.com"))
        #expect(PasswordPolicy().flaws(in: Secret(password), identifiers: [identifier]).contains(flaw))
    }

    @Test func `a long password of words is fine`() {
        #expect(PasswordPolicy().flaws(in: Secret("correct-horse-battery")) == [])
        #expect(PasswordPolicy().flaws(in: Secret(String(repeating: "ab", count: 512))) == [])
        #expect(PasswordPolicy().flaws(in: Secret(String(repeating: "a", count: 1_025))).contains(.tooLong))
    }

    @Test func `82: eight characters are enough, 64 are allowed, and characters count as people count them`() {
        let policy = PasswordPolicy()
        #expect(policy.flaws(in: Secret("k7#mQ2x")) == [.tooShort(minLength: 8)])
        #expect(policy.flaws(in: Secret("k7#mQ2xW")) == [])
        // One character each, though of two scalars or four bytes.
        #expect(policy.flaws(in: Secret(String(repeating: "e\u{301}", count: 7))) == [.tooShort(minLength: 8)])
        #expect(policy.flaws(in: Secret(String(repeating: "e\u{301}", count: 8))) == [])
        for character in ["a", "\u{E9}", "日", "🔑"] {
            #expect(policy.flaws(in: Secret(String(repeating: character, count: 64))) == [], "\(character)")
        }
    }

    @Test func `82: policy and hash look at the same form, so whatever may be chosen can be used`() async throws {
        let passwords = passwords()
        // Full-width letters are three bytes as typed and one as hashed; the ligature is one character and then eighteen.
        for (character, count) in [("ａ", 341), ("ａ", 342), ("\u{FDFA}", 30), ("\u{FDFA}", 64), ("e\u{301}", 341)] {
            let password = Secret(String(repeating: character, count: count))
            guard PasswordPolicy().flaws(in: password) == [] else { continue }
            let hash = try await passwords.hash(password)
            #expect(try await passwords.check(password, against: hash) == .right, "\(character) × \(count)")
        }
        #expect(PasswordPolicy().flaws(in: Secret(String(repeating: "ａ", count: 341))) == [])
        #expect(PasswordPolicy().flaws(in: Secret(String(repeating: "ａ", count: 342))) == [.tooLong])
        #expect(PasswordPolicy().flaws(in: Secret("ｐａｓｓｗｏｒｄ")).contains(.common))
    }

    @Test func `83: every common password is refused in either case`() {
        for password in ["PASSWORD123", "Qwertz123", "ILOVEYOU", "Welcome2026", "contrase\u{F1}a", "contrasen\u{303}a"]
        {
            #expect(PasswordPolicy().flaws(in: Secret(password)).contains(.common), "\(password)")
        }
    }

    private enum TestProblem: Error { case notRehashed }
}
