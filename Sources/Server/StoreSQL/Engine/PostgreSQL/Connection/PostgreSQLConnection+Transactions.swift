internal import Foundation
internal import KeyturnBase
internal import Model

extension PostgreSQLConnection {
    /// Begins a transaction with its locks; all of it flies with the first statement.
    func begin(_ isolation: Isolation) throws(PostgreSQLProblem) {
        try queue("BEGIN", [], isKept: true)
        if isolation.isLocal { try keepLocally() }
        for lock in isolation.locks.sorted() {
            let (sql, values) = lock.statement
            try queue(sql, values, isKept: true)
        }
    }

    /// Begins a transaction that sees one moment.
    func beginSnapshot() throws(PostgreSQLProblem) {
        try queue("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", [], isKept: true)
    }

    /// The transaction, or the next statement outside of one, does not wait for another machine.
    func keepLocally() throws(PostgreSQLProblem) {
        try queue("SELECT set_config('synchronous_commit', 'local', true)", [], isKept: true)
    }

    /// Commits. The mark is a row of the same transaction: with it, what became of a commit whose answer was lost can be
    /// found out.
    func commit(marking mark: CommitMark?) throws(PostgreSQLProblem) {
        if let mark { try queue(CommitMark.insertion, [mark.id], isKept: true) }
        try queue("COMMIT", [], isKept: true)
        // A transaction that failed before is not committed, without an error.
        guard try fly()?.tag == "COMMIT" else {
            throw PostgreSQLProblem(.failed, "the transaction had failed, and was undone")
        }
    }

    /// Undoes the transaction.
    func rollBack() throws(PostgreSQLProblem) {
        try queue("ROLLBACK", [], isKept: true)
        try fly()
    }
}

extension Isolation {
    /// One lock for all serializable transactions. PostgreSQL's own level of that name would run most of them again when
    /// they meet, and several times.
    fileprivate var locks: [SQLLock] {
        switch self {
        case .serializable: [.name("serializable")]
        case .locking(let locks): locks
        case .appending: []
        }
    }

    /// Whether the commit does not wait for another machine.
    var isLocal: Bool {
        if case .appending = self { true } else { false }
    }
}

/// A row that a transaction writes about itself, with which its end is found out on another connection.
struct CommitMark: Sendable {
    let id: Data

    init() {
        id = Data(Ambient.live.randomBytes(16))
    }

    static let insertion = "INSERT INTO commit_mark (id) VALUES (?)"

    /// Waits until the transaction has ended, if it is still under way. If it was not committed, it never will be: its
    /// own mark would be the second one.
    static let question = """
        INSERT INTO commit_mark (id, is_fence) VALUES (?, 1)
        ON CONFLICT (id) DO UPDATE SET is_fence = commit_mark.is_fence RETURNING is_fence
        """

    /// Whether the transaction was committed.
    func isCommitted(_ connection: PostgreSQLConnection) throws(PostgreSQLProblem) -> Bool {
        try connection.queue(Self.question, [id], isKept: true)
        guard let rows = try connection.fly(), rows.count == 1 else {
            throw PostgreSQLProblem(.failed, "a commit mark could not be read")
        }
        return rows[0]["is_fence"] == false
    }
}
