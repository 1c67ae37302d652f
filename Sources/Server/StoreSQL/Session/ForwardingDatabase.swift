package import KeyturnBase
package import Model

/// A database in front of another one, which it asks for all that its own type does not do itself.
package protocol ForwardingDatabase: SQLDatabase {
    var database: any SQLDatabase { get }
}

extension ForwardingDatabase {
    package var dialect: Dialect { database.dialect }

    package nonisolated(nonsending) func read<Value: Sendable>(
        _ view: ReadView, _ body: @escaping @Sendable (SQLSession) throws -> Value
    ) async throws(StoreError) -> Value {
        try await database.read(view, body)
    }

    package func once<Value: Sendable>(
        _ durability: Durability, _ body: @escaping @Sendable (SQLSession) throws -> Value
    ) async throws(StoreError) -> Value {
        try await database.once(durability, body)
    }

    package func once<Value: Sendable>(
        _ durability: Durability, _ body: @escaping @Sendable (SQLSession) throws -> Value?,
        otherwise rest: @escaping @Sendable (SQLSession) throws -> Value
    ) async throws(StoreError) -> Value {
        try await database.once(durability, body, otherwise: rest)
    }

    package func write<Value: Sendable>(
        _ isolation: Isolation, _ body: @escaping @Sendable (SQLSession) throws -> Value
    ) async throws(StoreError) -> Value {
        try await database.write(isolation, body)
    }

    package func walk(_ body: (SQLSession) throws -> Void) throws { try database.walk(body) }

    package func keepAuditMonths(since oldest: UnixTime, at now: UnixTime) async throws(StoreError) -> UnixTime {
        try await database.keepAuditMonths(since: oldest, at: now)
    }

    package func hurry() { database.hurry() }

    package func close() { database.close() }
}
