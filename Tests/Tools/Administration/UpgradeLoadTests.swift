import Foundation
import GRDB
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Synchronization
import Testing

@testable import StoreSQL
@testable import keyturn

/// `KEYTURN_UPGRADE_GRANTS` is how many grants there are, 4,000 without it: other tests share the database's server.
@Suite("Upgrades while a server answers")
struct UpgradeLoadTests {
    /// What the next two releases could do to the largest table.
    private static func later(_ columnType: String) -> [Migration] {
        let newest = Migrations.newest
        return [
            Migration(number: newest + 1, oldest: newest, sql: "ALTER TABLE grant_ ADD COLUMN later \(columnType)"),
            Migration(
                number: newest + 2, oldest: newest,
                .rows(
                    RowChange(
                        table: "grant_", key: "id", change: "later = created_at", condition: "later IS NULL"))),
            Migration(number: newest + 3, oldest: newest, .index(name: "grant_later", on: "grant_ (later)")),
        ]
    }

    private let grants = Int(ProcessInfo.processInfo.environment["KEYTURN_UPGRADE_GRANTS"] ?? "") ?? 4_000
    private let place: Place

    init() throws {
        place = try Place()
    }

    /// An app that refreshes until the events are over.
    private final class Load: Sendable {
        struct State {
            var token: String?
            var isOver = false
            var refreshes = 0
            var refused: [String] = []
            var longest = Duration.zero
        }
        let state: Mutex<State>

        init(_ token: String?) { state = Mutex(State(token: token)) }

        func run(_ server: TestServer) async throws {
            while !state.withLock({ $0.isOver }) {
                let token = state.withLock { $0.token }
                let begin = ContinuousClock.now
                let answer = try await server.refresh(token, TestClients.web)
                let seconds = begin.duration(to: .now)
                state.withLock {
                    $0.longest = max($0.longest, seconds)
                    if answer.status == 200 { $0.refreshes += 1 } else { $0.refused.append(answer.body) }
                    $0.token = answer.json["refresh_token"]?.stringValue ?? $0.token
                    if $0.refused.count > 3 { $0.isOver = true }
                }
            }
        }
    }

    /// Runs `events` on a thread that may block, while the app refreshes.
    private func during(
        _ what: String, _ load: Load, _ server: TestServer, _ events: @escaping @Sendable () throws -> Void
    ) async throws {
        load.state.withLock { $0.isOver = false }
        async let refreshing: Void = load.run(server)
        let (ends, end) = AsyncStream<Result<Void, any Error>>.makeStream()
        let begin = ContinuousClock.now
        Thread.detachNewThread { end.yield(Result { try events() }) }
        let result = await ends.first { _ in true }
        let took = begin.duration(to: .now)
        load.state.withLock { $0.isOver = true }
        try await refreshing
        try result?.get()
        let state = load.state.withLock { $0 }
        #expect(state.refused == [], "\(what)")
        #expect(state.refreshes > 0)
        guard grants > 4_000 else { return }
        print("\(what): \(took), \(state.refreshes) refreshes so far, the longest \(state.longest)")
    }

    /// A server of the older schema goes on, also when it is started anew.
    private func goesOn(_ database: any SQLDatabase, _ load: Load, _ issuer: String) async throws {
        let server = try await TestServer.start(on: database, issuer: issuer)
        let answer = try await server.refresh(load.state.withLock { $0.token }, TestClients.web)
        #expect(answer.status == 200, "\(answer.body)")
        load.state.withLock { $0.token = answer.json["refresh_token"]?.stringValue }
        await server.stop()
    }

    private func check(_ address: String) throws {
        let run = try place.run("migrate", "--check", "--json", "--database", address, namesDatabase: false)
        let said = try JSONValue(parsing: run.output.utf8)
        #expect(run.status == 0 && said["newer"] == true && said["steps"] == [], "\(run.output)\(run.errors)")
    }

    @Test func `PostgreSQL: no refresh fails, and the older release goes on`() async throws {
        let address = try PostgreSQLServer.shared().makeEmptyDatabase()
        let database = try PostgreSQLDatabase(address)
        let server = try await TestServer.start(on: database, contents: .usual)
        let load = Load(try await server.tokens(TestClients.web).refreshToken)
        let connection = try PostgreSQLConnection(address, defaults: [])
        try connection.script(ManyGrants.sql(grants, .postgreSQL))
        try await during("PostgreSQL", load, server) {
            let steps = PostgreSQLMigrations.all + Self.later("bigint")
            try PostgreSQLMigrations.apply(steps, to: PostgreSQLConnection(address, defaults: []))
        }
        let left = try SQLSession(connection).search("SELECT count(*) AS n FROM grant_ WHERE later IS NULL", [])
        #expect(left.first?["n"] == 0)
        let issuer = server.issuer
        await server.stop()
        database.close()
        try check(address)
        let older = try PostgreSQLDatabase(address)
        try await goesOn(older, load, issuer)
        older.close()
    }

    private func write(_ body: (Database) throws -> Void) throws {
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        let queue = try DatabaseQueue(path: place.database, configuration: configuration)
        defer { try? queue.close() }
        try queue.writeWithoutTransaction(body)
    }

    @Test func `SQLite: no refresh fails, and the older release goes on`() async throws {
        let address = "sqlite:\(place.database)"
        let database = try SQLiteDatabase(path: place.database)
        let server = try await TestServer.start(on: database, contents: .usual)
        let load = Load(try await server.tokens(TestClients.web).refreshToken)
        let issuer = server.issuer
        _ = try database.inspect { try $0.run(ManyGrants.sql(grants, .sqlite), []) }
        try await during("SQLite", load, server) {
            try write { try Migrations.apply(Migrations.all + Self.later("INTEGER"), to: $0) }
        }
        await server.stop()
        database.close()
        try check(address)
        let older = try SQLiteDatabase(path: place.database)
        try await goesOn(older, load, issuer)
        let left = try older.inspect { try $0.search("SELECT count(*) AS n FROM grant_ WHERE later IS NULL", []) }
        #expect(left.first?["n"] == 0)
        older.close()
    }
}
