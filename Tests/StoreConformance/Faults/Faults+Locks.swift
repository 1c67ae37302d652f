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

private struct LocklessDatabase: SQLDatabase {
    let database: any SQLDatabase

    var dialect: Dialect { database.dialect }

    nonisolated(nonsending) func read<Value: Sendable>(
        _ view: ReadView, _ body: @escaping @Sendable (SQLSession) throws -> Value
    ) async throws(StoreError) -> Value {
        try await database.read(view, body)
    }

    func once<Value: Sendable>(
        _ durability: Durability, _ body: @escaping @Sendable (SQLSession) throws -> Value
    ) async throws(StoreError) -> Value {
        try await database.once(durability, body)
    }

    func once<Value: Sendable>(
        _ durability: Durability, _ body: @escaping @Sendable (SQLSession) throws -> Value?,
        otherwise rest: @escaping @Sendable (SQLSession) throws -> Value
    ) async throws(StoreError) -> Value {
        try await database.once(durability, body, otherwise: rest)
    }

    func write<Value: Sendable>(
        _ isolation: Isolation, _ body: @escaping @Sendable (SQLSession) throws -> Value
    ) async throws(StoreError) -> Value {
        try await database.write(.guarded, body)
    }

    func walk(_ body: (SQLSession) throws -> Void) throws { try database.walk(body) }
    func close() { database.close() }
}
