import KeyturnBase
import Model
import Testing

@Suite("Store: what was used once, and what was given back")
struct SpentTests {
    @Test(arguments: Engines.withValues)
    func `of a hundred spendings of one mark one counts`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let spent = try await bench.race { stores, _ in try await stores.spent.spend(bench.mark("one")) }
        #expect(spent.count { $0 } == 1)
        #expect(try await bench.stores.spent.spend(bench.mark("other")))
        let later = ReplayMark(of: Array("one".utf8), expiresAt: bench.now + 9_000)
        #expect(try await !bench.stores.spent.spend(later), "whatever its end")
    }

    @Test(arguments: Engines.withValues)
    func `a use that is asked for again finds its own mark, and nobody else does`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let spent = bench.stores.spent
        for _ in 0..<3 { #expect(try await spent.spend(bench.mark("one"), attempt: [1, 2])) }
        #expect(try await !spent.spend(bench.mark("one"), attempt: [1, 3]))
        #expect(try await !spent.spend(bench.mark("one")))
        #expect(try await spent.spend(bench.mark("two")))
        #expect(try await !spent.spend(bench.mark("two"), attempt: [1, 2]), "a mark without a use belongs to nobody")
    }

    @Test(arguments: Engines.withValues)
    func `what one client signed is its own, by kind`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        for (client, kind) in [("web", "a"), ("other", "a"), ("web", "b")] {
            let mark = ReplayMark(jti: "1", of: client, kind: kind, expiresAt: bench.now + 60)
            #expect(try await bench.stores.spent.spend(mark))
            #expect(try await !bench.stores.spent.spend(mark))
        }
    }

    @Test(arguments: Engines.withValues)
    func `a token that was given back is known by any of its names`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let tokens = bench.stores.revokedTokens
        #expect(try await !tokens.isRevoked(anyOf: ["a", "b"]))
        for _ in 0..<2 { try await tokens.revoke(tokenID: "a", expiresAt: bench.now + 60) }
        #expect(try await tokens.isRevoked(anyOf: ["a"]))
        #expect(try await tokens.isRevoked(anyOf: ["b", "a"]))
        #expect(try await !tokens.isRevoked(anyOf: ["b", "A"]))
        #expect(try await !tokens.isRevoked(anyOf: []))
    }
}
