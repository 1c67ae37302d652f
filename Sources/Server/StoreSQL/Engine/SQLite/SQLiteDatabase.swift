internal import Foundation
internal import GRDB
public import Model

/// A database file of SQLite, or one in memory: opened safely, migrated, and ready to be asked for its stores.
///
/// Files use a write-ahead log with `synchronous=FULL`: what was acknowledged survives a power cut.
public final class SQLiteDatabase: SQLDatabase {
    let connection: any DatabaseWriter
    let commits: GroupCommit
    package var dialect: Dialect { .sqlite }

    /// SQLite's current settings.
    public struct Settings: Hashable, Sendable {
        /// `wal` or `memory`.
        public let journalMode: String
        /// 2 is FULL.
        public let synchronous: Int
        public let foreignKeys: Bool
    }

    /// - Parameters:
    ///   - path: the file; `nil` keeps everything in memory.
    ///   - onStatement: called with each SQL statement that reads or writes data, for tests that count them.
    ///   - admits: called with the stored signing keys, if there are any, before anything is written, the schema
    ///     included. With `false` the database stays as it is.
    /// - Throws: ``OpenProblem``.
    public init(
        path: String?, onStatement: (@Sendable (String) -> Void)? = nil, admits: ([StoredKey]) -> Bool = { _ in true }
    ) throws(OpenProblem) {
        do {
            try Self.requireAdmission(path, admits)
            connection = try Self.open(path, onStatement)
            try connection.writeWithoutTransaction { database in
                // A pool sets NORMAL when it turns the log on, after the rest of its configuration.
                try database.execute(sql: "PRAGMA synchronous = FULL")
                guard try Int.fetchOne(database, sql: "PRAGMA synchronous") == 2 else { throw OpenProblem.notDurable }
                try Migrations.apply(to: database)
            }
        } catch {
            throw Self.problem(error, path: path)
        }
        commits = GroupCommit(connection)
    }

    /// Checks the keys of a file over a separate connection, because a pool writes when it is opened.
    private static func requireAdmission(_ path: String?, _ admits: ([StoredKey]) -> Bool) throws {
        guard let path, FileManager.default.fileExists(atPath: path) else { return }
        let keys = try look(at: path) { database in
            try Migrations.version(of: database) > 0 ? SQLKeyStore.keys(in: SQLSession(database)) : []
        }
        guard keys.isEmpty || admits(keys) else { throw OpenProblem.notAdmitted }
    }

    /// What a file says about its schema. Changes nothing.
    static func schemaVersion(path: String) throws(OpenProblem) -> SchemaVersion {
        do {
            let present = try look(at: path) { try Migrations.version(of: $0) }
            return SchemaVersion(number: present, oldest: present)
        } catch {
            throw problem(error, path: path)
        }
    }

    private static func look<Value>(at path: String, _ body: (Database) throws -> Value) throws -> Value {
        let file = try unchanged(path)
        defer { try? file.close() }
        return try file.unsafeRead(body)
    }

    /// Opens a file to read it, and leaves it as it is.
    static func unchanged(_ path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        // Closing would move the log into the file; where there is no log, even reading would leave one behind.
        configuration.readonly = FileManager.default.fileExists(atPath: path + "-wal")
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Makes the file if there is none. No other user of the machine may open it, not even for a moment.
    static func makeFile(_ path: String) throws {
        guard !FileManager.default.fileExists(atPath: path) else { return }
        let file = unsafe Foundation.open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw OpenProblem.noFolder(path: path) }
        Foundation.close(file)
    }

    private static func open(_ path: String?, _ onStatement: (@Sendable (String) -> Void)?) throws -> any DatabaseWriter
    {
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        configuration.maximumReaderCount = max(2, ProcessInfo.processInfo.activeProcessorCount)
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA temp_store = MEMORY; PRAGMA journal_size_limit = 67108864")
            guard let onStatement else { return }
            database.trace { event in
                let statement = event.description
                if !control.contains(where: statement.hasPrefix) { onStatement(statement) }
            }
        }
        guard let path else { return try DatabaseQueue(configuration: configuration) }
        try makeFile(path)
        return try DatabasePool(path: path, configuration: configuration)
    }

    private static let control = ["BEGIN", "COMMIT", "SAVEPOINT", "RELEASE", "ROLLBACK", "PRAGMA"]

    static func problem(_ error: any Error, path: String?) -> OpenProblem {
        switch error {
        case let problem as OpenProblem: problem
        case let error as DatabaseError where error.resultCode == .SQLITE_NOTADB: .notADatabase(path: path ?? "it")
        case let error as DatabaseError where error.resultCode == .SQLITE_CANTOPEN: .noFolder(path: path ?? "it")
        case let error as DatabaseError: .sqlite(code: "\(error.resultCode): \(error.message ?? "no reason given")")
        default: .sqlite(code: "\(type(of: error))")
        }
    }

    /// The settings of the writing connection.
    public func settings() throws -> Settings {
        try connection.writeWithoutTransaction { database in
            Settings(
                journalMode: try String.fetchOne(database, sql: "PRAGMA journal_mode") ?? "",
                synchronous: try Int.fetchOne(database, sql: "PRAGMA synchronous") ?? 0,
                foreignKeys: try Bool.fetchOne(database, sql: "PRAGMA foreign_keys") ?? false)
        }
    }

    /// Does nothing: there is nothing to wait for.
    package func hurry() {}

    /// Writes the log back into the file and closes it.
    public func close() {
        try? connection.close()
    }

    /// Reads on the calling thread. An indexed row takes microseconds; a switch to another thread and back would take
    /// longer.
    package nonisolated(nonsending) func read<Value: Sendable>(
        _ view: ReadView, _ body: @escaping @Sendable (SQLSession) throws -> Value
    ) async throws(StoreError) -> Value {
        do {
            return try readHere(view, body)
        } catch {
            throw StoreError(translating: error)
        }
    }

    /// Chooses those of GRDB's methods that stay on the calling thread.
    private func readHere<Value>(_ view: ReadView, _ body: (SQLSession) throws -> Value) throws -> Value {
        switch view {
        case .statements: try connection.unsafeRead { try body(SQLSession($0)) }
        case .snapshot: try connection.read { try body(SQLSession($0)) }
        }
    }

    package func once<Value: Sendable>(
        _ durability: Durability, _ body: @escaping @Sendable (SQLSession) throws -> Value
    ) async throws(StoreError) -> Value {
        try await commits.write(body)
    }

    package func once<Value: Sendable>(
        _ durability: Durability, _ body: @escaping @Sendable (SQLSession) throws -> Value?,
        otherwise rest: @escaping @Sendable (SQLSession) throws -> Value
    ) async throws(StoreError) -> Value {
        try await commits.write { db in try body(db) ?? rest(db) }
    }

    /// Writes with the next group commit. There is one writer, so all isolations are the same, and no lock is needed.
    package func write<Value: Sendable>(
        _ isolation: Isolation, _ body: @escaping @Sendable (SQLSession) throws -> Value
    ) async throws(StoreError) -> Value {
        try await commits.write(body)
    }

    /// Does not block writers.
    package func walk(_ body: (SQLSession) throws -> Void) throws {
        do {
            try readHere(.snapshot, body)
        } catch let error as DatabaseError {
            throw StoreError(translating: error)
        }
    }
}
