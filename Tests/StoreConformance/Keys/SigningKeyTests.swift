import KeyturnBase
import Model
import Testing

@Suite("Store: signing keys")
struct SigningKeyTests {
    private func key(_ id: String, of algorithm: String = "ES256", activates second: Int64 = 0, _ bench: Bench)
        -> StoredKey
    {
        StoredKey(
            keyID: id, algorithm: algorithm, sealedPrivateKey: [1, 2], createdAt: bench.now,
            activatesAt: bench.now + second, retiresAt: bench.now + second + 100,
            removedAt: bench.now + second + 200)
    }

    @Test(arguments: Engines.withValues)
    func `of a hundred servers that rotate at once one wins, for each algorithm`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let added = try await bench.race { stores, number in
            try await stores.keys.add(key("\(number)", of: number % 2 == 0 ? "ES256" : "RS256", bench))
        }
        #expect(added.count { $0 } == 2)
        #expect(Set(try await bench.stores.keys.all().map(\.algorithm)) == ["ES256", "RS256"])
    }

    @Test(arguments: Engines.withValues)
    func `of servers that make the first key, a second apart, one wins`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let added = try await bench.race { stores, number in
            let time = bench.now + Int64(number % 3)
            return try await stores.keys.add(
                StoredKey(
                    keyID: "\(number)", algorithm: "RS256", sealedPrivateKey: [1], createdAt: time, activatesAt: time,
                    retiresAt: time + 100, removedAt: time + 200))
        }
        #expect(added.count { $0 } == 1)
        #expect(try await bench.stores.keys.all().count == 1)
    }

    @Test(arguments: Engines.withValues)
    func `keys come back as they were, the oldest first, and a later one follows`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let keys = bench.stores.keys
        #expect(try await keys.add(key("later", activates: 50, bench)))
        #expect(try await !keys.add(key("earlier", bench)), "one that begins later is there")
        #expect(try await keys.add(key("next", activates: 51, bench)))
        #expect(try await keys.add(key("other", of: "RS256", bench)))
        #expect(
            try await keys.all() == [
                key("other", of: "RS256", bench), key("later", activates: 50, bench), key("next", activates: 51, bench),
            ])
    }

    @Test(arguments: Engines.withValues)
    func `the end of a key is set, and what is over is removed at the second`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (keys, now) = (bench.stores.keys, bench.now)
        for (id, algorithm) in [("one", "ES256"), ("two", "RS256")] {
            #expect(try await keys.add(key(id, of: algorithm, bench)))
        }
        try await keys.schedule("one", retiresAt: now + 10, removedAt: now + 20)
        let one = try #require(try await keys.all().first { $0.keyID == "one" })
        #expect(one.retiresAt == now + 10 && one.removedAt == now + 20)
        let refusal = try await bench.refusal { try await keys.schedule("x", retiresAt: now, removedAt: now) }
        #expect(refusal == .missing)
        try await keys.removeExpired(at: now + 19)
        #expect(try await keys.all().count == 2)
        try await keys.removeExpired(at: now + 20)
        #expect(try await keys.all().map(\.keyID) == ["two"])
    }
}
