/// Why a project was not exported, or not imported, in a sentence that says what to do.
package enum TransferProblem: Error, Hashable, Sendable, CustomStringConvertible {
    case notAnExport
    case newer(version: Int)
    case newerSchema(Int, newest: Int, release: String)
    /// A table or a column that this release does not have.
    case unknown(String)
    /// Numbers begin with 1.
    case damaged(line: Int)
    /// Its end is missing.
    case cut
    /// Something follows its end.
    case extended
    /// It has other lines than when it was made.
    case changed
    /// It was replaced while it was read.
    case replaced
    /// Its sessions cannot go on here.
    case sessions(TransferSessionsObstacle)
    case collisions([TransferCollision], count: Int)
    case unfitRow(table: String, key: String, reason: String)
    /// What an engine said of a row.
    case refused(table: String, reason: String)
    case database(String)
    /// What an engine said while it worked.
    case engine(String)
    /// The answer to the last statement was lost.
    case unknownEnd(String)

    /// Whether something else was asked for than can be done; the rest went wrong on the way.
    package var isRefusal: Bool {
        switch self {
        case .notAnExport, .newer, .newerSchema, .unknown, .sessions, .collisions, .database: true
        default: false
        }
    }

    package var description: String {
        switch self {
        case .notAnExport:
            "it is no export of a project: `keyturn export` makes one. For a backup there is `keyturn restore`."
        case .newer(let version):
            """
            its format is number \(version), and this release knows \(TransferHead.version): use the release that \
            wrote it, or a newer one. Nothing was changed.
            """
        case .newerSchema(let schema, let newest, let release):
            """
            it was written by a later release (\(release), schema \(schema)), and this one has schema \(newest): \
            upgrade this server first. Nothing was changed.
            """
        case .unknown(let name):
            "it has \(name), which this release does not know: upgrade this server first. Nothing was changed."
        case .damaged(let line): "its line \(line) is damaged: take another copy of it. Nothing was changed."
        case .cut: "its end is missing: take another copy of it. Nothing was changed."
        case .extended: "something follows its end: take another copy of it. Nothing was changed."
        case .changed: "it is not as it was when it was made: take another copy of it. Nothing was changed."
        case .replaced: "it was replaced while it was read. Nothing was changed: run the command again."
        case .sessions(let obstacle): "\(obstacle) Nothing was changed."
        case .collisions(let collisions, let count):
            """
            \(count) \(count == 1 ? "row is" : "rows are") in the way:
            \(collisions.map { "  \($0)" }.joined(separator: "\n"))\(count > collisions.count ? "\n  and more" : "")
            With --keep-existing what is there stays, and what it is in the way of is left out. Nothing was changed.
            """
        case .unfitRow(let table, let key, let reason): "a row of \(table) does not fit (\(key)): \(reason)."
        case .refused(let table, let reason):
            "a row of \(table) was refused: \(reason). Nothing was changed."
        case .database(let reason): reason
        case .engine(let reason): "\(reason). Nothing was changed: run the command again when it is back."
        case .unknownEnd(let reason):
            """
            \(reason). All of it is there, or nothing: `keyturn audit show --action project.imported` says which. If \
            it says nothing, run the command again.
            """
        }
    }
}

/// Why sessions of a file cannot go on here.
package enum TransferSessionsObstacle: Hashable, Sendable, CustomStringConvertible {
    case otherSecrets
    case otherProject(there: String, here: String)

    package var description: String {
        switch self {
        case .otherSecrets:
            """
            it has sessions, whose refresh tokens are worth something with the secrets of the server they come from \
            alone. List those in `secrets` behind this server's own, or say --without-sessions: then users sign in \
            again.
            """
        case .otherProject(let there, let here):
            """
            it has sessions of the project \(there), and this server's project is \(here). Set `project.id` in the \
            configuration and start the server once, or say --without-sessions: then users sign in again.
            """
        }
    }
}

/// A row of a file that cannot be written, because of one that is there.
package struct TransferCollision: Hashable, Sendable, CustomStringConvertible {
    package let table: String
    /// Names and values of the columns that are the same.
    package let key: String
    package let reason: String

    package var description: String {
        let text = "\(table) (\(key)) \(reason)"
        // Names are what users chose.
        return String(
            text.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : Character($0) })
    }

    /// Collisions that are named; the rest is counted.
    static let shownMax = 50
}

extension TransferProblem {
    init(_ problem: CopyProblem) {
        self =
            switch problem {
            case .notOpened(_, let problem): .database("the database could not be opened: \(problem).")
            case .noSchema: .database("it is no database of a Keyturn server: start the server on it once.")
            case .unfinished: .database("the database has an unfinished copy in it: finish that one first.")
            case .otherSchema(_, let version, let newest):
                .database("the schema is number \(version), and this release has \(newest): use its own release.")
            case .engine(_, let reason): .engine(reason)
            default: .database(problem.description)
            }
    }
}
