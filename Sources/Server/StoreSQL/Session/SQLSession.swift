internal import Model

/// One connection while a body runs. Its statements throw ``StoreError``.
package struct SQLSession {
    let dialect: Dialect
    let connection: any SQLConnection

    /// Executes a statement that is prepared once for each connection.
    ///
    /// - Returns: how many rows it changed.
    @discardableResult
    func run(_ sql: String, _ values: Values) throws(StoreError) -> Int {
        try connection.run(sql, values)
    }

    /// Executes a statement whose count of rows does not matter, in a transaction. PostgreSQL gets it together with the
    /// next statement or the commit, which also throw what becomes of it.
    func send(_ sql: String, _ values: Values) throws(StoreError) {
        try connection.send(sql, values)
    }

    /// The first row, from a statement that is prepared once for each connection.
    func first(_ sql: String, _ values: Values) throws(StoreError) -> SQLRow? {
        try connection.first(sql, values)
    }

    /// Every row, from a statement that is prepared once for each connection.
    func all(_ sql: String, _ values: Values) throws(StoreError) -> [SQLRow] {
        try connection.all(sql, values)
    }

    /// Every row, from a statement that is built for one use.
    func search(_ sql: String, _ values: Values) throws(StoreError) -> [SQLRow] {
        try connection.search(sql, values)
    }

    /// Passes one row after the other to `body`; memory stays bounded.
    ///
    /// - Throws: ``StoreError``, and what `body` throws, which ends it.
    func each(_ sql: String, _ values: Values, _ body: (SQLRow) throws -> Void) throws {
        try connection.each(sql, values, body)
    }

    /// Takes locks in the middle of a transaction, for rows that were not known before. No effect on SQLite.
    func hold(_ locks: @autoclosure () -> [SQLLock]) throws(StoreError) {
        guard connection.takesLocks else { return }
        try connection.hold(locks().sorted())
    }

    /// As ``run(_:_:)``, in the engine's dialect.
    @discardableResult
    func run(_ sql: SQLText, _ values: Values) throws(StoreError) -> Int {
        try connection.run(sql[dialect], values)
    }

    /// As ``first(_:_:)``, in the engine's dialect.
    func first(_ sql: SQLText, _ values: Values) throws(StoreError) -> SQLRow? {
        try connection.first(sql[dialect], values)
    }

    /// As ``all(_:_:)``, in the engine's dialect.
    func all(_ sql: SQLText, _ values: Values) throws(StoreError) -> [SQLRow] {
        try connection.all(sql[dialect], values)
    }
}

/// How an engine runs statements.
protocol SQLConnection {
    /// How many rows were changed since the connection was opened.
    var changes: Int { get }
    /// Whether several transactions write at once.
    var takesLocks: Bool { get }

    /// Takes locks, in the given order, until the transaction ends.
    func hold(_ locks: [SQLLock]) throws(StoreError)
    func run(_ sql: String, _ values: Values) throws(StoreError) -> Int
    func send(_ sql: String, _ values: Values) throws(StoreError)
    func first(_ sql: String, _ values: Values) throws(StoreError) -> SQLRow?
    func all(_ sql: String, _ values: Values) throws(StoreError) -> [SQLRow]
    func search(_ sql: String, _ values: Values) throws(StoreError) -> [SQLRow]
    func each(_ sql: String, _ values: Values, _ body: (SQLRow) throws -> Void) throws
}
