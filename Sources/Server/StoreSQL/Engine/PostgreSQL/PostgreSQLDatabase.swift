internal import Foundation
public import Model
internal import Synchronization

/// A PostgreSQL database that any number of servers share.
///
/// What was acknowledged is on the disk of the server, and of a standby if the server is set up to wait for one.
public final class PostgreSQLDatabase: SQLDatabase {
    package var dialect: Dialect { .postgreSQL }
    private let pool: ConnectionPool
    private let address: String
    private let isHurried = Atomic(false)
    /// By their statements.
    private let gathered = Mutex<[String: GatheredCalls]>([:])

    /// How long a caller waits: a failover takes seconds, and a slow answer is better than a lost session.
    private static let patienceMax = Duration.seconds(8)
    /// How long it waits while the server stops.
    private static let hurriedPatience = Duration.seconds(1)

    /// How long a statement of a command may take.
    static let walkMax = Duration.seconds(600)

    /// Most connections of a server by default.
    public static var connectionsMax: Int { min(16, 4 * ProcessInfo.processInfo.activeProcessorCount) }

    /// - Parameters:
    ///   - address: `postgres://user:password@host:port/name`, or a list of `keyword=value`, as libpq reads it. Several
    ///     hosts may be named; the one that can write is used.
    ///   - connectionsMax: at least 4.
    ///   - onFlight: called with the statements of each round trip, for tests that count them.
    ///   - admits: called with the stored signing keys, if there are any, before anything is written, the schema
    ///     included. With `false` the database stays as it is.
    ///   - onStep: told of each step of the schema that is taken, and how far it is.
    /// - Throws: ``OpenProblem``.
    public init(
        _ address: String, connectionsMax: Int = PostgreSQLDatabase.connectionsMax,
        onFlight: (@Sendable ([String]) -> Void)? = nil, admits: ([StoredKey]) -> Bool = { _ in true },
        onStep: (StepProgress) -> Void = { _ in }
    ) throws(OpenProblem) {
        do {
            // Steps of the schema may take long, and wait for those of another server.
            let first = try Self.patientConnection(address)
            if try PostgreSQLMigrations.version(of: first).usable(by: PostgreSQLMigrations.newest) > 0 {
                let keys = try SQLKeyStore.keys(in: SQLSession(first))
                guard keys.isEmpty || admits(keys) else { throw OpenProblem.notAdmitted }
            }
            try PostgreSQLMigrations.apply(to: first, onProgress: onStep)
        } catch let problem as OpenProblem {
            throw problem
        } catch {
            throw .postgreSQL(Self.reason(error))
        }
        self.address = address
        let connect = Connector { () throws(PostgreSQLProblem) in
            try PostgreSQLConnection(address, defaults: Self.base + Self.limits, onFlight: onFlight)
        }
        pool = ConnectionPool(connectionsMax: connectionsMax, connect: connect)
    }

    /// A connection whose statements may take long.
    ///
    /// - Throws: ``OpenProblem/badAddress``, ``PostgreSQLProblem``.
    static func patientConnection(_ address: String) throws -> PostgreSQLConnection {
        guard PostgreSQLConnection.canRead(address) else { throw OpenProblem.badAddress }
        return try PostgreSQLConnection(address, defaults: base, flightMax: walkMax)
    }

    static func reason(_ error: any Error) -> String {
        switch error {
        case let problem as PostgreSQLProblem: "\(problem)"
        case let error as StoreError: (error.cause as? PostgreSQLProblem).map { "\($0)" } ?? "\(error)"
        default: "\(error)"
        }
    }

    /// How to find the server that can write, and how soon a dead one is noticed.
    static let base: [(keyword: String, value: String)] = [
        ("application_name", "keyturn"), ("client_encoding", "UTF8"), ("target_session_attrs", "read-write"),
        ("connect_timeout", "2"), ("tcp_user_timeout", "3000"), ("keepalives_idle", "5"), ("keepalives_interval", "2"),
        ("keepalives_count", "3"),
    ]

    /// What the server gives up by itself, in milliseconds; the connection stays good.
    private static let limits: [(keyword: String, value: String)] = [
        (
            "options",
            "-c statement_timeout=3000 -c lock_timeout=2000 -c idle_in_transaction_session_timeout=5000"
        )
    ]

    package func hurry() {
        isHurried.store(true, ordering: .relaxed)
    }

    /// Ends the connections when their work is done.
    public func close() {
        pool.close()
    }

    package nonisolated(nonsending) func read<Value: Sendable>(
        _ view: ReadView, _ body: @escaping @Sendable (SQLSession) throws -> Value
    ) async throws(StoreError) -> Value {
        try await run(.read) { attempt in
            switch view {
            case .statements: try attempt.statement(durably: true, body)
            case .snapshot: try attempt.snapshot(body)
            }
        }
    }

    package func once<Value: Sendable>(
        _ durability: Durability, _ body: @escaping @Sendable (SQLSession) throws -> Value
    ) async throws(StoreError) -> Value {
        try await run(durability == .local ? .local : .write) { attempt in
            try attempt.statement(durably: durability == .replicated, body)
        }
    }

    package func once<Value: Sendable>(
        _ durability: Durability, _ body: @escaping @Sendable (SQLSession) throws -> Value?,
        otherwise rest: @escaping @Sendable (SQLSession) throws -> Value
    ) async throws(StoreError) -> Value {
        try await run(durability == .local ? .local : .write) { attempt in
            try attempt.statement(durably: durability == .replicated, body) ?? attempt.transaction(.guarded, rest)
        }
    }

    package func write<Value: Sendable>(
        _ isolation: Isolation, _ body: @escaping @Sendable (SQLSession) throws -> Value
    ) async throws(StoreError) -> Value {
        try await run(isolation.isLocal ? .local : .write) { attempt in try attempt.transaction(isolation, body) }
    }

    package func gathered<Value: Sendable>(_ call: GatheredCall<Value>) async throws(StoreError) -> Value? {
        let calls = gathered.withLock { gathered in
            if let calls = gathered[call.update.sql] { return calls }
            let calls = GatheredCalls(call.update) { [self] work, shed in submit(.local, work, shed) }
            gathered[call.update.sql] = calls
            return calls
        }
        let result: Result<Value?, StoreError> = await withCheckedContinuation { continuation in
            calls.call(call.values, until: ContinuousClock.now + patience) { row in
                continuation.resume(returning: Self.result { try row.get().map(call.read) })
            }
        }
        return try result.get()
    }

    private var patience: Duration { isHurried.load(ordering: .relaxed) ? Self.hurriedPatience : Self.patienceMax }

    private func submit(
        _ lane: ConnectionPool.Lane, _ work: @escaping @Sendable (PostgreSQLAttempt) -> Void,
        _ shed: @escaping @Sendable () -> Void
    ) {
        let deadline = ContinuousClock.now + patience
        pool.submit(
            ConnectionPool.Job(
                lane: lane, deadline: deadline,
                work: { work(PostgreSQLAttempt(connection: $0, deadline: deadline)) }, shed: shed))
    }

    /// Runs on a connection of the pool and waits without a thread.
    private nonisolated(nonsending) func run<Value: Sendable>(
        _ lane: ConnectionPool.Lane, _ work: @escaping @Sendable (PostgreSQLAttempt) throws -> Value
    ) async throws(StoreError) -> Value {
        let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
            submit(lane, { attempt in continuation.resume(returning: Self.result { try work(attempt) }) }) {
                continuation.resume(returning: .failure(StoreError(.unavailable)))
            }
        }
        return try result.get()
    }

    private static func result<Value>(_ work: () throws -> Value) -> Result<Value, StoreError> {
        do {
            return .success(try work())
        } catch let error as StoreError {
            return .failure(error)
        } catch let problem as PostgreSQLProblem {
            return .failure(StoreError(problem))
        } catch {
            return .failure(StoreError(.unavailable, cause: error))
        }
    }

    /// On a connection of its own, and on the calling thread.
    package func walk(_ body: (SQLSession) throws -> Void) throws {
        let connection = try Self.patientConnection(address)
        try connection.beginSnapshot()
        try body(SQLSession(connection))
        try connection.rollBack()
    }
}

extension SQLSession {
    init(_ connection: PostgreSQLConnection) {
        self.init(dialect: .postgreSQL, connection: connection)
    }
}
