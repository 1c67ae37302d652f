import KeyturnBase
import Model
import Testing

@Suite("Store: streams of audit events")
struct AuditStreamStoreTests {
    @Test(arguments: Engines.all)
    func `one node has a stream at a time, and goes on where it was`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (streams, now) = (bench.stores.auditStreams, bench.now)
        let claims = try await bench.race(20) { stores, _ in
            try await stores.auditStreams.claim("siem", beginningAfter: 7, until: now + 60, at: now)
        }.compactMap { $0 }
        #expect(claims == [AuditStreamClaim(name: "siem", number: 7, until: now + 60)])
        let first = try #require(claims.first)
        let second = try #require(try await streams.advance(first, to: 9, until: now + 70))
        #expect(try await streams.advance(first, to: 8, until: now + 90) == nil, "that claim is over")
        #expect(try await streams.claim("siem", beginningAfter: 99, until: now + 130, at: now + 69) == nil)
        #expect(try await streams.positions() == ["siem": 9])

        let other = try #require(
            try await streams.claim("siem", beginningAfter: 99, until: now + 130, at: now + 70))
        #expect(other.number == 9)
        #expect(try await streams.advance(second, to: 10, until: now + 200) == nil, "the other node has it")
        try await streams.release(second)
        #expect(try await streams.claim("siem", beginningAfter: 0, until: now + 200, at: now + 71) == nil)
        try await streams.release(other)
        #expect(try await streams.claim("siem", beginningAfter: 0, until: now + 200, at: now + 71)?.number == 9)
        #expect(try await streams.claim("logs", beginningAfter: 5, until: now + 60, at: now)?.number == 5)
        #expect(try await streams.positions() == ["siem": 9, "logs": 5])
    }
}
