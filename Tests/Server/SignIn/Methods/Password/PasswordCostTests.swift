import KeyturnBase
import Synchronization
import Testing
@testable import Model
@testable import SignIn

@Suite("What a wrong password costs")
struct PasswordCostTests {
    private static let weak = Argon2Parameters(memoryKiB: 64, passes: 1, lanes: 1)
    private static let settings =
        [
            "$2b$04$Rt8sE5ZUQBFhpfnxpRVBBe", "$2b$06$Rt8sE5ZUQBFhpfnxpRVBBe",
        ].map { $0 + String(repeating: "K", count: 31) } + [
            "$pbkdf2-sha256$29000$c2FsdHNhbHQ$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            "pbkdf2_sha256$60000$salt$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
            "$scrypt$ln=11,r=8,p=2$c2FsdHNhbHQ$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            "$6$rounds=9000$saltsalt$" + String(repeating: "K", count: 86),
            "$argon2id$v=19$m=512,t=3,p=1$c2FsdHNhbHQ$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        ]

    private let computed = Work()

    /// What was computed, for each family.
    private final class Work: Sendable {
        private let units = Mutex<[HashWork.Family: Int]>([:])

        func add(_ work: HashWork) { units.withLock { $0[work.family, default: 0] += work.units } }

        func take() -> [HashWork.Family: Int] {
            units.withLock { units in
                defer { units = [:] }
                return units
            }
        }
    }

    private func passwords(_ hashes: [String]) -> Passwords {
        let costs = HashCosts(nil, parameters: Self.weak)
        for hash in hashes { costs.note(hash) }
        return Passwords(
            pool: HashingPool(threads: 2), parameters: Self.weak, costs: costs, ambient: .live,
            onWork: { [computed] in computed.add($0) })
    }

    private func work(_ passwords: Passwords, _ password: String, _ stored: String?) async throws
        -> [HashWork.Family: Int]
    {
        #expect(try await passwords.check(Secret(password), against: stored) == .wrong)
        return computed.take()
    }

    /// Whether two are the same but for a hundredth, and for what is cheaper than the cheapest hash of its kind.
    private func isSame(_ one: [HashWork.Family: Int], _ other: [HashWork.Family: Int]) -> Bool {
        Set(one.keys).union(other.keys).allSatisfy { family in
            let (one, other) = (one[family] ?? 0, other[family] ?? 0)
            return abs(one - other) <= max(16, max(one, other) / 100)
        }
    }

    @Test(arguments: [
        "wrong-horse-battery", "wro\u{308}ng-\u{FB01}le-日本", "", "before\u{0}after", String(repeating: "x", count: 600),
    ])
    func `attack 79: unknown names, accounts of ours and imported ones of each kind cost the same`(_ password: String)
        async throws
    {
        let hashes = PasswordHashVector.all.map(\.hash) + Self.settings
        let passwords = passwords(hashes)
        let ours = try await passwords.hash(Secret("correct-horse-battery"))
        _ = computed.take()
        let unknown = try await work(passwords, password, nil)
        #expect(!unknown.isEmpty)
        for hash in [ours, "no hash of any kind", "{SSHA}AAAA"] + hashes {
            let work = try await work(passwords, password, hash)
            #expect(isSame(work, unknown), "\(hash): \(work) and \(unknown)")
        }
    }

    @Test func `the dearest of each kind is what others cost, and without imports nothing is added`() async throws {
        let none = passwords([])
        #expect(try await work(none, "wrong-horse-battery", nil) == [.argon2(lanes: 1): 64])
        let two = passwords(Array(Self.settings.prefix(4)))
        let work = try await work(two, "wrong-horse-battery", nil)
        #expect(work == [.argon2(lanes: 1): 64, .bcrypt: 64, .pbkdf2SHA256: 60_000])
    }

    @Test func `a right password costs its own hash and a new one`() async throws {
        let passwords = passwords(Self.settings)
        let vector = try #require(PasswordHashVector.all.first { $0.name.hasPrefix("plain | bcrypt 2b") })
        let verdict = try await passwords.check(Secret(vector.password), against: vector.hash)
        guard case .rightAndRehashed(let fresh) = verdict else {
            Issue.record("\(verdict)")
            return
        }
        #expect(computed.take() == [.bcrypt: 32, .argon2(lanes: 1): 64])
        #expect(try await passwords.check(Secret(vector.password), against: fresh) == .right)
        #expect(computed.take() == [.argon2(lanes: 1): 64])
        #expect(try await !passwords.matches(Secret("another"), fresh))
        #expect(computed.take() == [.argon2(lanes: 1): 64], "an account of a signed-in user")
    }

    @Test func `fillers are hashes that can be computed, of every kind, and add up`() throws {
        let families: [HashWork.Family] = [
            .argon2(lanes: 1), .argon2(lanes: 4), .bcrypt, .pbkdf2SHA1, .pbkdf2SHA256, .pbkdf2SHA512, .phpass, .scrypt,
            .sha256Crypt, .sha512Crypt, .yescrypt,
        ]
        for family in families {
            // yescrypt's cheapest hash has 2^13 of them.
            for units in family == .yescrypt ? [3 << 13, 3 << 13 + 1_000] : [3 << 10, 1_000 + 1 << 11] {
                let fillers = family.fillers(units)
                let sum = fillers.compactMap(\.work).map(\.units).reduce(0, +)
                #expect(fillers.allSatisfy { $0.work?.family == family })
                #expect(
                    abs(sum - units) <= (family == .yescrypt ? 1 << 13 : max(16, units / 100)), "\(family), \(units)")
                #expect(!fillers.contains { $0.matches(Array("password".utf8)) })
            }
        }
    }

    @Test(arguments: [
        ("{SSHA}abc", "{SSHA~"), ("$P$Babcdefgh", "$P$C"), ("$2b$12$abc", "$2b$12%"),
        ("bcrypt$$2b$12$abc", "bcrypt$$2b$12%"),
        ("bcrypt_sha256$$2b$12$abc", "bcrypt_sha256$$2b$12%"), ("pbkdf2_sha256$600000$s$h", "pbkdf2_sha256$600000%"),
        ("$pbkdf2-sha256$i=31,l=32$s$h", "$pbkdf2-sha256$i=31,l=32%"), ("$y$j9T$salt$h", "$y$j9T%"),
        ("$scrypt$ln=16,r=8,p=1$s$h", "$scrypt$ln=16,r=8,p=1%"), ("scrypt$16384$s$8$1$h", "scrypt$16384$s$8$1$h!"),
        ("$argon2id$v=19$m=65536,t=3,p=4$s$h", "$argon2id$v=19$m=65536,t=3,p=4%"),
        ("argon2$argon2id$v=19$m=8,t=3,p=4$s$h", "argon2$argon2id$v=19$m=8,t=3,p=4%"),
        ("$6$abc$h", "$6$rounds="), ("$6$rounds=5001$s$h", "$6$rounds=5001%"), ("$6$zzz$h", "$6%"), ("odd", "odd!"),
    ])
    func `hashes of one setting are passed over together`(_ hash: String, _ end: String) {
        #expect(HashSetting.end(of: hash) == end)
        #expect(Array(hash.utf8).lexicographicallyPrecedes(Array(end.utf8)))
    }
}
