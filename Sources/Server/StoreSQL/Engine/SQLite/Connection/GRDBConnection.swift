internal import Foundation
internal import GRDB
internal import Model

extension Database: SQLConnection {
    var changes: Int { totalChangesCount }
    /// There is one writer.
    var takesLocks: Bool { false }

    func hold(_ locks: [SQLLock]) throws(StoreError) {}

    @discardableResult
    func run(_ sql: String, _ values: Values) throws(StoreError) -> Int {
        do {
            try cachedStatement(sql: sql).execute(arguments: Self.bound(values))
            return changesCount
        } catch {
            throw StoreError(translating: error)
        }
    }

    func send(_ sql: String, _ values: Values) throws(StoreError) {
        try run(sql, values)
    }

    func first(_ sql: String, _ values: Values) throws(StoreError) -> SQLRow? {
        do {
            return try Row.fetchOne(cachedStatement(sql: sql), arguments: Self.bound(values)).map { SQLRow(cells: $0) }
        } catch {
            throw StoreError(translating: error)
        }
    }

    func all(_ sql: String, _ values: Values) throws(StoreError) -> [SQLRow] {
        do {
            return try Self.rows(cachedStatement(sql: sql), values)
        } catch {
            throw StoreError(translating: error)
        }
    }

    func search(_ sql: String, _ values: Values) throws(StoreError) -> [SQLRow] {
        do {
            return try Self.rows(makeStatement(sql: sql), values)
        } catch {
            throw StoreError(translating: error)
        }
    }

    func each(_ sql: String, _ values: Values, _ body: (SQLRow) throws -> Void) throws {
        do {
            let rows = try Row.fetchCursor(self, sql: sql, arguments: Self.bound(values))
            while let row = try rows.next() { try body(SQLRow(cells: row)) }
        } catch let error as DatabaseError {
            throw StoreError(translating: error)
        }
    }

    private static func rows(_ statement: Statement, _ values: Values) throws -> [SQLRow] {
        var result: [SQLRow] = []
        let rows = try Row.fetchCursor(statement, arguments: bound(values))
        // The cursor reuses its one row.
        while let row = try rows.next() { result.append(SQLRow(cells: row.copy())) }
        return result
    }

    private static func bound(_ values: Values) -> StatementArguments {
        StatementArguments(values.map { DatabaseValue($0.binding) })
    }
}

extension DatabaseValue {
    /// SQLite's interface would cut a text at its first zero byte, so that two names could be confused. Such a text is
    /// bound as bytes: it equals no text, and no text column accepts it.
    fileprivate init(_ binding: SQLBinding) {
        self =
            switch binding {
            case .null: .null
            case .text(let text): text.utf8.contains(0) ? Data(text.utf8).databaseValue : text.databaseValue
            case .integer(let number): number.databaseValue
            case .bytes(let bytes): bytes.databaseValue
            case .real(let number): number.databaseValue
            }
    }
}

extension SQLSession {
    init(_ database: Database) {
        self.init(dialect: .sqlite, connection: database)
    }
}

extension Row: SQLCells {
    func text(_ column: Int) -> String? { self[column] }
    func text(_ column: String) -> String? { self[column] }
    func integer(_ column: Int) -> Int64? { self[column] }
    func integer(_ column: String) -> Int64? { self[column] }
    func bytes(_ column: Int) -> Data? { self[column] }
    func bytes(_ column: String) -> Data? { self[column] }
}
