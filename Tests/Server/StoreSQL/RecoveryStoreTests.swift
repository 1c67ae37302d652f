import Foundation
import GRDB
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@testable import StoreSQL

@Suite("Recoveries in SQLite: what a refused message leaves, and which rows go")
struct RecoveryStoreTests {
    private static let delay: Int64 = 3_600
    let database: SQLiteDatabase
    let stores: Stores
    let now = UnixTime(rawValue: 1_000_000)
    let user: Account

    init() async throws {
        database = try SQLiteDatabase(path: nil)
        stores = database.stores()
        let identifier = try #require(Identifier(loginID: "andy@example.com"))
        user = Account(
            user: User(id: .make(.live), createdAt: now, updatedAt: now), identifiers: [identifier: .verified],
            passwordHash: "$argon2id$old")
        try await stores.users.create(
            user, authenticator: StoredTOTP(id: [1], sealed: [2], isConfirmed: true, usedStep: -1))
    }

    private func message(_ name: String) -> WaitingMessage {
        WaitingMessage(
            id: MessageID(idempotencyKey: name), kind: .recoveryBegun, channel: .email, sealed: [1], isDecoy: false,
            createdAt: now, expiresAt: now + 86_400)
    }

    private func digest(_ text: String) -> SecretDigest { SecretDigest(of: Secret(text)) }

    private func begin(_ link: String = "link", epoch: Int64? = nil, max: Int64 = 3, at time: UnixTime? = nil)
        async throws -> RecoveryBeginning
    {
        let time = time ?? now
        let current = try await stores.users.account(user.user.id)?.user.epoch ?? -1
        return try await stores.recoveries.begin(
            Recovery(
                userID: user.user.id, begunAt: time, readyAt: time + Self.delay, expiresAt: time + 2 * Self.delay),
            epoch: epoch ?? current, cancelledBy: digest(link),
            charge: RateLimitCharge("recovery", max: max, windowSeconds: 86_400), notices: [message(link)],
            event: AuditEvent(.recoveryBegun, at: time, userID: user.user.id), at: time)
    }

    private func finish(at time: UnixTime, epoch: Int64? = nil) async throws -> Bool {
        let current = try await stores.users.account(user.user.id)?.user.epoch ?? -1
        return try await stores.recoveries.finish(
            user.user.id, epoch: epoch ?? current, notices: [message("finished")],
            event: AuditEvent(.recoveryFinished, at: time, userID: user.user.id), at: time)
    }

    private func events(_ kind: AuditEvent.Kind) async throws -> Int {
        try await stores.audit.newest(limit: 100).count { $0.kind == kind }
    }

    private func tableCount(_ table: String) throws -> Int {
        try database.inspect { try $0.first("SELECT count(*) FROM \(table)", [])?[0] ?? -1 }
    }

    @Test func `nothing begins, and nothing is finished, whose messages cannot be queued`() async throws {
        func refuse(_ sql: String) throws {
            _ = try database.inspect { try $0.run(sql, []) }
        }
        let trigger = "CREATE TRIGGER full BEFORE INSERT ON message BEGIN SELECT RAISE(ABORT, 'full'); END"
        try refuse(trigger)
        await #expect(throws: StoreError.self) { try await begin() }
        #expect(try tableCount("recovery") == 0 && tableCount("budget") == 0)
        #expect(try await events(.recoveryBegun) == 0)
        try refuse("DROP TRIGGER full")
        _ = try await begin()
        try refuse(trigger)
        await #expect(throws: StoreError.self) { try await finish(at: now + Self.delay) }
        #expect(try await stores.users.account(user.user.id)?.hasAuthenticator == true)
        #expect(try tableCount("recovery") == 1)
        try refuse("DROP TRIGGER full")
        #expect(try await finish(at: now + Self.delay))
    }

    @Test func `rows go when they are over, and with their user`() async throws {
        _ = try await begin()
        let new = try #require(Identifier(loginID: "second@example.com"))
        _ = try await stores.users.change(user.user.id, at: now) { $0.identifiers[new] = .verified }
        #expect(try await stores.recoveries.addresses(of: user.user.id, provedAfter: now - 1) == [new])
        #expect(try await stores.recoveries.addresses(of: user.user.id, provedAfter: now) == [])
        #expect(try tableCount("recovery") == 1 && tableCount("new_address") == 1)
        _ = try await stores.maintenance.removeExpired(limit: 10, at: now + 2 * Self.delay)
        #expect(try tableCount("recovery") == 0 && tableCount("new_address") == 1)
        _ = try await stores.maintenance.removeExpired(limit: 10, at: now + Limits.identifierHistorySeconds)
        #expect(try tableCount("new_address") == 0)
        _ = try await begin(max: 9)
        _ = try await stores.users.change(user.user.id, at: now) { $0.identifiers[new] = .unverified }
        _ = try await stores.users.change(user.user.id, at: now) { $0.identifiers[new] = .verified }
        #expect(try tableCount("new_address") == 1, "proved again is proved anew")
        #expect(try await stores.users.delete(user.user.id, at: now))
        #expect(try tableCount("recovery") == 0 && tableCount("new_address") == 0)
    }

    @Test func `a database of the release before keeps its users, and trusts no password that is new`() throws {
        let queue = try DatabaseQueue()
        try queue.writeWithoutTransaction { db in
            try Migrations.apply(Migrations.all.filter { $0.number < 21 }, to: db)
            try db.execute(
                sql: """
                    INSERT INTO user (id, status, claims, created_at, updated_at) VALUES ('u', 'active', '{}', 1, 1);
                    INSERT INTO password_state (user_id, set_at, must_replace) VALUES ('u', 777, 0);
                    """)
            try Migrations.apply(to: db)
            #expect(try Int.fetchOne(db, sql: "SELECT reset_at FROM password_state") == 777)
            #expect(try Int.fetchOne(db, sql: "PRAGMA user_version") == Migrations.all.last?.number)
        }
    }

}

extension RecoveryBeginning {
    fileprivate var isBegun: Bool {
        if case .begun = self { return true }
        return false
    }
}
