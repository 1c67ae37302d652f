import Foundation
import KeyturnBase
import KeyturnWire
import StoreSQL
import Testing
@testable import Account
@testable import Model

@Suite("The key service: guesses in parallel, crashes and clocks")
struct KeyServiceRaceTests {
    private func guess(
        _ service: KeyService, _ id: String, _ secret: String, from caller: KeyService.Caller = KeyServiceBench.stranger
    ) async throws -> Guess {
        try await Guess.of { try await service.open(id, secret: Secret(secret), from: caller) }
    }

    @Test(arguments: [1, 3])
    func `server test 16: a thousand wrong guesses at once are three attempts and three hashes, whatever the servers`(
        _ servers: Int
    )
        async throws
    {
        let bench = try KeyServiceBench()
        let nodes = try (0..<servers).map { _ in try bench.server() }
        let key = try await nodes[0].service.create(
            Secret("1234"), owner: nil, name: nil, from: KeyServiceBench.stranger)
        #expect(bench.hashes() == 1)
        let guesses = try await withThrowingTaskGroup(of: Guess.self) { group in
            for number in 0..<1_000 {
                group.addTask {
                    // As an attacker would: every network is another one, and some come back when they were told to.
                    let caller = KeyService.Caller(
                        realm: "", address: NetworkAddress("10.0.\(number / 250).\(number % 250)"))
                    for _ in 0..<5 {
                        let guess = try await self.guess(
                            nodes[number % servers].service, key.keyID, String(2_000 + number), from: caller)
                        guard guess == .refused(.unavailable) else { return guess }
                    }
                    return .refused(.unavailable)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(bench.hashes() == 3)
        #expect(guesses.count == 1_000)
        #expect(guesses.count { $0 == .refused(.wrongSecret(remaining: 2)) } == 1)
        #expect(guesses.count { $0 == .refused(.wrongSecret(remaining: 1)) } == 1)
        let others = guesses.filter { $0 != .refused(.locked) && $0 != .refused(.unavailable) }
        #expect(others.count == 2, "and none succeeds")
        let stored = try #require(try await nodes[0].stores.dataKeys.key(key.keyID, realm: ""))
        #expect(stored.failures == 3 && stored.lockedAt != nil)
        // 17, and the long secret with it.
        #expect(try await guess(nodes[0].service, key.keyID, "1234") == .refused(.locked))
        let long = try #require(key.longSecret)
        let other = nodes[servers - 1].service
        let opened = try await Guess.of {
            try await other.open(key.keyID, longSecret: long, from: KeyServiceBench.stranger)
        }
        #expect(opened == .refused(.locked))
        #expect(bench.hashes() == 0, "what is locked costs nothing")
        bench.close()
    }

    @Test func `a hundred right ones at once get the same key, or are told to come again`() async throws {
        let bench = try KeyServiceBench()
        let nodes = [try bench.server(), try bench.server()]
        let key = try await nodes[0].service.create(
            Secret("1234"), owner: nil, name: nil, from: KeyServiceBench.stranger)
        let guesses = try await withThrowingTaskGroup(of: Guess.self) { group in
            for number in 0..<100 {
                group.addTask { try await self.guess(nodes[number % 2].service, key.keyID, "1234") }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(guesses.isSubset(of: [key.guess, .refused(.unavailable)]) && guesses.contains(key.guess))
        #expect(try await guess(nodes[1].service, key.keyID, "1234") == key.guess)
        #expect(try await nodes[0].stores.dataKeys.key(key.keyID, realm: "")?.failures == 0)
        bench.close()
    }

    @Test func `server tests 16, 17: a right secret among parallel wrong ones never undoes a lock`() async throws {
        let bench = try KeyServiceBench()
        let nodes = [try bench.server(), try bench.server()]
        for round in 0..<20 {
            let key = try await nodes[0].service.create(
                Secret("1234"), owner: nil, name: nil,
                from: KeyService.Caller(realm: "", address: NetworkAddress("10.1.0.\(round)")))
            let isLocked = Flag()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<12 {
                    let secret = number == round % 12 ? "1234" : "no"
                    group.addTask {
                        let wasLocked = isLocked.isUp
                        let guess = try await self.guess(nodes[number % 2].service, key.keyID, secret)
                        if guess == .refused(.locked) { isLocked.raise() }
                        // Whoever asks after a lock was told of gets nothing.
                        #expect(!wasLocked || guess != key.guess)
                    }
                }
                try await group.waitForAll()
            }
            let stored = try #require(try await nodes[0].stores.dataKeys.key(key.keyID, realm: ""))
            #expect((stored.lockedAt != nil) == (stored.failures >= 3))
            if stored.lockedAt != nil {
                #expect(try await guess(nodes[1].service, key.keyID, "1234") == .refused(.locked))
            }
        }
        bench.close()
    }

    @Test func `an attempt whose server died is spent, and the third of them locks`() async throws {
        let bench = try KeyServiceBench()
        let (service, stores, audit) = try bench.server()
        let key = try await service.create(Secret("1234"), owner: nil, name: nil, from: KeyServiceBench.stranger)
        for left in [2, 1] {
            guard case .begun = try await stores.dataKeys.begin(key.keyID, realm: "", charges: [], at: bench.now) else {
                Issue.record("the attempt must begin")
                return
            }
            // While it may still be going on, nobody else begins; the second after, it is over.
            bench.advance(Limits.keyAttemptSeconds - 1)
            #expect(try await guess(service, key.keyID, "1234") == .refused(.unavailable))
            bench.advance(1)
            #expect(try await stores.dataKeys.key(key.keyID, realm: "")?.failures == Int64(3 - left))
        }
        // A third one that dies: nothing opens the key any more, and that is written down once.
        _ = try await stores.dataKeys.begin(key.keyID, realm: "", charges: [], at: bench.now)
        bench.advance(Limits.keyAttemptSeconds - 1)
        #expect(try await guess(service, key.keyID, "1234") == .refused(.unavailable))
        bench.advance(1)
        for _ in 0..<2 { #expect(try await guess(service, key.keyID, "1234") == .refused(.locked)) }
        _ = try await audit.flush()
        #expect(try await stores.audit.newest(limit: 50).count { $0.kind == .dataKeyLocked } == 1)
        bench.close()
    }

    @Test func `who was overtaken opens nothing; was it right, its own attempt is counted back, and no other one`()
        async throws
    {
        let bench = try KeyServiceBench()
        let (service, stores, _) = try bench.server()
        let key = try await service.create(Secret("1234"), owner: nil, name: nil, from: KeyServiceBench.stranger)
        guard case .begun(let slow) = try await stores.dataKeys.begin(key.keyID, realm: "", charges: [], at: bench.now)
        else {
            Issue.record("the attempt must begin")
            return
        }
        bench.advance(Limits.keyAttemptSeconds)
        #expect(try await guess(service, key.keyID, "wrong") == .refused(.wrongSecret(remaining: 1)))
        let late = try await stores.dataKeys.succeed(slow, .used(nil), from: nil, refunding: [], at: bench.now)
        #expect(!late)
        try await stores.dataKeys.withdraw(slow, refunding: [], at: bench.now)
        #expect(try await stores.dataKeys.fail(slow, at: bench.now) == .left(2))
        #expect(try await stores.dataKeys.key(key.keyID, realm: "")?.failures == 1)
        // One that had room to end does both.
        #expect(try await guess(service, key.keyID, "1234") == key.guess)
        #expect(try await stores.dataKeys.key(key.keyID, realm: "")?.failures == 0)
        bench.close()
    }

    @Test func `a clock that was set back gives nothing back and keeps nobody waiting`() async throws {
        let bench = try KeyServiceBench()
        let (service, stores, _) = try bench.server()
        let key = try await service.create(Secret("1234"), owner: nil, name: nil, from: KeyServiceBench.stranger)
        _ = try await stores.dataKeys.begin(key.keyID, realm: "", charges: [], at: bench.now)
        bench.advance(-86_400)
        #expect(try await guess(service, key.keyID, "wrong") == .refused(.wrongSecret(remaining: 1)))
        #expect(try await guess(service, key.keyID, "wrong") == .refused(.locked))
        bench.close()
    }

    @Test func `84: a pool without room gives the attempt back, and says when to come again`() async throws {
        let bench = try KeyServiceBench()
        let (service, stores, _) = try bench.server()
        let key = try await service.create(Secret("1234"), owner: nil, name: nil, from: KeyServiceBench.stranger)
        let (full, _, _) = try bench.server { _ in false }
        for _ in 0..<5 { #expect(try await guess(full, key.keyID, "wrong") == .refused(.unavailable)) }
        #expect(try await stores.dataKeys.key(key.keyID, realm: "")?.failures == 0)
        #expect(try await guess(service, key.keyID, "wrong") == .refused(.wrongSecret(remaining: 2)))
        // What was made in vain costs its network nothing.
        for _ in 0...Limits.keysMadePerNetworkMax {
            let made = try await Guess.of {
                try await full.create(Secret("1234"), owner: nil, name: nil, from: KeyServiceBench.stranger)
            }
            #expect(made == .refused(.unavailable))
        }
        bench.close()
    }

    @Test func `server test 22: a hundred repetitions of one wish at once are one key`() async throws {
        let bench = try KeyServiceBench()
        let nodes = [try bench.server(), try bench.server()]
        let name = Ambient.live.randomToken()
        let guesses = try await withThrowingTaskGroup(of: Guess.self) { group in
            for number in 0..<100 {
                group.addTask {
                    try await Guess.of {
                        try await nodes[number % 2].service.create(
                            Secret("1234"), owner: nil, name: name, from: KeyServiceBench.stranger)
                    }
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        let again = try await nodes[0].service.create(
            Secret("1234"), owner: nil, name: name, from: KeyServiceBench.stranger)
        #expect(guesses.isSubset(of: [again.guess, .refused(.unavailable)]) && guesses.contains(again.guess))
        bench.close()
    }
}
