import KeyturnBase
import Model
import Testing

@Suite("Store: a copy of a refresh token that follows each rotation")
struct ShadowTests {
    private static let owner = "192.0.2.1"
    private static let thief = "203.0.113.9"

    /// The owner refreshes, and the thief after it; what the thief gets.
    private func follow(
        _ bench: Bench, _ grant: Grant, _ counter: Int64, shadowed: ShadowedSessions = .tell, kind: String? = nil,
        from network: String = thief, at time: UnixTime
    ) async throws -> Renewal {
        let first = try await bench.renew(
            grant, counter: counter, network: Self.owner, kind: "Firefox on Linux", shadowed: shadowed, at: time)
        #expect(first.isRenewed)
        return try await bench.renew(
            grant, counter: counter, network: network, kind: kind ?? "Firefox on Linux", shadowed: shadowed,
            at: time + 10)
    }

    private func signs(_ bench: Bench, _ account: Account) async throws -> [CopiedTokenSign] {
        try await bench.stores.grants.signsOfCopies(of: account.user.id, since: bench.now, limit: 10)
    }

    @Test(arguments: Engines.withValues, [(kind: "Firefox on Linux", network: thief), (kind: "curl", network: owner)])
    func `three rotations running that two used are told once, and the grant goes on`(
        _ engine: any Engine, _ party: (kind: String, network: String)
    ) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        let grant = try await bench.redeemedGrant(of: andy)
        var told: [Int64] = []
        for counter in Int64(0)..<6 {
            let answer = try await follow(
                bench, grant, counter, kind: party.kind, from: party.network, at: bench.now + 100 * (counter + 1))
            #expect(answer.counter == counter + 1)
            if case .shadowed(let given, .prompt, isEnded: false) = answer {
                told.append(counter)
                #expect(given.id == grant.id)
            }
        }
        #expect(told == [2])
        #expect(
            try await signs(bench, andy) == [
                CopiedTokenSign(
                    grantID: grant.id, clientID: "web", kind: .shadowed(isEnded: false), at: bench.now + 310)
            ])
        #expect(try await bench.isAlive(grant, at: bench.now + 700))
    }

    @Test(arguments: Engines.withValues)
    func `where shadowed sessions end, the grant is over at that moment, and is shown as such`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        let grant = try await bench.redeemedGrant(of: andy)
        for counter in Int64(0)..<2 {
            _ = try await follow(bench, grant, counter, shadowed: .end, at: bench.now + 100 * (counter + 1))
        }
        let answer = try await follow(bench, grant, 2, shadowed: .end, at: bench.now + 300)
        guard case .shadowed(_, .prompt, isEnded: true) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(answer.counter == nil, "no token is given")
        #expect(try await !bench.isAlive(grant, at: bench.now + 310))
        #expect(try await bench.renew(grant, counter: 3, at: bench.now + 311) == .ended(.shadowed))
        #expect(try await signs(bench, andy).map(\.kind) == [.shadowed(isEnded: true)])
    }

    @Test(arguments: Engines.withValues)
    func `IPv4 and IPv6 in turn, and a rotation that one had alone, are not told`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let grant = try await bench.redeemedGrant(of: try await bench.user())
        for counter in Int64(0)..<6 {
            let network = counter % 3 == 2 ? Self.owner : Self.thief
            let answer = try await follow(bench, grant, counter, from: network, at: bench.now + 100 * (counter + 1))
            guard case .repeated(_, .prompt) = answer else {
                Issue.record("\(counter): \(answer)")
                return
            }
        }
        for counter in Int64(6)..<12 {
            let answer = try await follow(
                bench, grant, counter, from: "2001:db8:1:1::/64", at: bench.now + 100 * (counter + 1))
            guard case .repeated(_, .prompt) = answer else {
                Issue.record("\(counter): \(answer)")
                return
            }
        }
    }

    @Test(arguments: Engines.withValues)
    func `of many uses of one moment one tells`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let grant = try await bench.redeemedGrant(of: try await bench.user())
        for counter in Int64(0)..<2 { _ = try await follow(bench, grant, counter, at: bench.now + 100 * (counter + 1)) }
        let time = bench.now + 300
        _ = try await bench.renew(grant, counter: 2, network: Self.owner, kind: "Firefox on Linux", at: time)
        let answers = try await bench.race(40) { stores, number in
            try await stores.grants.renew(
                grant.id, counter: 2, clientID: "web", keyThumbprint: nil, rotates: true,
                by: RefreshParty(network: number.isMultiple(of: 2) ? Self.thief : "203.0.113.77", client: "curl"),
                shadowed: .tell, idleSeconds: 1_000, at: time + 1)
        }
        #expect(answers.compactMap(\.counter) == Array(repeating: 3, count: 40))
        #expect(answers.count { if case .shadowed = $0 { true } else { false } } == 1)
    }

    @Test(arguments: Engines.withValues)
    func `whatever a network and a client are called is kept and read again`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let grant = try await bench.redeemedGrant(of: try await bench.user())
        for (counter, name) in ["a\nb\r\nc", "", String(repeating: "é\u{301}", count: 300), "'; --"].enumerated() {
            let answer = try await follow(
                bench, grant, Int64(counter), kind: name, from: name, at: bench.now + 100 * Int64(counter + 1))
            #expect(answer.counter == Int64(counter) + 1)
        }
    }
}
