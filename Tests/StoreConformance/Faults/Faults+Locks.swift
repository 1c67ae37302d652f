import Foundation
import Model

@testable import StoreSQL

extension Fault {
    /// Locks that are taken away: what SQLite never needs, PostgreSQL must be told.
    static let locks = [
        Fault("requests of a user are counted without a lock", on: LocklessPostgreSQL(), plant: { $0 }) {
            try await BackchannelTests()
                .`of a hundred requests at once five are shown, and the others wait for no user`($0)
        },
        Fault("keys of one name are made without a lock", on: LocklessPostgreSQL(), plant: { $0 }) {
            try await DataKeyTests().`of a hundred requests of one name one makes a key, for a day`($0)
        },
    ]
}

/// PostgreSQL whose transactions take no locks.
private struct LocklessPostgreSQL: Engine {
    let isDurable = true
    let isFillable = false
    var testDescription: String { "PostgreSQL without locks" }

    func makeDatabase() async throws -> any TestDatabase {
        try PostgreSQLTestDatabase(PostgreSQLDatabases.shared.take()) { LocklessDatabase(database: $0) }
    }
}

private struct LocklessDatabase: ForwardingDatabase {
    let database: any SQLDatabase

    func write<Value: Sendable>(
        _ isolation: Isolation, _ body: @escaping @Sendable (SQLSession) throws -> Value
    ) async throws(StoreError) -> Value {
        // Long enough for others to look before it is committed.
        try await database.write(.guarded) { db in
            let value = try body(db)
            Thread.sleep(forTimeInterval: 0.02)
            return value
        }
    }
}
