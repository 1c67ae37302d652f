import Foundation
import GRDB
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@testable import StoreSQL

@Suite("SQLite: two releases on one file")
struct DowngradeTests {
    private static var newest: Int { Migrations.newest }

    /// What the next release could add.
    private static let expansion = Migration(
        number: newest + 1, oldest: newest,
        sql: """
            ALTER TABLE grant_ ADD COLUMN later TEXT;
            ALTER TABLE "user" ADD COLUMN later INTEGER NOT NULL DEFAULT 0;
            CREATE TABLE later (id BLOB PRIMARY KEY) STRICT;
            """)
    /// What the release after it could take away.
    private static let contraction = Migration(
        number: newest + 2, oldest: newest + 1, sql: "ALTER TABLE grant_ DROP COLUMN late_retry_at")
    /// A step that would let too many go on.
    private static let careless = Migration(number: newest + 3, oldest: newest, sql: "DROP TABLE later")

    private let path: String
    private let now = UnixTime(rawValue: 1_000_000)

    init() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("keyturn-\(Ambient.live.randomToken())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.appendingPathComponent("test.db").path
    }

    private func migrate(_ more: Migration...) throws {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        try queue.writeWithoutTransaction { try Migrations.apply(Migrations.all + more, to: $0) }
    }

    private func version() throws -> SchemaVersion {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try queue.read { try Migrations.version(of: $0) }
    }

    private func refresh(_ grant: GrantID, _ counter: Int64, _ database: SQLiteDatabase) async throws {
        let renewal = try await database.stores().grants.renew(
            grant, counter: counter, clientID: "web", keyThumbprint: nil, idleSeconds: 500, at: now)
        guard case .renewed = renewal else {
            Issue.record("\(renewal)")
            return
        }
    }

    @Test func `servers go on, and can be started, on what the next release has migrated`() async throws {
        let database = try SQLiteDatabase(path: path)
        let user = User(id: .make(.live), createdAt: now, updatedAt: now)
        try await database.stores().users.create(Account(user: user, identifiers: [:], passwordHash: nil))
        let grant = Grant(
            id: .make(.live), clientID: "web", userID: user.id, sessionID: nil, scope: Scope(names: ["openid"]),
            resources: [], authentication: .password(at: now), nonce: nil, claimsRequest: nil, createdAt: now,
            idleExpiresAt: now + 1_000, absoluteExpiresAt: now + 10_000)
        #expect(try await database.stores().grants.open(grant, epoch: 0, endingOthers: false, at: now))
        try await refresh(grant.id, 0, database)

        try migrate(Self.expansion)
        try await refresh(grant.id, 1, database)
        database.close()
        let downgraded = try SQLiteDatabase(path: path)
        try await refresh(grant.id, 2, downgraded)
        #expect(try await downgraded.stores().users.account(user.id) != nil)
        downgraded.close()
        #expect(try version() == SchemaVersion(number: Self.newest + 1, oldest: Self.newest))
        let pending = try PendingSteps(path: path)
        #expect(pending.isNewer && pending.steps.isEmpty && pending.present == Self.newest + 1)
        #expect(try DatabaseInspection.check(path).schema == Self.newest + 1)

        let elsewhere = DatabaseSide.sqlite(path: path + ".copy")
        let refusal = CopyProblem.notOpened(.from, .newer(version: Self.newest + 1))
        #expect(throws: refusal) { try DatabaseCopy(from: .sqlite(path: path), to: elsewhere) { _ in }.run() }
    }

    @Test func `the release before the last one is refused, and no later step lets it in again`() throws {
        try migrate(Self.expansion, Self.contraction)
        let refusal = OpenProblem.newer(version: Self.newest + 2)
        #expect(throws: refusal) { try SQLiteDatabase(path: path) }
        #expect(throws: refusal) { try PendingSteps(path: path) }
        #expect(throws: BackupProblem.notOpened(refusal)) { try DatabaseInspection.check(path) }
        try migrate(Self.expansion, Self.contraction, Self.careless)
        #expect(try version() == SchemaVersion(number: Self.newest + 3, oldest: Self.newest + 1))
        #expect(throws: OpenProblem.newer(version: Self.newest + 3)) { try SQLiteDatabase(path: path) }
    }

    @Test func `a database in memory has the same, and an unfinished copy keeps it`() throws {
        let memory = try SQLiteDatabase(path: nil)
        let number = try memory.inspect { try $0.first("PRAGMA application_id", [])?[0] as Int64? }
        memory.close()
        try migrate(Self.expansion)
        try SQLiteWholeDatabase.write(path) { try $0.setUnfinished(true) }
        #expect(try version() == SchemaVersion(number: -Self.newest - 1, oldest: Self.newest))
        #expect(throws: OpenProblem.unfinishedCopy) { try SQLiteDatabase(path: path) }
        #expect(throws: BackupProblem.unfinishedCopy) { try DatabaseInspection.check(path) }
        try SQLiteWholeDatabase.write(path) { try $0.setUnfinished(false) }
        #expect(try version() == SchemaVersion(number: Self.newest + 1, oldest: Self.newest))
        try SQLiteDatabase(path: path).close()
        let oldest = try #require(Migrations.all.last?.oldest)
        #expect(number == Int64(0x4B << 24 | Self.newest << 12 | oldest))
    }

    @Test func `a file without the mark, or with one of another number, is for releases of its own schema`() throws {
        try migrate(Self.expansion)
        for sql in ["PRAGMA user_version = \(Self.newest + 2)", "PRAGMA application_id = 0"] {
            let queue = try DatabaseQueue(path: path)
            try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
            try queue.close()
            #expect(throws: OpenProblem.newer(version: Self.newest + 2)) { try SQLiteDatabase(path: path) }
        }
    }
}
