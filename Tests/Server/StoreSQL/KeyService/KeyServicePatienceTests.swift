import KeyturnBase
import KeyturnWire
import Testing
@testable import Account
@testable import Model

@Suite("The key service: patient guessers, and neighbours")
struct KeyServicePatienceTests {
    private let owner = KeyService.Caller(realm: "", address: NetworkAddress("198.51.100.4"))
    private let thief = KeyService.Caller(realm: "", address: NetworkAddress("203.0.113.9"))

    private func open(_ service: KeyService, _ id: String, _ secret: String, _ caller: KeyService.Caller) async throws
        -> Guess
    {
        try await Guess.of { try await service.open(id, secret: Secret(secret), from: caller) }
    }

    @Test func `who guesses twice between the owner's own unlocks is stopped after fifty`() async throws {
        let bench = try KeyServiceBench()
        let (service, _, _) = try bench.server()
        let key = try await service.create(Secret("7777"), owner: nil, name: nil, from: owner)
        var guesses = 0
        while guesses < 100 {
            let guess = try await open(service, key.keyID, "\(guesses)", thief)
            guesses += 1
            if guess == .refused(.locked) { break }
            if guesses.isMultiple(of: 2) {
                bench.advance(3_600)
                #expect(try await open(service, key.keyID, "7777", owner) == key.guess)
            }
        }
        #expect(guesses == Int(Limits.keyGuessesMax))
        #expect(try await open(service, key.keyID, "7777", owner) == .refused(.locked))
        bench.close()
    }

    @Test func `slips of the finger are forgotten after a month, and the owner's own successes are none`() async throws
    {
        let bench = try KeyServiceBench()
        let (service, _, _) = try bench.server()
        let key = try await service.create(Secret("7777"), owner: nil, name: nil, from: owner)
        for _ in 0..<60 { #expect(try await open(service, key.keyID, "7777", owner) == key.guess) }
        for _ in 0..<3 {
            for _ in 0..<24 {
                _ = try await open(service, key.keyID, "no", owner)
                _ = try await open(service, key.keyID, "nope", owner)
                #expect(try await open(service, key.keyID, "7777", owner) == key.guess)
            }
            bench.advance(Limits.keyGuessesSeconds)
        }
        bench.close()
    }

    @Test func `the owner hears of what was tried, and so does the operator`() async throws {
        let bench = try KeyServiceBench()
        let (service, stores, audit) = try bench.server()
        let key = try await service.create(Secret("7777"), owner: nil, name: nil, from: owner)
        #expect(try await service.open(key.keyID, secret: Secret("7777"), from: owner).failedAttempts == 0)
        _ = try await open(service, key.keyID, "1", thief)
        _ = try await open(service, key.keyID, "2", thief)
        #expect(try await service.open(key.keyID, secret: Secret("7777"), from: owner).failedAttempts == 2)
        _ = try await audit.flush()
        var query = AuditQuery()
        query.kinds = [.dataKeyWrongSecret]
        let events = try await stores.audit.search(query)
        #expect(events.count == 1 && events.first?.target == key.keyID, "once a minute")
        bench.close()
    }

    @Test func `what neighbours guess keeps nobody from a key that was opened there before`() async throws {
        let bench = try KeyServiceBench()
        let (service, stores, _) = try bench.server()
        let mine = try await service.create(Secret("7777"), owner: nil, name: nil, from: owner)
        #expect(try await open(service, mine.keyID, "7777", owner) == mine.guess)
        let unused = try await service.create(Secret("7777"), owner: nil, name: nil, from: owner)
        let charge = RateLimitCharge(
            "data-key:guesses:\(owner.network)", max: Limits.keyGuessesPerNetworkMax,
            windowSeconds: Limits.keyWindowSeconds)
        for _ in 0..<Limits.keyGuessesPerNetworkMax {
            #expect(try await stores.rateLimits.spend([charge], at: bench.now) == nil)
        }
        #expect(try await open(service, mine.keyID, "7777", owner) == mine.guess)
        guard case .refused(.tooMany) = try await open(service, unused.keyID, "7777", owner) else {
            Issue.record("a key that nobody has opened there is not spared")
            return
        }
        bench.close()
    }
}
