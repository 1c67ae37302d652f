import KeyturnBase
import KeyturnWire
import Model
import Testing

@Suite("Store: notifications of clients in ping mode")
struct PingNoticeTests {
    /// Requests that were decided: each queued a notice.
    private func decide(_ count: Int, _ bench: Bench, ping: [UInt8]? = [7]) async throws -> [SecretDigest] {
        let andy = try await bench.user()
        return try await (0..<count).asyncMap { number in
            let request = BackchannelAuthentication(
                id: bench.digest("request \(number)"), clientID: "till", userID: andy.user.id,
                scope: Scope(names: ["openid"]), resources: [], needsSeveralFactors: false, keyThumbprint: nil,
                bindingMessage: nil, number: 42, network: nil, sealedPing: ping, createdAt: bench.now,
                expiresAt: bench.now + 300)
            _ = try await bench.stores.backchannel.add(request, pendingMax: 50)
            #expect(
                try await bench.stores.backchannel.deny(request.id, of: andy.user.id, withOthers: false, at: bench.now)
                    == .made)
            return request.id
        }
    }

    @Test(arguments: Engines.all)
    func `a decision queues a notice, once, and only for a client that wants one`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let notices = bench.stores.pingNotices
        #expect(try await !notices.hasDue(at: bench.now))
        let ids = try await decide(1, bench)
        let waiting = try await notices.waiting(limit: 9)
        #expect(
            waiting.map(\.requestID) == ids && waiting.map(\.sealed) == [[7]] && waiting.map(\.clientID) == ["till"])
        #expect(waiting.map(\.expiresAt) == [bench.now + 300 + Limits.deviceRepeatSeconds])
        let user = try #require(try await bench.stores.users.account(try bench.identifier("andy@example.com"))).user.id
        #expect(try await bench.stores.backchannel.deny(ids[0], of: user, withOthers: false, at: bench.now) == .tooLate)
        #expect(try await notices.waiting(limit: 9).count == 1)
        let quiet = try await Bench(engine)
        _ = try await decide(1, quiet, ping: nil)
        #expect(try await quiet.stores.pingNotices.waiting(limit: 9).isEmpty)
    }

    @Test(arguments: Engines.all)
    func `of a hundred callers each notice goes to one`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        _ = try await decide(10, bench)
        let now = bench.now
        let claims = try await bench.race { stores, _ in
            try await stores.pingNotices.claim(limit: 2, leaseSeconds: 20, at: now)
        }
        let claimed = claims.flatMap(\.self)
        #expect(claimed.count == 10 && Set(claimed.map(\.notice.number)).count == 10)
        #expect(try await !bench.stores.pingNotices.hasDue(at: now + 19))
        #expect(try await bench.stores.pingNotices.hasDue(at: now + 20))
    }

    @Test(arguments: Engines.all)
    func `a claim that is over removes and postpones nothing`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (notices, now) = (bench.stores.pingNotices, bench.now)
        _ = try await decide(1, bench)
        let first = try #require(try await notices.claim(limit: 9, leaseSeconds: 20, at: now).first)
        let second = try #require(try await notices.claim(limit: 9, leaseSeconds: 20, at: now + 20).first)
        #expect(first.attempt == 1 && second.attempt == 2 && first.notice == second.notice)
        #expect(try await !notices.remove(first))
        #expect(try await !notices.postpone(first, until: now + 500))
        #expect(try await notices.postpone(second, until: now + 100))
        #expect(try await !notices.hasDue(at: now + 99))
        let third = try #require(try await notices.claim(limit: 9, leaseSeconds: 20, at: now + 100).first)
        #expect(try await notices.remove(third))
        #expect(try await !notices.remove(third))
        #expect(try await notices.waiting(limit: 9).isEmpty)
    }
}

extension Sequence where Self: Sendable {
    /// One after the other.
    fileprivate func asyncMap<Value>(_ body: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await body(element)) }
        return values
    }
}
