extension Dialect {
    /// The engine's own SQL for what has no common form: one line for each engine.
    var fragments: any SQLFragments {
        switch self {
        case .sqlite: SQLiteFragments()
        case .postgreSQL: PostgreSQLFragments()
        }
    }
}
