import KeyturnBase
import Model
import ServerTesting
import Testing

@Suite("Store: recovery codes")
struct RecoveryCodeTests {
    @Test(arguments: Engines.withValues)
    func `86: of a hundred parallel submissions of one recovery code one succeeds`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (id, digest, now) = (try await bench.user().user.id, bench.digest("code"), bench.now)
        try await bench.stores.recoveryCodes.replace([digest, bench.digest("other")], of: id, at: now)
        let spent = try await bench.race { stores, _ in
            try await stores.recoveryCodes.spend([bench.digest("old secret"), digest], of: id, at: now)
        }
        #expect(spent.count { $0 } == 1)
        #expect(try await bench.stores.recoveryCodes.count(of: id) == 1)
    }

    @Test(arguments: Engines.withValues)
    func `new codes take the place of all, and a code is its owner's alone`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (andy, bea) = (try await bench.user(), try await bench.user("bea@example.com"))
        let (codes, now) = (bench.stores.recoveryCodes, bench.now)
        try await codes.replace(["a", "b", "c"].map(bench.digest), of: andy.user.id, at: now)
        #expect(try await !codes.spend([bench.digest("a")], of: bea.user.id, at: now))
        try await codes.replace(["d"].map(bench.digest), of: andy.user.id, at: now)
        #expect(try await codes.count(of: andy.user.id) == 1)
        #expect(try await !codes.spend([bench.digest("a")], of: andy.user.id, at: now))
        #expect(try await codes.spend([bench.digest("d")], of: andy.user.id, at: now))
        try await codes.replace([], of: andy.user.id, at: now)
        #expect(try await codes.count(of: andy.user.id) == 0)
    }

    @Test(arguments: Engines.withValues)
    func `of parallel replacements one is left, whole`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (id, now) = (try await bench.user().user.id, bench.now)
        let sets = (0..<20).map { set in (0..<10).map { bench.digest("\(set) \($0)") } }
        _ = try await bench.race(20) { stores, number in
            try await stores.recoveryCodes.replace(sets[number], of: id, at: now)
        }
        #expect(try await bench.stores.recoveryCodes.count(of: id) == 10)
        var spent: [Int] = []
        for (number, set) in sets.enumerated() {
            for digest in set where try await bench.stores.recoveryCodes.spend([digest], of: id, at: now) {
                spent.append(number)
            }
        }
        #expect(spent.count == 10 && Set(spent).count == 1)
    }
}
