import Foundation
import GRDB
import KeyturnBase
import KeyturnWire
import Model
import Testing

@testable import StoreSQL

@Suite("Recoveries in the database")
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
            user, authenticator: StoredAuthenticator(id: [1], sealed: [2], isConfirmed: true, usedStep: -1))
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
            charge: BudgetCharge("recovery", max: max, windowSeconds: 86_400), notices: [message(link)],
            event: AuditEvent(.recoveryBegun, at: time, userID: user.user.id), at: time)
    }

    private func finish(at time: UnixTime, epoch: Int64? = nil) async throws -> Bool {
        let current = try await stores.users.account(user.user.id)?.user.epoch ?? -1
        return try await stores.recoveries.finish(
            user.user.id, epoch: epoch ?? current, notices: [message("finished")],
            event: AuditEvent(.recoveryFinished, at: time, userID: user.user.id), at: time)
    }

    private func messages() async throws -> Int { try await stores.messages.newest(limit: 100).count }

    private func events(_ kind: AuditEvent.Kind) async throws -> Int {
        try await stores.audit.newest(limit: 100).count { $0.kind == kind }
    }

    private func tableCount(_ table: String) throws -> Int {
        try database.connection.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") ?? -1 }
    }

    @Test func `one can be finished from the second that it is ready, and not in that of its end`() async throws {
        #expect(try await begin().isBegun)
        #expect(try await !finish(at: now + Self.delay - 1))
        #expect(try await !finish(at: now + 2 * Self.delay))
        #expect(try await !finish(at: now + Self.delay, epoch: 7))
        #expect(try await messages() == 1)
        #expect(try await events(.recoveryFinished) == 0)
        #expect(try await finish(at: now + Self.delay))
        let account = try #require(try await stores.users.account(user.user.id))
        #expect(!account.hasAuthenticator && account.user.epoch == 1)
        #expect(try await !finish(at: now + Self.delay), "once")
        #expect(try await messages() == 2)
        #expect(try await events(.recoveryFinished) == 1)
        #expect(try await events(.recoveryCancelled) == 0)
    }

    @Test(arguments: [16, 100])
    func `86: of many that begin one does, and of many that finish one does`(_ count: Int) async throws {
        let begun = try await withThrowingTaskGroup(of: RecoveryBeginning.self) { group in
            for number in 0..<count { group.addTask { try await begin("link \(number)") } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(begun.count(where: \.isBegun) == 1)
        #expect(begun.count { if case .underWay = $0 { true } else { false } } == count - 1)
        #expect(try await messages() == 1)
        #expect(try await events(.recoveryBegun) == 1)
        let finished = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<count { group.addTask { try await finish(at: now + Self.delay, epoch: 0) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(finished.count { $0 } == 1)
        #expect(try await messages() == 2)
        #expect(try await events(.recoveryFinished) == 1)
    }

    @Test func `nothing begins, and nothing is finished, whose messages cannot be queued`() async throws {
        func refuse(_ sql: String) throws {
            try database.connection.writeWithoutTransaction { try $0.execute(sql: sql) }
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

    @Test func `so many begin in a week, and what is refused pays nothing`() async throws {
        for number in 0..<3 {
            #expect(try await begin("link \(number)").isBegun)
            _ = try await begin("link \(number)")
            _ = try await stores.passwords.set(
                PasswordChange(user.user.id, hash: "$argon2id$\(number)", origin: .strong, historyMax: 0), at: now)
        }
        #expect(try await begin("link 4") == .tooMany(until: now + 86_400))
        #expect(try await messages() == 3)
        #expect(try await events(.recoveryCancelled) == 3)
        #expect(try await begin("link 4", at: now + 86_400).isBegun)
    }

    @Test func `what was proved in another epoch, or without a factor to remove, begins nothing`() async throws {
        #expect(try await begin(epoch: 1) == .overtaken)
        _ = try await stores.authenticators.removeAll(of: user.user.id, at: now)
        #expect(try await begin() == .overtaken)
        #expect(try await messages() == 0)
    }

    @Test func `a link cancels once, and is remembered for the pause`() async throws {
        _ = try await begin()
        #expect(try await stores.recoveries.describe(digest("other"), at: now) == nil)
        #expect(try await !stores.recoveries.cancel(digest("other"), from: nil, at: now))
        #expect(try await stores.recoveries.cancel(digest("link"), from: "192.0.2.1", at: now + 60))
        #expect(try await !stores.recoveries.cancel(digest("link"), from: nil, at: now + 60))
        #expect(try await stores.recoveries.describe(digest("link"), at: now + 60) == .cancelled)
        #expect(try await !finish(at: now + Self.delay))
        let end = now + 60 + Limits.recoveryPauseSeconds
        #expect(try await begin("next", at: end - 1) == .paused(until: end))
        let event = try await stores.audit.newest(limit: 10).first { $0.kind == .recoveryCancelled }
        #expect(event?.reason == "link" && event?.address == "192.0.2.1" && event?.userID == user.user.id)
        #expect(try await begin("next", at: end).isBegun)
        #expect(try await stores.recoveries.describe(digest("link"), at: end) == nil)
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
        _ = try await stores.maintenance.removeExpired(limit: 10, at: now + Limits.recoveryProofAgeSeconds)
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

    @Test func `a password keeps its origin until a second factor stands for another one`() async throws {
        func set(_ origin: PasswordChange.Origin, at time: UnixTime) async throws -> UnixTime? {
            let change = PasswordChange(
                user.user.id, hash: "$argon2id$\(time.rawValue)", origin: origin, historyMax: 0)
            #expect(try await stores.passwords.set(change, at: time))
            return try await stores.passwords.state(of: user.user.id).resetAt
        }
        #expect(try await set(.formerPassword, at: now) == nil)
        #expect(try await set(.address, at: now + 1) == now + 1)
        #expect(try await set(.formerPassword, at: now + 2) == now + 1)
        #expect(try await set(.strong, at: now + 3) == nil)
    }
}

extension RecoveryBeginning {
    fileprivate var isBegun: Bool {
        if case .begun = self { return true }
        return false
    }
}
