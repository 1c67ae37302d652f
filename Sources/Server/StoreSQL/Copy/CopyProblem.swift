/// Why a database was not copied, or not compared, in a sentence that says what to do.
package enum CopyProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// A database, by its role.
    package enum Side: String, Sendable {
        case from = "FROM"
        case to = "TO"
    }

    case notOpened(Side, OpenProblem)
    /// One file, given twice.
    case same
    /// Not a server's database, or a new one.
    case noSchema(Side)
    case otherSchema(Side, version: Int, newest: Int)
    /// Its own copy is unfinished.
    case unfinished(Side)
    case notEmpty(table: String)
    /// It has an unfinished copy, of another database or of an earlier state.
    case otherCopy
    /// Another process copies into it.
    case taken
    case unknownTable(String)
    case unknownColumn(String)
    case unfitRow(table: String, key: String, reason: String)
    /// What an engine said while it worked.
    case engine(Side, String)

    /// Whether something else was asked for than can be done; the rest went wrong on the way.
    package var isRefusal: Bool {
        switch self {
        case .same, .noSchema, .otherSchema, .unfinished, .notEmpty, .otherCopy, .unknownTable, .unknownColumn: true
        case .notOpened(_, let problem):
            switch problem {
            case .noFile, .noFolder, .notADatabase, .badAddress, .newer: true
            default: false
            }
        case .taken, .unfitRow, .engine: false
        }
    }

    package var description: String {
        switch self {
        case .notOpened(let side, let problem): "\(side.rawValue) could not be opened: \(problem)"
        case .same: "FROM and TO are the same file: name another one."
        case .noSchema(let side):
            "\(side.rawValue) is no database of a Keyturn server: check its address. Nothing was changed."
        case .otherSchema(let side, let version, let newest):
            """
            the schema of \(side.rawValue) is number \(version), and this release has \(newest). Start the server of \
            this release on it once, which migrates it, and stop it again. Nothing was changed.
            """
        case .unfinished(let side): "\(side.rawValue) has an unfinished copy in it: finish that one first."
        case .notEmpty(let table):
            """
            TO is not empty: it has the table \(table). Name a new file, or a database that was just made \
            (createdb). Nothing was changed. Whether it is a copy of FROM, --verify-only tells.
            """
        case .otherCopy:
            """
            TO has an unfinished copy of another database in it, or FROM was written since that copy began. Remove the \
            file, or drop and make the database, and copy again. Nothing was changed.
            """
        case .taken: "another process copies into TO at the same time. Let one of them go on."
        case .unknownTable(let name): "the table \(name) is not in both databases as this release knows it."
        case .unknownColumn(let name): "the column \(name) is not in both databases as this release knows it."
        case .unfitRow(let table, let key, let reason):
            """
            a row of \(table) cannot be copied (\(key)): \(reason). Change or remove it in FROM, and copy again into \
            an empty database.
            """
        case .engine(let side, let reason):
            "\(side.rawValue) failed: \(reason). Run the same command again when it is back: it goes on where it was."
        }
    }
}
