/// Why a database was not backed up, or a backup is not whole, in a sentence that says what to do.
package enum BackupProblem: Error, Hashable, Sendable, CustomStringConvertible {
    case notOpened(OpenProblem)
    /// Not a server's database, or a new one.
    case noSchema
    case otherSchema(version: Int, newest: Int)
    case unfinishedCopy
    /// What the checks of SQLite found.
    case damaged([String])
    /// The copy has other rows than the database.
    case different([RowDifference])
    /// A server or a command has the file open.
    case inUse
    case full
    /// What an engine, or the copying of rows, said.
    case engine(String)

    /// Whether something else was asked for than can be done; the rest went wrong on the way.
    package var isRefusal: Bool {
        switch self {
        case .noSchema, .otherSchema, .unfinishedCopy, .inUse: true
        case .notOpened(let problem): CopyProblem.notOpened(.from, problem).isRefusal
        case .damaged, .different, .full, .engine: false
        }
    }

    package var description: String {
        switch self {
        case .notOpened(let problem): "the database could not be opened: \(problem)"
        case .noSchema: "it is no database of a Keyturn server."
        case .otherSchema(let version, let newest):
            """
            the schema is number \(version), and this release has \(newest). With PostgreSQL both must be the same: \
            use the release of the database.
            """
        case .unfinishedCopy: "it has an unfinished copy in it: finish that one first, or remove it."
        case .damaged(let lines): "it is damaged: \(lines.joined(separator: "; "))"
        case .different(let differences):
            "the copy is not the same as the database: "
                + differences.map { "\($0.table) (\($0.key)) \($0.reason)" }.joined(separator: "; ")
        case .inUse: "a server or a command has the database open: stop it first."
        case .full: "the disk is full."
        case .engine(let reason): reason
        }
    }

    init(_ problem: CopyProblem) {
        self =
            switch problem {
            case .notOpened(_, let problem): .notOpened(problem)
            case .noSchema: .noSchema
            case .otherSchema(_, let version, let newest): .otherSchema(version: version, newest: newest)
            case .unfinished: .unfinishedCopy
            case .engine(_, let reason): .engine("\(reason).")
            default: .engine(problem.description)
            }
    }

    /// - Returns: `nil` for an error that is not the engine's.
    init?(translating error: any Error) {
        switch error {
        case let problem as BackupProblem: self = problem
        case let problem as CopyProblem: self.init(problem)
        case let problem as OpenProblem: self = problem == .unfinishedCopy ? .unfinishedCopy : .notOpened(problem)
        default:
            guard let problem = SQLiteWholeDatabase.problem(error) else { return nil }
            self =
                problem.isFull
                ? .full
                : problem.isBusy
                    ? .inUse : problem.isDamage ? .damaged([problem.message]) : .engine("\(problem.description).")
        }
    }

    /// Runs `body`, with the engine's errors put into words.
    static func translating<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            throw BackupProblem(translating: error) ?? error
        }
    }
}
