import Foundation
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Synchronization
import Testing

@testable import StoreSQL

@Suite("PostgreSQL: connections that die")
struct LostConnectionTests {
    private static let charge = RateLimitCharge("limit", max: 1_000_000, windowSeconds: 1_000_000)

    private static func spend(_ stores: Stores, _ sandbox: PostgreSQLSandbox) async throws {
        #expect(try await stores.rateLimits.spend([charge], at: sandbox.now) == nil)
    }

    @Test func `a change whose commit is not answered is made once, and told as made`() async throws {
        let sandbox = try PostgreSQLSandbox()
        // The steps of the schema commit too.
        try sandbox.database().close()
        let proxy = try CuttingProxy(cutting: "COMMIT") { $0 % 4 == 0 }
        let database = try sandbox.database(through: proxy.folder)
        let stores = database.stores()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<60 {
                group.addTask { try await Self.spend(stores, sandbox) }
            }
            try await group.waitForAll()
        }
        #expect(proxy.cuts >= 10)
        #expect(try sandbox.spent("limit") == 60)
        database.close()
    }

    @Test func `a code whose redemption is not answered is redeemed, and is no replay`() async throws {
        let sandbox = try PostgreSQLSandbox()
        let plain = try sandbox.database()
        let user = try await sandbox.user(plain.stores())
        let grant = sandbox.grant(of: user)
        let digest = SecretDigest(of: Secret("code"))
        let conditions = CodeConditions(
            digest: digest, redirectURI: nil, codeChallenge: nil, expiresAt: sandbox.now + 60)
        #expect(try await plain.stores().grants.add(grant, code: conditions, ticket: nil) == .added)
        let proxy = try CuttingProxy(cutting: "COMMIT") { $0 == 1 }
        let database = try sandbox.database(through: proxy.folder)
        let attempt = CodeAttempt(digest: digest, clientID: "web", redirectURI: nil, codeChallenge: nil)
        let answer = try await database.stores().grants.redeem(attempt, idleSeconds: 500, at: sandbox.now)
        guard case .granted(let granted) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(granted.id == grant.id && proxy.cuts == 1)
        #expect(try await plain.stores().grants.isLive(grant.id, at: sandbox.now))
        for each in [plain, database] { each.close() }
    }

    @Test func `a redemption that waits for seconds, while its client asks again elsewhere, ends nothing`() async throws
    {
        let sandbox = try PostgreSQLSandbox()
        let database = try sandbox.database()
        let stores = database.stores()
        let grant = sandbox.grant(of: try await sandbox.user(stores))
        let digest = SecretDigest(of: Secret("code"))
        let conditions = CodeConditions(
            digest: digest, redirectURI: nil, codeChallenge: nil, expiresAt: sandbox.now + 60)
        #expect(try await stores.grants.add(grant, code: conditions, ticket: nil) == .added)
        let attempt = CodeAttempt(digest: digest, clientID: "web", redirectURI: nil, codeChallenge: nil)

        let other = Overtaking(sandbox)
        await other.holds()
        #expect(
            try await stores.grants.redeem(attempt, idleSeconds: 500, at: sandbox.now) == .overtaken)
        #expect(try await stores.grants.isLive(grant.id, at: sandbox.now))
        #expect(
            try await stores.grants.redeem(attempt, idleSeconds: 500, at: sandbox.now) == .replayed(grant.id),
            "one that did not wait")
        #expect(try await !stores.grants.isLive(grant.id, at: sandbox.now))
        database.close()
    }

    @Test func `a refresh that is not answered is run again, and gives the same token`() async throws {
        let sandbox = try PostgreSQLSandbox()
        let plain = try sandbox.database()
        let user = try await sandbox.user(plain.stores())
        let grant = sandbox.grant(of: user)
        #expect(try await plain.stores().grants.open(grant, epoch: 0, endingOthers: false, at: sandbox.now))
        let proxy = try CuttingProxy(cutting: "UPDATE 1") { $0 == 1 }
        let database = try sandbox.database(through: proxy.folder)
        let renewal = try await database.stores().grants.renew(
            grant.id, counter: 0, clientID: "web", keyThumbprint: nil, idleSeconds: 500, at: sandbox.now)
        guard case .repeated(let same, .prompt) = renewal else {
            Issue.record("\(renewal)")
            return
        }
        #expect(same.counter == 1 && proxy.cuts == 1)
        for each in [plain, database] { each.close() }
    }

    @Test func `a proof whose mark is not answered is admitted, and only for the request that brought it`() async throws
    {
        let sandbox = try PostgreSQLSandbox()
        try sandbox.database().close()
        let proxy = try CuttingProxy(cutting: "INSERT 0 1") { $0 == 1 }
        let database = try sandbox.database(through: proxy.folder)
        let mark = ReplayMark(of: [1], expiresAt: sandbox.now + 600)
        #expect(try await database.stores().spent.spend(mark, attempt: [1]))
        #expect(proxy.cuts == 1)
        #expect(try await !database.stores().spent.spend(mark, attempt: [2]))
        database.close()
    }

    @Test func `while connections are ended again and again, every change is made once`() async throws {
        let sandbox = try PostgreSQLSandbox()
        let database = try sandbox.database()
        let stores = database.stores()
        let ending = Task.detached {
            let session = try sandbox.session()
            while !Task.isCancelled {
                _ = try session.search(
                    """
                    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                    WHERE datname = current_database() AND pid <> pg_backend_pid()
                    """, [])
                try? await Task.sleep(for: .milliseconds(30))
            }
        }
        for _ in 0..<5 {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<40 {
                    group.addTask { try await Self.spend(stores, sandbox) }
                }
                try await group.waitForAll()
            }
        }
        ending.cancel()
        _ = await ending.result
        #expect(try sandbox.spent("limit") == 200)
        database.close()
    }

    @Test func `no other caller gets a transaction that could not be undone`() async throws {
        let sandbox = try PostgreSQLSandbox()
        let database = try sandbox.database()
        let user = try await sandbox.user(database.stores())
        let other = try sandbox.connection()
        try other.begin(.locking([.user(user, shared: false)]))
        try other.fly()
        // The body throws before anything was sent: the lock flies with the ROLLBACK, and times out.
        await #expect(throws: StoreError.self) {
            try await database.write(.changing(user)) { _ throws -> Int in throw SQLProblem.noRow }
        }
        try other.rollBack()
        #expect(try await database.stores().users.account(user) != nil)
        database.close()
    }

    @Test func `a mark says what became of a commit, and keeps one that did not happen from happening`() throws {
        let sandbox = try PostgreSQLSandbox()
        try sandbox.database().close()
        let (writer, asker) = (try sandbox.connection(), try sandbox.connection())
        let committed = CommitMark()
        try writer.begin(.guarded)
        try writer.commit(marking: committed)
        for _ in 0..<2 { #expect(try committed.isCommitted(asker)) }

        let waiting = CommitMark()
        try writer.begin(.guarded)
        for _ in 0..<2 { #expect(try !waiting.isCommitted(asker), "also when the answer to the question was lost") }
        #expect(throws: PostgreSQLProblem.self) { try writer.commit(marking: waiting) }
    }

    @Test func `the question waits for a commit that is under way`() async throws {
        let sandbox = try PostgreSQLSandbox()
        try sandbox.database().close()
        let mark = CommitMark()
        let writer = try sandbox.connection()
        try writer.begin(.guarded)
        try writer.queue(CommitMark.insertion, [mark.id], isKept: true)
        try writer.fly()
        async let answer = Task.detached { try mark.isCommitted(sandbox.connection()) }.value
        try await Task.sleep(for: .milliseconds(200))
        try writer.commit(marking: nil)
        #expect(try await answer)
    }
}

/// Redeems every code, in a transaction that ends when another one has waited for it for long enough. On a thread of its
/// own: those of tasks may be busy for longer than a server waits.
private final class Overtaking: Sendable {
    private let isHolding = Mutex(false)

    init(_ sandbox: PostgreSQLSandbox) {
        Thread.detachNewThread {
            do { try self.run(sandbox) } catch { Issue.record(error) }
        }
    }

    func holds() async {
        while !isHolding.withLock({ $0 }) { try? await Task.sleep(for: .milliseconds(5)) }
    }

    private func run(_ sandbox: PostgreSQLSandbox) throws {
        let (own, watcher) = (try sandbox.connection(), try sandbox.session())
        try own.begin(.guarded)
        try SQLSession(own).run("UPDATE grant_ SET redeemed_at = ?1", [sandbox.now.rawValue])
        isHolding.withLock { $0 = true }
        let waiting = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        var looks = 0
        while try watcher.first(waiting, []) == nil, looks < 1_000 {
            looks += 1
            Thread.sleep(forTimeInterval: 0.02)
        }
        Thread.sleep(forTimeInterval: Limits.redemptionWaitMax / .seconds(1) + 0.5)
        try own.commit(marking: nil)
    }
}
