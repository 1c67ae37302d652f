internal import GRDB
internal import GRDBSQLite
internal import Model

extension StoreError {
    /// Translates errors of SQLite: the only place.
    init(translating error: any Error) {
        let code =
            switch error {
            case let error as StoreError: error
            case let problem as SQLiteProblem: StoreError(Self.code(problem.code), cause: problem)
            case let error as DatabaseError: StoreError(Self.code(error.resultCode.rawValue), cause: error)
            default: StoreError(.unavailable, cause: error)
            }
        self = code
    }

    private static func code(_ code: Int32) -> Code {
        switch code {
        case SQLITE_CONSTRAINT: .conflict
        case SQLITE_FULL: .full
        default: .unavailable
        }
    }
}
