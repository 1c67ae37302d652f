internal import CPostgreSQL
internal import Model

/// Why PostgreSQL did not do what it was asked, by what the driver does about it.
struct PostgreSQLProblem: Error, Hashable, CustomStringConvertible {
    enum Kind: Hashable {
        /// The row exists, or what it refers to does not.
        case conflict
        /// No room on the disk.
        case full
        /// Another transaction was in the way: the same transaction may be tried again.
        case contention
        /// A prepared statement no longer fits the schema: it is prepared again.
        case stale
        /// The connection is gone, or leads to a server that cannot write. Whether a commit that was under way
        /// happened is not known.
        case lost
        /// Anything else.
        case failed
    }

    let kind: Kind
    /// Five letters and digits; empty if the server sent none.
    let state: String
    /// The server's sentence, without the values that it is about.
    let message: String

    var description: String { state.isEmpty ? message : "\(message) (\(state))" }

    init(_ kind: Kind, _ message: String, state: String = "") {
        self.kind = kind
        self.state = state
        self.message = message
    }

    /// From a result that is an error.
    @unsafe init(_ result: OpaquePointer?) {
        // The macros PG_DIAG_SQLSTATE and PG_DIAG_MESSAGE_PRIMARY.
        func field(_ code: Character) -> String {
            guard let text = unsafe PQresultErrorField(result, Int32(code.asciiValue ?? 0)) else { return "" }
            return unsafe String(cString: text)
        }
        let state = field("C")
        let message = field("M")
        self.init(Self.kind(state, message), message.isEmpty ? "the connection was closed" : message, state: state)
    }

    /// Appendix A of the manual: the first two characters are the class.
    static func kind(_ state: String, _ message: String) -> Kind {
        switch state {
        case "": .lost
        case "40001", "40P01", "55P03": .contention
        case "53100": .full
        // A text that PostgreSQL has no bytes for is no column's value.
        case "22021", "22P05": .conflict
        case "57P01", "57P02", "57P03", "25006": .lost
        case "0A000" where message.contains("cached plan"): .stale
        case "26000": .stale
        default:
            switch state.prefix(2) {
            case "23": .conflict
            case "08": .lost
            default: .failed
            }
        }
    }
}

extension StoreError {
    /// Translates errors of PostgreSQL: the only place.
    init(_ problem: PostgreSQLProblem) {
        switch problem.kind {
        case .conflict: self.init(.conflict, cause: problem)
        case .full: self.init(.full, cause: problem)
        case .contention, .stale, .lost, .failed: self.init(.unavailable, cause: problem)
        }
    }
}
