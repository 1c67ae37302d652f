import KeyturnBase
import Model
import ServerTesting
import Testing
@testable import SignIn

@Suite("Store: password hashes from elsewhere")
struct ForeignHashTests {
    private func add(_ hash: String, _ bench: Bench) async throws -> Account {
        let user = try await bench.user(
            "\(bench.digest(hash).bytes.prefix(8).map(String.init).joined(separator: "-"))@e.test")
        try await bench.stores.passwords.set(hash, of: user.user.id, at: bench.now)
        return user
    }

    @Test(arguments: Engines.withValues)
    func `attack 79: what the dearest of each kind costs is known, until its last one is gone`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let passwords = bench.stores.passwords
        _ = try await add("$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$\(String(repeating: "A", count: 43))", bench)
        #expect(try await passwords.foreignHash(from: "") == nil)
        for cost in ["10", "08"] {
            for letter in ["a", "b", "c"] {
                _ = try await add("$2b$\(cost)$" + String(repeating: letter, count: 53), bench)
            }
        }
        let dear = try await add("$2b$12$" + String(repeating: "d", count: 53), bench)
        _ = try await add("pbkdf2_sha256$600000$salt$\(String(repeating: "A", count: 43))=", bench)
        _ = try await add("$argon2id$v=19$m=65536,t=3,p=4$c2FsdHNhbHQ$\(String(repeating: "A", count: 43))", bench)
        #expect(try await passwords.foreignHash(from: "$2b$08%") == "$2b$10$" + String(repeating: "a", count: 53))

        let costs = HashCosts(passwords)
        try await costs.reload()
        #expect(costs.dearest == [.bcrypt: 4_096, .pbkdf2SHA256: 600_000, .argon2(lanes: 4): 196_608])
        try await bench.stores.passwords.set(
            "$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$\(String(repeating: "B", count: 43))", of: dear.user.id,
            at: bench.now)
        try await costs.reload()
        #expect(costs.dearest[.bcrypt] == 1_024)
        costs.note("$2b$13$" + String(repeating: "e", count: 53))
        #expect(costs.dearest[.bcrypt] == 8_192, "known before it is stored")
    }
}
