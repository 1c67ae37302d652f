/// Why a database could not be opened, in a sentence that says what to do.
public enum OpenProblem: Error, Hashable, Sendable, CustomStringConvertible {
    case noFolder(path: String)
    case noFile(path: String)
    case notADatabase(path: String)
    case newer(version: Int)
    /// A copy into it was interrupted.
    case unfinishedCopy
    case notDurable
    /// The caller refused it because of its keys.
    case notAdmitted
    case sqlite(code: String)
    /// What is no address of a PostgreSQL database; it may hold a password, so it is not repeated.
    case badAddress
    case postgreSQL(String)

    public var description: String {
        switch self {
        case .noFolder(let path): "the folder of \(path) does not exist or cannot be written: make it first"
        case .noFile(let path): "there is no file \(path): name one that is there"
        case .notADatabase(let path): "\(path) is not a SQLite database: name another file, or restore a backup"
        case .newer(let version): "it was written by a newer release (schema \(version)): use that release"
        case .unfinishedCopy:
            "a copy into it is not finished: run the same `keyturn database copy` again, which goes on where it was"
        case .notDurable: "SQLite did not accept synchronous=FULL: this build of it cannot keep what it promises"
        case .notAdmitted: "its keys are sealed with other secrets"
        case .sqlite(let code): "SQLite says \(code)"
        case .badAddress: "its address cannot be read: write postgres://USER:PASSWORD@HOST:5432/NAME"
        case .postgreSQL(let message): "PostgreSQL says: \(message)"
        }
    }
}
