internal import Foundation
internal import GRDB
internal import GRDBSQLite
public import Model
internal import Synchronization

/// A database file of SQLite, or one in memory: opened safely, migrated, and ready to be asked for its stores.
///
/// Files use a write-ahead log with `synchronous=FULL`: what was acknowledged survives a power cut.
public final class SQLiteDatabase: SQLDatabase {
    private let commits: GroupCommit
    /// `nil` for a database in memory, which has one connection.
    private let readers: SQLiteReaders?
    private let checkpoints: Checkpoints?
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
    ///   - onStep: told of each step of the schema that is taken, and how far it is.
    /// - Throws: ``OpenProblem``.
    public init(
        path: String?, onStatement: (@Sendable (String) -> Void)? = nil, admits: ([StoredKey]) -> Bool = { _ in true },
        onStep: (StepProgress) -> Void = { _ in }
    ) throws(OpenProblem) {
        do {
            try Self.requireAdmission(path, admits)
            let writer: SQLiteConnection
            if let path {
                try Self.makeFile(path)
                writer = try SQLiteConnection(path, .write, onStatement: onStatement)
                try Self.turnOnLog(writer)
                try Self.migrate(path, onStep)
                try writer.execute("PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 67108864")
                guard try writer.number("PRAGMA synchronous") == 2 else { throw OpenProblem.notDurable }
                let log = LogPages()
                writer.watchLog(log)
                let checkpoints = Checkpoints(of: log) { try SQLiteConnection(path, .write) }
                readers = SQLiteReaders { try SQLiteConnection(path, .read, onStatement: onStatement) }
                commits = try GroupCommit(writer) { writer in checkpoints.look(writer) }
                checkpoints.start()
                self.checkpoints = checkpoints
            } else {
                writer = try SQLiteConnection(":memory:", .memory, onStatement: onStatement)
                try Self.copyBlank(to: writer)
                commits = try GroupCommit(writer)
                (readers, checkpoints) = (nil, nil)
            }
        } catch {
            throw Self.problem(error, path: path)
        }
    }

    deinit {
        readers?.close()
        commits.close(waits: false)
        checkpoints?.close()
    }

    private static var patient: Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        return configuration
    }

    /// Brings the schema up to date.
    private static func migrate(_ path: String, _ onStep: (StepProgress) -> Void) throws {
        let queue = try DatabaseQueue(path: path, configuration: patient)
        defer { try? queue.close() }
        try queue.writeWithoutTransaction { try Migrations.apply(to: $0, onProgress: onStep) }
    }

    /// An empty database of the present schema: copying its pages is cheaper by far than taking every step.
    private static let blank = Mutex<DatabaseQueue?>(nil)

    private static func copyBlank(to copy: SQLiteConnection) throws {
        try blank.withLock { blank in
            let queue: DatabaseQueue
            if let blank {
                queue = blank
            } else {
                queue = try DatabaseQueue()
                try queue.writeWithoutTransaction { try Migrations.apply(to: $0) }
                blank = queue
            }
            try queue.writeWithoutTransaction { database in
                if let source = unsafe database.sqliteConnection { try unsafe copy.copy(from: source) }
            }
        }
    }

    /// Turns the log on, which needs the file alone: waits for another process that is opening it.
    private static func turnOnLog(_ writer: SQLiteConnection) throws {
        let deadline = ContinuousClock.now + .seconds(5)
        while true {
            do {
                guard try writer.text("PRAGMA journal_mode = WAL") == "wal" else { throw OpenProblem.notDurable }
                return
            } catch let problem as SQLiteProblem where problem.isBusy && ContinuousClock.now < deadline {
                Thread.sleep(forTimeInterval: 0.01)
            }
        }
    }

    /// Checks the keys of a file over a separate connection, because turning on the log writes to the file.
    private static func requireAdmission(_ path: String?, _ admits: ([StoredKey]) -> Bool) throws {
        guard let path, FileManager.default.fileExists(atPath: path) else { return }
        let keys = try look(at: path) { database in
            let present = try Migrations.version(of: database).usable(by: Migrations.newest)
            return present > 0 ? try SQLKeyStore.keys(in: SQLSession(database)) : []
        }
        guard keys.isEmpty || admits(keys) else { throw OpenProblem.notAdmitted }
    }

    /// What a file says about its schema. Changes nothing.
    static func schemaVersion(path: String) throws(OpenProblem) -> SchemaVersion {
        do {
            let version = try look(at: path) { try Migrations.version(of: $0) }
            _ = try version.usable(by: Migrations.newest)
            return version
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

    static func problem(_ error: any Error, path: String?) -> OpenProblem {
        switch error {
        case let problem as OpenProblem: problem
        case let error as DatabaseError:
            self.problem(SQLiteProblem(error.resultCode.rawValue, error.message ?? "no reason given"), path: path)
        case let problem as SQLiteProblem where problem.code == SQLITE_NOTADB: .notADatabase(path: path ?? "it")
        case let problem as SQLiteProblem where problem.code == SQLITE_CANTOPEN: .noFolder(path: path ?? "it")
        case let problem as SQLiteProblem: .sqlite(code: "\(problem.code): \(problem.message)")
        default: .sqlite(code: "\(type(of: error))")
        }
    }

    /// The settings of the writing connection.
    public func settings() throws -> Settings {
        try commits.use { connection in
            Settings(
                journalMode: try connection.text("PRAGMA journal_mode"),
                synchronous: Int(try connection.number("PRAGMA synchronous")),
                foreignKeys: try connection.number("PRAGMA foreign_keys") == 1)
        }
    }

    /// Uses the writing connection, for tests that prepare or look at what no store does.
    func inspect<Value>(_ body: (SQLSession) throws -> Value) throws -> Value {
        try commits.use { try body(SQLSession($0)) }
    }

    /// Commits since it was opened; each makes the changes of many callers durable at once.
    package var commitCount: Int { commits.count }

    /// Does nothing: there is nothing to wait for.
    package func hurry() {}

    /// Writes the log back into the file and closes it.
    public func close() {
        readers?.close()
        checkpoints?.close()
        commits.close()
    }

    package nonisolated(nonsending) func read<Value: Sendable>(
        _ view: ReadView, _ body: @escaping @Sendable (SQLSession) throws -> Value
    ) async throws(StoreError) -> Value {
        do {
            return try readHere(view, body)
        } catch {
            throw StoreError(translating: error)
        }
    }

    private func readHere<Value>(_ view: ReadView, _ body: (SQLSession) throws -> Value) throws -> Value {
        guard let readers else { return try commits.use { try $0.read(view, body) } }
        return try readers.read(view, body)
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
        } catch let error as SQLiteProblem {
            throw StoreError(translating: error)
        }
    }
}
