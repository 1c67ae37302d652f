import KeyturnBase
import Model
import ServerTesting
import Testing

@Suite("Store: tokens of providers")
struct ProviderTokenTests {
    private static let key = FederatedIdentity.Key(
        connectionID: "c", issuer: "https://provider.example", subject: "s")

    private func linked(_ bench: Bench) async throws -> Account {
        let account = try await bench.user()
        let identity = FederatedIdentity(
            key: Self.key, userID: account.user.id, linkedAt: bench.now, usedAt: bench.now)
        #expect(try await bench.stores.identities.link(identity, epoch: account.user.epoch) == .linked)
        return account
    }

    @Test(arguments: Engines.all)
    func `tokens belong to an identity, and are replaced only by who knows them`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let tokens = bench.stores.providerTokens
        let first = StoredProviderTokens(key: Self.key, sealed: [1])
        #expect(try await !tokens.keep(first))
        _ = try await linked(bench)
        #expect(try await tokens.keep(first))
        #expect(try await tokens.tokens(of: Self.key) == first)
        let won = try await bench.race { stores, number in
            try await stores.providerTokens.replace(first, by: [2, UInt8(number % 250)])
        }
        #expect(won.count { $0 } == 1)
        let present = try #require(try await tokens.tokens(of: Self.key))
        #expect(present.sealed.first == 2)
        #expect(try await tokens.keep(StoredProviderTokens(key: Self.key, sealed: [3])))
        try await tokens.remove(present)
        #expect(try await tokens.tokens(of: Self.key)?.sealed == [3])
        #expect(try await tokens.ended(limit: 9, leaseSeconds: 60, at: bench.now).isEmpty)
        try await tokens.remove(StoredProviderTokens(key: Self.key, sealed: [3]))
        #expect(try await tokens.tokens(of: Self.key) == nil)
    }

    @Test(arguments: Engines.all)
    func `tokens of a user who goes wait to be revoked, one process at a time`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let tokens = bench.stores.providerTokens
        let account = try await linked(bench)
        let kept = StoredProviderTokens(key: Self.key, sealed: [7])
        #expect(try await tokens.keep(kept))
        #expect(try await bench.stores.users.delete(account.user.id, at: bench.now))
        #expect(try await tokens.tokens(of: Self.key) == nil)
        #expect(try await !tokens.replace(kept, by: [8]))
        let taken = try await bench.race { stores, _ in
            try await stores.providerTokens.ended(limit: 9, leaseSeconds: 60, at: bench.now)
        }
        #expect(taken.flatMap(\.self) == [EndedProviderTokens(tokens: kept, attempts: 1)])
        #expect(try await tokens.ended(limit: 9, leaseSeconds: 60, at: bench.now + 59).isEmpty)
        let again = try await tokens.ended(limit: 9, leaseSeconds: 60, at: bench.now + 60)
        #expect(again == [EndedProviderTokens(tokens: kept, attempts: 2)])
        try await tokens.remove(kept)
        #expect(try await tokens.ended(limit: 9, leaseSeconds: 60, at: bench.now + 900).isEmpty)
    }

    @Test(arguments: Engines.all)
    func `tokens of an identity that is unlinked wait as well, until it is linked again`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let tokens = bench.stores.providerTokens
        let account = try await linked(bench)
        #expect(try await tokens.keep(StoredProviderTokens(key: Self.key, sealed: [7])))
        #expect(
            try await bench.stores.identities.unlink(
                Self.key, of: account.user.id, leaving: .messages, at: bench.now) == .unlinked)
        #expect(try await tokens.tokens(of: Self.key) == nil)
        let identity = FederatedIdentity(
            key: Self.key, userID: account.user.id, linkedAt: bench.now, usedAt: bench.now)
        #expect(try await bench.stores.identities.link(identity, epoch: account.user.epoch) == .linked)
        #expect(try await tokens.keep(StoredProviderTokens(key: Self.key, sealed: [8])))
        #expect(try await tokens.tokens(of: Self.key)?.sealed == [8])
        #expect(try await tokens.ended(limit: 9, leaseSeconds: 60, at: bench.now).isEmpty)
    }
}
