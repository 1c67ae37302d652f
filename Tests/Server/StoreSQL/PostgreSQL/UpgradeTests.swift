import Foundation
import KeyturnBase
import Model
import Testing

@testable import StoreSQL

@Suite("PostgreSQL: two releases on one database")
struct UpgradeTests {
    private static var newest: Int { PostgreSQLMigrations.all.last?.number ?? 0 }

    /// What the next release could add.
    private static let expansion = Migration(
        number: newest + 1, oldest: newest,
        sql: """
            ALTER TABLE grant_ ADD COLUMN later text;
            ALTER TABLE "user" ADD COLUMN later bigint NOT NULL DEFAULT 0;
            CREATE TABLE later (id bytea PRIMARY KEY);
            """)
    /// What the release after it could take away.
    private static let contraction = Migration(number: newest + 2, sql: "ALTER TABLE grant_ DROP COLUMN late_retry_at")

    private func refresh(_ grant: Grant, _ counter: Int64, _ database: PostgreSQLDatabase, at now: UnixTime)
        async throws
    {
        let renewal = try await database.stores().grants.renew(
            grant.id, counter: counter, clientID: "web", keyThumbprint: nil, idleSeconds: 500, at: now)
        guard case .renewed = renewal else {
            Issue.record("\(renewal)")
            return
        }
    }

    @Test func `servers go on, and can be restarted, beside the next release, and not beside the one after it`()
        async throws
    {
        let sandbox = try PostgreSQLSandbox()
        let database = try sandbox.database()
        let user = try await sandbox.user(database.stores())
        let grant = sandbox.grant(of: user)
        #expect(try await database.stores().grants.open(grant, epoch: 0, endingOthers: false, at: sandbox.now))
        // Prepares the statements that the new columns could spoil.
        try await refresh(grant, 0, database, at: sandbox.now)
        _ = try await database.stores().users.account(user)

        let steps = PostgreSQLMigrations.all + [Self.expansion]
        try PostgreSQLMigrations.apply(steps, to: sandbox.connection())
        try await refresh(grant, 1, database, at: sandbox.now)
        #expect(try await database.stores().users.account(user) != nil)
        let restarted = try sandbox.database()
        try await refresh(grant, 2, restarted, at: sandbox.now)
        let pending = try PendingSteps(postgreSQL: sandbox.address())
        #expect(pending.steps.isEmpty && pending.present == Self.newest + 1 && pending.isRolling)

        try PostgreSQLMigrations.apply(steps + [Self.contraction], to: sandbox.connection())
        #expect(throws: OpenProblem.newer(version: Self.newest + 2)) { try sandbox.database() }
        #expect(throws: OpenProblem.newer(version: Self.newest + 2)) {
            try PendingSteps(postgreSQL: sandbox.address())
        }
        for each in [database, restarted] { each.close() }
    }

    @Test func `a database of the first release is brought up to date, and says before what that means`() throws {
        let sandbox = try PostgreSQLSandbox()
        try PostgreSQLMigrations.apply([PostgreSQLMigrations.all[0]], to: sandbox.connection())
        let before = try PendingSteps(postgreSQL: sandbox.address())
        #expect(before.present == Baseline.number && before.newest == Self.newest)
        #expect(before.steps == Array((Baseline.number + 1)...Self.newest))
        #expect(!before.isRolling, "one release beside another is promised, not any beside any")
        try PostgreSQLMigrations.apply(PostgreSQLMigrations.all.dropLast(), to: sandbox.connection())
        #expect(try PendingSteps(postgreSQL: sandbox.address()).isRolling)
        try sandbox.database().close()
        #expect(try PendingSteps(postgreSQL: sandbox.address()).steps.isEmpty)
    }

    @Test func `a step waits for a long reader by trying again, and nobody waits behind it`() async throws {
        let sandbox = try PostgreSQLSandbox()
        let database = try sandbox.database()
        let user = try await sandbox.user(database.stores())
        let reader = try sandbox.connection()
        try reader.beginSnapshot()
        _ = try SQLSession(reader).all("SELECT id FROM \"user\"", [])
        let (ends, end) = AsyncStream<Result<Void, any Error>>.makeStream()
        // It waits by sleeping, which no thread of the tasks may do.
        Thread.detachNewThread {
            let steps = PostgreSQLMigrations.all + [Self.expansion]
            end.yield(Result { try PostgreSQLMigrations.apply(steps, to: sandbox.connection()) })
        }
        // Each of them would wait for as long as the reader reads, behind a step that waited as long.
        for _ in 0..<20 {
            #expect(try await database.stores().users.account(user) != nil)
            try await Task.sleep(for: .milliseconds(30))
        }
        #expect(try PendingSteps(postgreSQL: sandbox.address()).present == Self.newest, "the reader still reads")
        try reader.rollBack()
        try await ends.first { _ in true }?.get()
        #expect(try PendingSteps(postgreSQL: sandbox.address()).present == Self.newest + 1)
        database.close()
    }
}
