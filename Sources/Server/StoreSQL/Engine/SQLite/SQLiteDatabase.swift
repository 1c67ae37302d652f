internal import Foundation
internal import GRDB
public import Model
internal import Synchronization

/// Why a database could not be opened, in a sentence that says what to do.
public enum OpenProblem: Error, Hashable, Sendable, CustomStringConvertible {
    case noFolder(path: String)
    case notADatabase(path: String)
    case newer(version: Int)
    case notDurable
    /// The caller did not want it, after a look at its keys.
    case notAdmitted
    case sqlite(code: String)

    public var description: String {
        switch self {
        case .noFolder(let path): "the folder of \(path) does not exist or cannot be written: make it first"
        case .notADatabase(let path): "\(path) is not a SQLite database: name another file, or restore a backup"
        case .newer(let version): "it was written by a newer release (schema \(version)): use that release"
        case .notDurable: "SQLite did not accept synchronous=FULL: this build of it cannot keep what it promises"
        case .notAdmitted: "its keys are sealed with other secrets"
        case .sqlite(let code): "SQLite says \(code)"
        }
    }
}

/// A database file, or one in memory: opened safely, migrated, and ready to be asked for its stores.
///
/// Files use a write-ahead log with `synchronous=FULL`: what was acknowledged survives a power cut.
public final class SQLiteDatabase: Sendable {
    let connection: any DatabaseWriter
    let commits: GroupCommit
    /// Where the clean-up of grants goes on.
    let cleaningCursor = Mutex<[UInt8]>([])
    /// What each write that changes anything also puts into the audit log.
    private let recorded: [AuditEvent]

    /// What SQLite says of itself.
    public struct Durability: Hashable, Sendable {
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
                // A pool sets NORMAL when it turns the log on, after everything that its configuration says.
                try database.execute(sql: "PRAGMA synchronous = FULL")
                guard try Int.fetchOne(database, sql: "PRAGMA synchronous") == 2 else { throw OpenProblem.notDurable }
                try Migrations.apply(to: database)
            }
        } catch {
            throw Self.problem(error, path: path)
        }
        commits = GroupCommit(connection)
        recorded = []
    }

    /// The same database for a change that the audit log has to tell of.
    private init(_ database: SQLiteDatabase, recording events: [AuditEvent]) {
        connection = database.connection
        commits = database.commits
        recorded = events
    }

    /// A look at the keys of a file over a connection of its own: a pool writes when it is opened.
    private static func requireAdmission(_ path: String?, _ admits: ([StoredKey]) -> Bool) throws {
        guard let path, FileManager.default.fileExists(atPath: path) else { return }
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        // Closing would move what is in the log into the file; where there is no log, reading alone would leave one.
        configuration.readonly = FileManager.default.fileExists(atPath: path + "-wal")
        let file = try DatabaseQueue(path: path, configuration: configuration)
        defer { try? file.close() }
        let keys = try file.unsafeRead { database in
            try Migrations.version(of: database) > 0 ? SQLKeyStore.keys(in: database) : []
        }
        guard keys.isEmpty || admits(keys) else { throw OpenProblem.notAdmitted }
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
        if !FileManager.default.fileExists(atPath: path) {
            // Nobody else on the machine has any business in it, also not for a moment.
            let file = unsafe Foundation.open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
            guard file >= 0 else { throw OpenProblem.noFolder(path: path) }
            Foundation.close(file)
        }
        return try DatabasePool(path: path, configuration: configuration)
    }

    private static let control = ["BEGIN", "COMMIT", "SAVEPOINT", "RELEASE", "ROLLBACK", "PRAGMA"]

    private static func problem(_ error: any Error, path: String?) -> OpenProblem {
        switch error {
        case let problem as OpenProblem: problem
        case let error as DatabaseError where error.resultCode == .SQLITE_NOTADB: .notADatabase(path: path ?? "it")
        case let error as DatabaseError where error.resultCode == .SQLITE_CANTOPEN: .noFolder(path: path ?? "it")
        case let error as DatabaseError: .sqlite(code: "\(error.resultCode): \(error.message ?? "no reason given")")
        default: .sqlite(code: "\(type(of: error))")
        }
    }

    /// What SQLite says of the connection that writes.
    public func durability() throws -> Durability {
        try connection.writeWithoutTransaction { database in
            Durability(
                journalMode: try String.fetchOne(database, sql: "PRAGMA journal_mode") ?? "",
                synchronous: try Int.fetchOne(database, sql: "PRAGMA synchronous") ?? 0,
                foreignKeys: try Bool.fetchOne(database, sql: "PRAGMA foreign_keys") ?? false)
        }
    }

    /// Every store, on this database.
    public func stores() -> Stores {
        Stores(
            users: SQLUserStore(database: self), tenants: SQLTenantStore(database: self),
            roles: SQLRoleStore(database: self), accessKeys: SQLAccessKeyStore(database: self),
            sessions: SQLSessionStore(database: self),
            grants: SQLGrantStore(database: self), consents: SQLConsentStore(database: self),
            clients: SQLClientStore(database: self), keys: SQLKeyStore(database: self),
            revokedTokens: SQLRevokedTokenStore(database: self), attempts: SQLAttemptStore(database: self),
            audit: SQLAuditStore(database: self), messages: SQLMessageStore(database: self),
            logoutNotices: SQLLogoutNoticeStore(database: self),
            codes: SQLOneTimeCodeStore(database: self), links: SQLLinkStore(database: self),
            authenticators: SQLAuthenticatorStore(database: self),
            recoveryCodes: SQLRecoveryCodeStore(database: self), recoveries: SQLRecoveryStore(database: self),
            passkeys: SQLPasskeyStore(database: self), spent: SQLSpentStore(database: self),
            pushedRequests: SQLPushedRequestStore(database: self),
            passwords: SQLPasswordStore(database: self),
            budgets: SQLBudgetStore(database: self), devices: SQLDeviceStore(database: self),
            dataKeys: SQLKeyServiceStore(database: self), biometrics: SQLBiometricStore(database: self),
            maintenance: SQLMaintenanceStore(database: self))
    }

    /// Every store, for one change: what it writes and `events` are one transaction. If it changes no row, nothing is
    /// recorded.
    public func stores(recording events: [AuditEvent]) -> Stores {
        SQLiteDatabase(self, recording: events).stores()
    }

    /// Writes the log back into the file and lets go of it.
    public func close() {
        try? connection.close()
    }

    /// Reads on the calling thread. An indexed row takes microseconds; handing it to another thread and back would
    /// take longer than the read.
    func read<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
        do {
            return try connection.unsafeRead(body)
        } catch {
            throw StoreError(translating: error)
        }
    }

    /// Writes with the next group commit; returns when it is durable.
    func write<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value)
        async throws(StoreError) -> Value
    {
        guard !recorded.isEmpty else { return try await commits.write(body) }
        return try await commits.write { [recorded] db in
            let before = db.totalChangesCount
            let value = try body(db)
            if db.totalChangesCount > before { try SQLAuditStore.append(recorded, db) }
            return value
        }
    }
}

extension StoreError {
    /// The only place where an error of the database becomes ours.
    init(translating error: any Error) {
        switch error {
        case let error as StoreError: self = error
        case let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT: self.init(.conflict, cause: error)
        case let error as DatabaseError where error.resultCode == .SQLITE_FULL: self.init(.full, cause: error)
        default: self.init(.unavailable, cause: error)
        }
    }
}
