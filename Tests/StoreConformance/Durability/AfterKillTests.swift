import KeyturnBase
import Model
import ServerTesting
import Synchronization
import Testing

@Suite("Store: what is there after a kill")
struct AfterKillTests {
    /// Users whose writes were acknowledged.
    private final class Acknowledged: Sendable {
        private let accounts = Mutex<[Account]>([])

        var all: [Account] { accounts.withLock { $0 } }

        func add(_ account: Account) { accounts.withLock { $0.append(account) } }
    }

    @Test(arguments: Engines.durable)
    func `what was acknowledged while others were written is there, and each write is whole`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let acknowledged = Acknowledged()
        let killed = try await withThrowingTaskGroup(of: (any TestDatabase)?.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let account = try bench.account("user\(number)@example.com", "user\(number)", hash: "$x")
                    let app = bench.authenticator("app \(number)", isConfirmed: true)
                    let node = bench.database.nodes[number % bench.database.nodes.count]
                    try await node.stores.users.create(account, authenticator: app)
                    acknowledged.add(account)
                    return nil
                }
            }
            group.addTask {
                while acknowledged.all.count < 50 { await Task.yield() }
                let before = acknowledged.all
                let killed = try await bench.database.afterKill()
                let after = Bench(on: killed)
                for account in before {
                    let read = try await after.stores.users.account(account.user.id)
                    #expect(read?.identifiers == account.identifiers && read?.hasAuthenticator == true)
                }
                return killed
            }
            return try await group.reduce(nil) { $0 ?? $1 }
        }
        let database = try #require(killed)
        for account in try await Bench(on: database).stores.users.accounts(after: nil, limit: 999) {
            #expect(account.identifiers.count == 2 && account.passwordHash == "$x" && account.hasAuthenticator)
        }
    }

    @Test(arguments: Engines.durable)
    func `what was used once before is used after`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let now = bench.now
        let andy = try await bench.user()
        let grant = try await bench.redeemedGrant(of: andy)
        #expect(try await bench.renew(grant, counter: 0).counter == 1)
        #expect(try await bench.stores.spent.spend(bench.mark("one")))
        #expect(try await bench.stores.rateLimits.spend([bench.charge("budget", max: 1)], at: now) == nil)
        _ = try await bench.stores.dataKeys.add(bench.dataKey(), name: nil, at: now)
        _ = try await bench.begin()
        try await bench.stores.messages.enqueue(bench.message("one"))
        #expect(try await bench.stores.messages.claim(limit: 1, leaseSeconds: 120, at: now).count == 1)

        let after = Bench(on: try await bench.database.afterKill())
        let replay = try await after.stores.grants.redeem(after.attempt(), idleSeconds: 500, at: now)
        #expect(replay == .replayed(grant.id))
        #expect(try await !after.stores.spent.spend(after.mark("one")))
        #expect(try await after.stores.rateLimits.spend([after.charge("budget", max: 1)], at: now) != nil)
        #expect(try await after.stores.dataKeys.begin("key", realm: "", charges: [], at: now) == .busy)
        #expect(try await after.stores.dataKeys.key("key", realm: "")?.failures == 1, "counted before it was compared")
        #expect(try await after.stores.messages.claim(limit: 1, leaseSeconds: 120, at: now).isEmpty)
    }

    @Test(arguments: Engines.durable)
    func `what was revoked before stays revoked after`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        let grant = try await bench.openGrant(of: andy)
        try await bench.openSession(of: andy)
        #expect(try await bench.stores.grants.endEverything(of: andy.user.id, reason: .logout, at: bench.now) == 1)
        let after = Bench(on: try await bench.database.afterKill())
        #expect(try await !after.isAlive(grant))
        #expect(try await !after.isAlive(session: "session"))
        #expect(try await !after.stores.grants.open(grant, epoch: 0, endingOthers: false, at: bench.now))
    }
}
