import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("Store: streams of receivers of shared signals")
struct SignalStreamStoreTests {
    private func client(_ id: String, _ bench: Bench) async throws -> String {
        let client = Client(id: id, metadata: ClientMetadata(), secretDigests: [])
        _ = try await bench.stores.clients.add(client, at: bench.now)
        return id
    }

    private func stream(_ id: String, of client: String, _ bench: Bench, isPushed: Bool = true) -> SignalStream {
        SignalStream(
            id: id, clientID: client,
            push: isPushed ? .init(address: "https://receiver.example/\(id)", authorization: [1, 0, 255]) : nil,
            events: ["urn:a", "urn:b"], description: "D", reason: "R", number: 5, taken: ["x", "y"],
            verification: .init(id: "v", state: "s"), verifiedAt: bench.now, createdAt: bench.now)
    }

    @Test(arguments: Engines.all)
    func `a stream is kept whole, and is its client's alone`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let streams = bench.stores.signalStreams
        let (one, other) = (try await client("one", bench), try await client("other", bench))
        let pushed = stream("a", of: one, bench)
        var polled = stream("b", of: one, bench, isPushed: false)
        polled.verification = nil
        for each in [pushed, polled, stream("c", of: other, bench)] {
            #expect(try await streams.create(each, max: 2))
        }
        #expect(try await !streams.create(stream("d", of: one, bench), max: 2))
        #expect(try await streams.streams(of: one) == [pushed, polled])
        #expect(try await streams.stream("a", of: one) == pushed)
        #expect(try await streams.stream("a", of: other) == nil)
        #expect(try await streams.change("a", of: other) { $0.status = .disabled } == nil)
        #expect(try await streams.delete("a", of: other) == nil)
        let changed = try await streams.change("a", of: one) { stream in
            stream.push = nil
            stream.status = .paused
            stream.taken = []
        }
        #expect(changed?.push == nil && changed?.status == .paused)
        #expect(try await streams.stream("a", of: one) == changed)
        #expect(try await streams.delete("a", of: one) == changed)
        #expect(try await streams.delete("a", of: one) == nil)
        _ = try await bench.stores.clients.remove(one, at: bench.now)
        #expect(try await streams.streams(of: one).isEmpty)
        #expect(try await streams.streams(of: other).count == 1)
    }

    @Test(arguments: Engines.all)
    func `of many nodes one has a stream, until its lease ends or the stream is changed`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let streams = bench.stores.signalStreams
        let (one, now) = (try await client("one", bench), bench.now)
        var idle = stream("idle", of: one, bench)
        idle.verification = nil
        for each in [stream("a", of: one, bench), idle, stream("polled", of: one, bench, isPushed: false)] {
            #expect(try await streams.create(each, max: 9))
        }
        let claims = try await bench.race(40) { stores, _ in
            try await stores.signalStreams.claim(behind: 5, until: now + 60, at: now)
        }.compactMap(\.self)
        #expect(claims.map(\.stream.id) == ["a"], "the other ones have nothing to push, or are polled")
        let claim = try #require(claims.first)
        #expect(try await streams.claim(behind: 5, until: now + 61, at: now + 59) == nil)
        #expect(try await streams.settle(claim, to: 7, isVerified: true, due: now + 9, failures: 3))
        #expect(try await !streams.settle(claim, to: 8, isVerified: true, due: now, failures: 0), "once")
        let settled = try await streams.stream("a", of: one)
        #expect(settled?.number == 7 && settled?.verification == nil)
        #expect(try await streams.claim(behind: 7, until: now + 60, at: now + 10)?.stream.id == "idle")
        #expect(try await streams.claim(behind: 8, until: now + 60, at: now + 8) == nil, "not due yet")
        let again = try #require(try await streams.claim(behind: 8, until: now + 70, at: now + 9))
        #expect(again.stream.failures == 3)
        _ = try await streams.change("a", of: one) { $0.status = .enabled }
        #expect(try await !streams.settle(again, to: 8, isVerified: false, due: now, failures: 0))
        let third = try #require(try await streams.claim(behind: 8, until: now + 80, at: now + 9))
        #expect(third.stream.number == 7 && third.stream.failures == 0)
        for status in [SignalStream.Status.paused, .disabled] {
            _ = try await streams.change("a", of: one) { $0.status = status }
            #expect(try await streams.claim(behind: 8, until: now + 90, at: now + 9) == nil)
        }
    }
}
