import Foundation
import GRDB
import KeyturnBase
import KeyturnWire
import ServerTesting
import Testing
@testable import Account
@testable import Model

@testable import StoreSQL

@Suite("The key service: what opens a key, and for how long")
struct KeyServiceRulesTests {
    private let caller = KeyServiceBench.stranger
    private let oldSecret = ServerSecrets.random(.live)
    private let newSecret = ServerSecrets.random(.live)

    private func open(_ service: KeyService, _ id: String, _ secret: String) async throws -> Guess {
        try await Guess.of { try await service.open(id, secret: Secret(secret), from: caller) }
    }

    @Test func `the server's secret can be changed; a server without it counts nothing`() async throws {
        let bench = try KeyServiceBench(secrets: [oldSecret])
        let key = try await bench.server().service.create(Secret("1234"), owner: nil, name: nil, from: caller)
        let both = try #require(ServerSecrets([newSecret, oldSecret]))
        let new = try #require(ServerSecrets([newSecret]))
        // Another server's database, or a secret that was dropped too early: nothing is compared.
        let (stranger, stores, _) = try bench.server(secrets: new)
        #expect(try await open(stranger, key.keyID, "1234") == .refused(.unreadable))
        #expect(try await open(stranger, key.keyID, "no") == .refused(.unreadable))
        #expect(try await stores.dataKeys.key(key.keyID, realm: "")?.failures == 0)
        // Whoever comes while both are there is sealed anew, by the way.
        #expect(try await open(bench.server(secrets: both).service, key.keyID, "1234") == key.guess)
        #expect(try await open(stranger, key.keyID, "1234") == key.guess)
        let long = try await Guess.of {
            try await stranger.open(key.keyID, longSecret: try #require(key.longSecret), from: caller)
        }
        #expect(long == key.guess)
        bench.close()
    }

    @Test func `a hash of other parameters is checked with those, and made anew`() async throws {
        let bench = try KeyServiceBench()
        let (service, stores, _) = try bench.server()
        let key = try await service.create(Secret("1234"), owner: nil, name: nil, from: caller)
        let stronger = Argon2Parameters(memoryKiB: 128, passes: 2, lanes: 1)
        let (next, _, _) = try bench.server(parameters: stronger)
        #expect(try await open(next, key.keyID, "wrong") == .refused(.wrongSecret(remaining: 2)))
        #expect(try await stores.dataKeys.key(key.keyID, realm: "")?.wraps.parameters == KeyServiceBench.parameters)
        #expect(try await open(next, key.keyID, "1234") == key.guess)
        #expect(try await stores.dataKeys.key(key.keyID, realm: "")?.wraps.parameters == stronger)
        #expect(try await open(next, key.keyID, "1234") == key.guess)
        bench.close()
    }

    @Test func `a wrap that was moved to another key, or another realm, opens nothing there`() async throws {
        let bench = try KeyServiceBench()
        let (service, stores, _) = try bench.server()
        let one = try await service.create(Secret("1234"), owner: nil, name: nil, from: caller)
        let other = try await service.create(Secret("9876"), owner: nil, name: nil, from: caller)
        let stored = try #require(try await stores.dataKeys.key(one.keyID, realm: ""))
        let seal = DataKeySeal(bench.secrets, parameters: KeyServiceBench.parameters, ambient: .live)
        for (id, realm) in [(other.keyID, ""), (one.keyID, "bank")] {
            let moved = StoredDataKey(id: id, realm: realm, wraps: stored.wraps, createdAt: bench.now)
            #expect(!seal.canRead(moved))
            guard case .undecided = seal.open(moved, secret: Secret("1234"), replacedBy: nil) else {
                Issue.record("a moved wrap must not be looked at")
                return
            }
            #expect(seal.open(moved, longSecret: try #require(one.longSecret)) == nil)
        }
        bench.close()
    }

    @Test func `29: a copy of the database opens nothing, however often a PIN is guessed`() async throws {
        let bench = try KeyServiceBench()
        let (service, stores, _) = try bench.server()
        let key = try await service.create(Secret("1234"), owner: nil, name: nil, from: caller)
        let stored = try #require(try await stores.dataKeys.key(key.keyID, realm: ""))
        // Everything but the server's secret: the right PIN cannot be told from a wrong one.
        let thief = DataKeySeal(
            try #require(ServerSecrets([newSecret])), parameters: KeyServiceBench.parameters, ambient: .live)
        for secret in ["1234", "0000"] {
            guard case .undecided = thief.open(stored, secret: Secret(secret), replacedBy: nil) else {
                Issue.record("nothing can be compared without the server's secret")
                return
            }
        }
        let needles = [key.key, try #require(key.longSecret)].flatMap { secret in
            [Data(secret.exposed().utf8), Data(base64Encoded: secret.exposed()) ?? Data()]
        }
        for name in try FileManager.default.contentsOfDirectory(atPath: bench.folder.path) {
            let bytes = try Data(contentsOf: bench.folder.appendingPathComponent(name))
            for needle in needles {
                #expect(needle.count >= 32 && bytes.range(of: needle) == nil, "\(name)")
            }
        }
        bench.close()
    }

    @Test func `81: a wrong long secret is not counted on the key, and never keeps its owner out`() async throws {
        let bench = try KeyServiceBench()
        let (service, stores, audit) = try bench.server()
        let key = try await service.create(Secret("1234"), owner: nil, name: nil, from: caller)
        func long(_ secret: Secret) async throws -> Guess {
            try await Guess.of { try await service.open(key.keyID, longSecret: secret, from: caller) }
        }
        for _ in 0..<Limits.longSecretGuessesMax {
            #expect(try await long(Secret("guess")) == .refused(.wrongSecret(remaining: nil)))
        }
        #expect(
            try await long(Secret("guess")) == .refused(.tooMany(retryAfterSeconds: Limits.keyWindowSeconds)))
        #expect(try await long(try #require(key.longSecret)) == key.guess)
        #expect(try await stores.dataKeys.key(key.keyID, realm: "")?.failures == 0)
        #expect(try await open(service, key.keyID, "1234") == key.guess)
        _ = try await audit.flush()
        #expect(try await stores.audit.newest(limit: 10).count { $0.kind == .dataKeyThrottled } == 1)
        bench.close()
    }

    @Test func `a network that guesses at many keys is stopped, and whoever is right pays nothing`() async throws {
        let bench = try KeyServiceBench()
        let (service, stores, _) = try bench.server()
        let key = try await service.create(Secret("1234"), owner: nil, name: nil, from: caller)
        let bucket = RateLimitCharge(
            "data-key:guesses:192.0.2.1", max: Limits.keyGuessesPerNetworkMax, windowSeconds: 3_600)
        for _ in 0..<Limits.keyGuessesPerNetworkMax - 1 {
            _ = try await stores.rateLimits.spend([bucket], at: bench.now)
        }
        let unused = try await service.create(Secret("1234"), owner: nil, name: nil, from: caller)
        let other = try await service.create(Secret("1234"), owner: nil, name: nil, from: caller)
        for _ in 0..<3 { #expect(try await open(service, key.keyID, "1234") == key.guess) }
        #expect(try await open(service, other.keyID, "0000") == .refused(.wrongSecret(remaining: 2)))
        #expect(try await open(service, unused.keyID, "1234") == .refused(.tooMany(retryAfterSeconds: 3_600)))
        #expect(
            try await stores.dataKeys.key(unused.keyID, realm: "")?.failures == 0, "what was refused was no attempt")
        let elsewhere = KeyService.Caller(realm: "", address: NetworkAddress("198.51.100.7"))
        #expect(
            try await Guess.of { try await service.open(key.keyID, secret: Secret("1234"), from: elsewhere) }
                == key.guess)
        bench.close()
    }

    @Test func `84: whoever knows the secret cannot keep the server hashing either`() async throws {
        let bench = try KeyServiceBench()
        let (service, stores, _) = try bench.server()
        let key = try await service.create(Secret("1234"), owner: nil, name: nil, from: caller)
        let other = try await service.create(Secret("1234"), owner: nil, name: nil, from: caller)
        #expect(
            try await open(service, key.keyID, "1234") == key.guess, "from now on the key pays, and not the network")
        let network = RateLimitCharge(
            "data-key:attempts:192.0.2.1", max: Limits.keyAttemptsPerNetworkMax, windowSeconds: 3_600)
        for _ in 0..<Limits.keyAttemptsPerNetworkMax { _ = try await stores.rateLimits.spend([network], at: bench.now) }
        #expect(try await open(service, other.keyID, "1234") == .refused(.tooMany(retryAfterSeconds: 3_600)))
        let bucket = RateLimitCharge(
            "data-key:attempts:key:\(key.keyID)", max: Limits.keyAttemptsPerKeyMax, windowSeconds: 3_600)
        for _ in 0..<Limits.keyAttemptsPerKeyMax - 2 { _ = try await stores.rateLimits.spend([bucket], at: bench.now) }
        for _ in 0..<2 { #expect(try await open(service, key.keyID, "1234") == key.guess) }
        #expect(try await open(service, key.keyID, "1234") == .refused(.tooMany(retryAfterSeconds: 3_600)))
        let long = try #require(key.longSecret)
        #expect(try await Guess.of { try await service.open(key.keyID, longSecret: long, from: caller) } == key.guess)
        bench.advance(3_600)
        #expect(try await open(service, key.keyID, "1234") == key.guess)
        bench.close()
    }

    @Test func `tables do not only grow: unused keys go, used ones stay`() async throws {
        let bench = try KeyServiceBench()
        let (service, stores, _) = try bench.server(settings: KeyServiceSettings(unusedDays: 200))
        let never = try await service.create(Secret("1234"), owner: nil, name: nil, from: caller)
        let used = try await service.create(Secret("1234"), owner: nil, name: nil, from: caller)
        #expect(try await open(service, used.keyID, "1234") == used.guess)
        bench.advance(Limits.keyNeverUsedSeconds - 1)
        #expect(try await service.removeUnused(limit: 10) == 0)
        bench.advance(1)
        #expect(try await service.removeUnused(limit: 10) == 1)
        #expect(try await stores.dataKeys.key(never.keyID, realm: "") == nil)
        bench.advance(110 * 86_400 - 1)
        #expect(try await service.removeUnused(limit: 10) == 0)
        bench.advance(1)
        #expect(try await service.removeUnused(limit: 10) == 1)
        #expect(try await open(service, used.keyID, "1234") == .refused(.unknownKey))
        bench.close()
    }

    @Test func `an owner's keys end with the owner, and rest while they may not sign in`() async throws {
        let bench = try KeyServiceBench()
        let (service, stores, _) = try bench.server()
        let identifier = try #require(Identifier(loginID: "andy@example.com"))
        let account = Account(
            user: User(id: .make(.live), createdAt: bench.now, updatedAt: bench.now),
            identifiers: [identifier: .verified], passwordHash: nil)
        try await stores.users.create(account)
        let owner = KeyService.Owner(userID: account.user.id, clientID: "app", seesAll: true)
        let key = try await service.create(Secret("1234"), owner: owner, name: nil, from: caller)
        _ = try await stores.users.change(account.user.id, at: bench.now) { $0.user.status = .disabled }
        #expect(try await open(service, key.keyID, "1234") == .refused(.locked))
        let long = try #require(key.longSecret)
        #expect(
            try await Guess.of { try await service.open(key.keyID, longSecret: long, from: caller) }
                == .refused(.locked))
        _ = try await stores.users.change(account.user.id, at: bench.now) { $0.user.status = .active }
        #expect(try await open(service, key.keyID, "1234") == key.guess)
        // The one that was not used for longest gives way to one too many.
        for _ in 1..<Limits.keysPerOwnerMax {
            bench.advance(Limits.keyWindowSeconds)
            _ = try await service.create(Secret("1234"), owner: owner, name: nil, from: caller)
        }
        #expect(try await service.keys(of: owner, in: "").count == Limits.keysPerOwnerMax)
        #expect(try await open(service, key.keyID, "1234") == key.guess)
        bench.advance(1)
        let last = try await service.create(Secret("1234"), owner: owner, name: nil, from: caller)
        let listed = try await service.keys(of: owner, in: "")
        #expect(listed.count == Limits.keysPerOwnerMax && listed.first?.keyID == last.keyID)
        #expect(listed.contains { $0.keyID == key.keyID })
        _ = try await stores.users.delete(account.user.id, at: bench.now)
        #expect(try await open(service, key.keyID, "1234") == .refused(.unknownKey))
        bench.close()
    }

    @Test func `accounts that become one have the keys of both`() async throws {
        let bench = try KeyServiceBench()
        let (service, stores, _) = try bench.server()
        var people: [UserID] = []
        let names = try ["andy@example.com", "bea@example.com"].map { try #require(Identifier(loginID: $0)) }
        for name in names {
            let user = User(id: .make(.live), createdAt: bench.now, updatedAt: bench.now)
            try await stores.users.create(Account(user: user, identifiers: [name: .verified], passwordHash: nil))
            let owner = KeyService.Owner(userID: user.id, clientID: "app", seesAll: true)
            _ = try await service.create(Secret("1234"), owner: owner, name: nil, from: caller)
            people.append(user.id)
        }
        let merged = try await stores.users.merge(
            asking: people[0], existing: people[1], proved: names[1], keeping: .asking, at: bench.now)
        let owner = KeyService.Owner(userID: merged.user.id, clientID: "app", seesAll: true)
        #expect(try await service.keys(of: owner, in: "").count == 2)
        bench.close()
    }
}
