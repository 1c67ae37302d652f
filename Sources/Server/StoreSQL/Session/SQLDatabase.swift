package import KeyturnBase
package import Model

/// What the stores ask of a database, whichever engine it has.
///
/// SQLite reads on the calling thread and writes with the group commit. An engine with connections runs each body on
/// one of them.
package protocol SQLDatabase: Sendable {
    /// Which fragments the statements take.
    var dialect: Dialect { get }

    /// Reads.
    ///
    /// - Parameter body: may run twice; changes nothing that it captures.
    nonisolated(nonsending) func read<Value: Sendable>(
        _ view: ReadView, _ body: @escaping @Sendable (SQLSession) throws -> Value
    ) async throws(StoreError) -> Value

    /// One guarded statement, which may run twice without harm: the second time it finds its own work and changes
    /// nothing, or writes the same again. An engine with connections needs neither `BEGIN` nor `COMMIT` for it.
    func once<Value: Sendable>(
        _ durability: Durability, _ body: @escaping @Sendable (SQLSession) throws -> Value
    ) async throws(StoreError) -> Value

    /// One guarded statement as above, and, if its guards did not match, a transaction that finds out why.
    ///
    /// - Parameters:
    ///   - body: the statement; `nil` if it changed nothing.
    ///   - rest: runs after a `nil`. SQLite runs both in one transaction.
    func once<Value: Sendable>(
        _ durability: Durability, _ body: @escaping @Sendable (SQLSession) throws -> Value?,
        otherwise rest: @escaping @Sendable (SQLSession) throws -> Value
    ) async throws(StoreError) -> Value

    /// A transaction: the locks first, then the body. Returns when it is durable.
    ///
    /// - Parameter body: may run twice; takes no time, makes no random value and changes nothing that it captures.
    func write<Value: Sendable>(
        _ isolation: Isolation, _ body: @escaping @Sendable (SQLSession) throws -> Value
    ) async throws(StoreError) -> Value

    /// One guarded statement for one row, which may run twice without harm, together with those of other callers.
    ///
    /// - Returns: `nil` if the engine does not gather, if the guards did not match, or if another transaction holds the
    ///   row: then the caller asks alone.
    func gathered<Value: Sendable>(_ call: GatheredCall<Value>) async throws(StoreError) -> Value?

    /// Reads as of one moment, and blocks the calling thread as long as it takes: for commands, not for requests.
    ///
    /// - Throws: ``StoreError``, and what `body` throws.
    func walk(_ body: (SQLSession) throws -> Void) throws

    /// Makes the partitions of months to come for audit events, and drops those that are over, in an engine that has
    /// them.
    ///
    /// - Returns: the moment before which events are to be removed one by one: `oldest`, or the beginning of its month
    ///   if that goes whole.
    func keepAuditMonths(since oldest: UnixTime, at now: UnixTime) async throws(StoreError) -> UnixTime

    /// The server is about to stop: from now on nothing waits long for a database that is away.
    func hurry()

    /// Closes the database.
    func close()
}

extension SQLDatabase {
    package func gathered<Value: Sendable>(_ call: GatheredCall<Value>) async throws(StoreError) -> Value? { nil }

    package func keepAuditMonths(since oldest: UnixTime, at now: UnixTime) async throws(StoreError) -> UnixTime {
        oldest
    }

    /// Reads with ``ReadView/statements``.
    nonisolated(nonsending) func read<Value: Sendable>(_ body: @escaping @Sendable (SQLSession) throws -> Value)
        async throws(StoreError) -> Value
    {
        try await read(.statements, body)
    }
}

/// Which snapshot the statements of a read see.
package enum ReadView: Sendable {
    /// Each statement its own.
    case statements
    /// All statements the same one.
    case snapshot
}

/// Where an acknowledged write must be stored. SQLite has one disk, and always syncs it.
package enum Durability: Sendable {
    /// On another machine as well, if there is one.
    case replicated
    /// On this machine's disk: its owner can repair the harm of a loss.
    case local
}
