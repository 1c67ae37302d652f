/// A place in the write-ahead logs that a database has one after the other.
package struct LogPosition: Hashable, Sendable {
    /// Tells one log from the next: the two numbers of its head. `nil`: no log was there yet.
    package let salt: UInt64?
    /// Pages of the log before this place.
    package let frames: Int
    /// The log's checksum at this place.
    package let checksum: UInt64

    package init(salt: UInt64?, frames: Int, checksum: UInt64) {
        (self.salt, self.frames, self.checksum) = (salt, frames, checksum)
    }
}

/// Pages that were changed, each as it is after the change.
package struct LogPiece: Sendable {
    package let pages: [(number: UInt32, bytes: [UInt8])]
    /// Whether the database is whole with these pages and those of the pieces before.
    package let isLast: Bool
    /// Pages that the whole database has then; 0 in a piece that is not the last one.
    package let pageCount: UInt32
    /// Bytes of a page.
    package let pageBytes: Int
    /// How far the log was read.
    package let position: LogPosition
}

/// Why a database's log cannot be followed, in a sentence that says what to do.
package enum LogProblem: Error, Hashable, Sendable, CustomStringConvertible {
    case noDatabase
    /// A new one, or one that no server of this program has used.
    case noLog
    /// Pages were lost: another program moved the log into the file and began it anew.
    case broken
    /// A page of the log is not what its head says.
    case damaged
    case engine(String)

    package var description: String {
        switch self {
        case .noDatabase: "there is no such database: start the server once, or name another."
        case .noLog: "the database has no write-ahead log: start the server once."
        case .broken: "the log was begun anew before all of it was read."
        case .damaged: "the log is damaged: check the disk, and make a backup."
        case .engine(let reason): "\(reason)."
        }
    }
}
