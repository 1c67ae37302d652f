internal import KeyturnBase
internal import StoreSQL

/// What happens while a log is followed.
enum LogNews {
    case began(LogLine)
    case resumed(LogLine)
    case broken
    case copying
    case snapshot(BackupReport)
    case noSnapshot(String)
    case removed(Int)
    case notRemoved(String)
    /// Nothing can be appended at present, for this reason.
    case waiting(String)
    case recovered

    /// A word for programs.
    var word: String {
        switch self {
        case .began: "line_began"
        case .resumed: "line_resumed"
        case .broken: "line_broken"
        case .copying: "snapshot_began"
        case .snapshot: "snapshot_made"
        case .noSnapshot: "snapshot_failed"
        case .removed: "removed"
        case .notRemoved: "not_removed"
        case .waiting: "waiting"
        case .recovered: "recovered"
        }
    }

    /// Whether an operator should look at it.
    var isTrouble: Bool {
        switch self {
        case .broken, .noSnapshot, .notRemoved, .waiting: true
        default: false
        }
    }

    var text: String {
        switch self {
        case .began(let line): "a new line begins: \(line.path)"
        case .resumed(let line): "goes on with \(line.path)"
        case .broken: "another program moved the log, and pages may be missing: a new line begins with a new snapshot"
        case .copying: "makes a snapshot"
        case .snapshot(let report):
            """
            a snapshot is there: \(report.manifest.contents.rows) rows, schema \(report.manifest.contents.schema), \
            \(report.byteCount) bytes, compared with the database. From now on any moment can be restored
            """
        case .noSnapshot(let reason): "no snapshot was made, the next try is in a minute: \(reason)"
        case .removed(let count): "\(count) files were removed that were older than --keep"
        case .notRemoved(let reason): "what is older than --keep stays until the next snapshot: \(reason)"
        case .waiting(let reason):
            "nothing can be written, and is tried every 10 seconds; the database's own log grows meanwhile: \(reason)"
        case .recovered: "is written again, nothing is missing"
        }
    }

    func json(at now: UnixTime) -> JSONValue {
        ["at": .integer(now.rawValue), "event": .string(word), "text": .string(text)]
    }
}
