internal import CPostgreSQL
internal import Foundation
internal import Model

/// One connection of libpq, for one thread.
///
/// It always works in pipeline mode: what is queued is sent with the next statement whose result is read, so `BEGIN`,
/// the locks and the first statement are one flight, which is one round trip. Outside of a transaction a flight is a
/// transaction of its own.
@safe final class PostgreSQLConnection {
    private let handle: OpaquePointer
    private let onFlight: (@Sendable ([String]) -> Void)?
    /// The names of prepared statements, by the text of the stores.
    private var prepared: [String: String] = [:]
    private var names = 0
    /// What was handed to libpq since the last flight.
    private var queued: [Queued] = []
    /// Whether a statement of ``send(_:_:)`` is among them.
    var hasSent = false
    private var changed = 0
    /// Rows that were changed since the connection was opened, and one for what was sent without asking.
    var changes: Int { changed + (hasSent ? 1 : 0) }
    /// Longest wait for the answers of one flight. The server's own limits should be shorter; a server that is frozen, or
    /// cut off, keeps none of them.
    private let flightMax: Duration
    /// When the flight that is under way is given up.
    private var deadline = ContinuousClock.now
    /// The server's answers are missing, or it closed the connection: nothing more can be done with it.
    private(set) var isLost = false

    private enum Queued {
        case preparation(of: String)
        case statement(String)
    }

    /// Most statements that a connection keeps prepared: more than the stores have.
    private static let preparedMax = 1_000

    /// Connects to the first server of an address that can write.
    ///
    /// - Parameters:
    ///   - address: a URL or a list of `keyword=value`, as libpq reads it. What it says goes before our defaults.
    ///   - defaults: libpq's keywords with their values.
    ///   - flightMax: the longest wait for the answers of one flight.
    ///   - onFlight: called with the statements of each flight, for tests that count them.
    init(
        _ address: String, defaults: [(keyword: String, value: String)], flightMax: Duration = .seconds(4),
        onFlight: (@Sendable ([String]) -> Void)? = nil
    ) throws(PostgreSQLProblem) {
        let pairs = defaults + [("dbname", address)]
        let connected = unsafe CStrings.with(pairs.map(\.keyword)) { keywords in
            unsafe CStrings.with(pairs.map(\.value)) { values in
                unsafe PQconnectdbParams(keywords, values, 1)
            }
        }
        guard let connected = unsafe connected else { throw PostgreSQLProblem(.lost, "there is no memory to connect") }
        unsafe handle = connected
        self.flightMax = flightMax
        self.onFlight = onFlight
        // Notices would be printed.
        unsafe PQsetNoticeReceiver(handle, { _, _ in }, nil)
        guard unsafe PQstatus(handle) == CONNECTION_OK, unsafe PQsetnonblocking(handle, 1) == 0,
            unsafe PQenterPipelineMode(handle) == 1
        else {
            // The object exists from here on, and clears the handle.
            isLost = true
            throw PostgreSQLProblem(.lost, unsafe lastMessage)
        }
    }

    deinit { unsafe PQfinish(handle) }

    /// Whether libpq can read an address, and its host is one. Its own messages repeat parts of what it cannot read or
    /// find; of a password with an unescaped `@` a part stands where the host belongs.
    static func canRead(_ address: String) -> Bool {
        guard let options = unsafe PQconninfoParse(address, nil) else { return false }
        defer { unsafe PQconninfoFree(options) }
        var option = unsafe options
        while let keyword = unsafe option.pointee.keyword {
            if unsafe String(cString: keyword) == "host", let host = unsafe option.pointee.val {
                // A socket without a file begins with one.
                return unsafe !String(cString: host).dropFirst().contains("@")
            }
            unsafe option += 1
        }
        return true
    }

    @unsafe private var lastMessage: String {
        guard let text = unsafe PQerrorMessage(handle) else { return "" }
        return unsafe String(cString: text).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Hands a statement to libpq, to be sent with the next flight.
    ///
    /// - Parameter isKept: it is prepared once for the connection; otherwise it is built for one use.
    func queue(_ sql: String, _ values: Values, isKept: Bool) throws(PostgreSQLProblem) {
        try queue(sql, BoundParameters(values, for: sql), isKept: isKept)
    }

    func queue(_ sql: String, _ parameters: BoundParameters, isKept: Bool) throws(PostgreSQLProblem) {
        guard !isLost else { throw PostgreSQLProblem(.lost, "the connection is closed") }
        let isSent: Bool
        if isKept, let name = try preparedName(of: sql, parameters) {
            isSent = unsafe parameters.withArrays { count, _, values, lengths, formats in
                unsafe PQsendQueryPrepared(handle, name, count, values, lengths, formats, 1) == 1
            }
        } else {
            let text = Placeholders.numbered(sql)
            isSent = unsafe parameters.withArrays { count, types, values, lengths, formats in
                unsafe PQsendQueryParams(handle, text, count, types, values, lengths, formats, 1) == 1
            }
        }
        guard isSent else { throw lose() }
        queued.append(.statement(sql))
    }

    /// The name of a prepared statement; its preparation flies with it the first time.
    private func preparedName(of sql: String, _ parameters: BoundParameters) throws(PostgreSQLProblem) -> String? {
        if let name = prepared[sql] { return name }
        guard prepared.count < Self.preparedMax else { return nil }
        names += 1
        let name = "s\(names)"
        let types = parameters.types
        guard unsafe PQsendPrepare(handle, name, Placeholders.numbered(sql), Int32(types.count), types) == 1 else {
            throw lose()
        }
        prepared[sql] = name
        queued.append(.preparation(of: sql))
        return name
    }

    /// Sends what is queued and reads all answers.
    ///
    /// - Returns: the result of the last statement; `nil` if nothing was queued.
    /// - Throws: what the first statement that failed says. Those behind it were not run.
    @discardableResult
    func fly() throws(PostgreSQLProblem) -> PostgreSQLRows? {
        guard !queued.isEmpty else { return nil }
        let flight = queued
        queued = []
        hasSent = false
        report(flight)
        deadline = .now + flightMax
        guard unsafe PQpipelineSync(handle) == 1 else { throw lose() }
        try flush()
        var last: PostgreSQLRows?
        var problem: PostgreSQLProblem?
        for item in flight {
            switch try answer() {
            case .rows(let rows):
                if case .statement = item { last = rows; changed += rows.changed }
            case .problem(let found):
                problem = problem ?? found
                forget(item)
            case .skipped:
                forget(item)
            }
        }
        unsafe PQclear(try nextResult())
        if let problem {
            if problem.kind == .lost { throw lose(problem) }
            throw problem
        }
        return last
    }

    /// Runs several statements without parameters, however long they take. Other results are not waited for meanwhile.
    func script(_ sql: String) throws(PostgreSQLProblem) {
        try fly()
        guard unsafe PQexitPipelineMode(handle) == 1, unsafe PQsetnonblocking(handle, 0) == 0,
            let result = unsafe PQexec(handle, sql)
        else { throw lose() }
        let answer = unsafe Self.read(result)
        guard unsafe PQsetnonblocking(handle, 1) == 0, unsafe PQenterPipelineMode(handle) == 1 else { throw lose() }
        if case .problem(let problem) = answer { throw problem.kind == .lost ? lose(problem) : problem }
    }

    private func report(_ flight: [Queued]) {
        guard let onFlight else { return }
        onFlight(flight.compactMap { if case .statement(let sql) = $0 { sql } else { nil } })
    }

    /// A statement whose preparation failed is prepared again; so is one that no longer fits the schema.
    private func forget(_ item: Queued) {
        switch item {
        case .preparation(let sql): prepared[sql] = nil
        case .statement: break
        }
    }

    /// Whether something was handed to libpq and not sent yet.
    var hasQueued: Bool { !queued.isEmpty }

    /// Prepares all statements again when they are used next.
    func forgetPrepared() {
        prepared = [:]
    }

    private enum Outcome {
        case rows(PostgreSQLRows)
        case problem(PostgreSQLProblem)
        /// A statement before it failed.
        case skipped
    }

    /// The answer to one statement, which libpq ends with a null.
    private func answer() throws(PostgreSQLProblem) -> Outcome {
        guard let result = unsafe try nextResult() else { throw lose() }
        let answer = unsafe Self.read(result)
        while let more = unsafe try nextResult() { unsafe PQclear(more) }
        return answer
    }

    @unsafe private static func read(_ result: OpaquePointer) -> Outcome {
        switch unsafe PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK: return .rows(unsafe PostgreSQLRows(result))
        case PGRES_PIPELINE_ABORTED:
            unsafe PQclear(result)
            return .skipped
        default:
            defer { unsafe PQclear(result) }
            return .problem(unsafe PostgreSQLProblem(result))
        }
    }

    /// - Returns: `nil` between two statements.
    @unsafe private func nextResult() throws(PostgreSQLProblem) -> OpaquePointer? {
        while unsafe PQisBusy(handle) == 1 {
            try wait(for: POLLIN)
            guard unsafe PQconsumeInput(handle) == 1 else { throw lose() }
        }
        guard unsafe PQstatus(handle) == CONNECTION_OK else { throw lose() }
        return unsafe PQgetResult(handle)
    }

    private func flush() throws(PostgreSQLProblem) {
        while true {
            switch unsafe PQflush(handle) {
            case 0: return
            case 1:
                // The server may wait until we read.
                try wait(for: POLLIN | POLLOUT)
                guard unsafe PQconsumeInput(handle) == 1 else { throw lose() }
            default: throw lose()
            }
        }
    }

    private func wait(for events: Int32) throws(PostgreSQLProblem) {
        var entry = pollfd(fd: unsafe PQsocket(handle), events: Int16(events), revents: 0)
        while true {
            let left = ContinuousClock.now.duration(to: deadline)
            guard left > .zero else { throw lose(PostgreSQLProblem(.lost, "the database did not answer in time")) }
            let milliseconds = left.components.seconds * 1_000 + left.components.attoseconds / 1_000_000_000_000_000
            let count = unsafe poll(&entry, 1, Int32(clamping: milliseconds + 1))
            if count > 0 { return }
            guard count == 0 || errno == EINTR else { throw lose() }
        }
    }

    /// Marks the connection as unusable. It is never cancelled: a commit whose wait for a standby is cancelled would be
    /// reported as done.
    private func lose(_ problem: PostgreSQLProblem? = nil) -> PostgreSQLProblem {
        isLost = true
        return problem ?? PostgreSQLProblem(.lost, unsafe lastMessage)
    }
}

/// Arrays of C strings that end with a null pointer.
private enum CStrings {
    @unsafe static func with<Result>(
        _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
    ) -> Result {
        let copies = unsafe texts.map { unsafe strdup($0) }
        defer { unsafe copies.forEach { unsafe free($0) } }
        return unsafe body(unsafe copies.map { unsafe $0.map { unsafe UnsafePointer($0) } } + [nil])
    }
}
