extension Dialect {
    /// What the engine calls the things for which SQL has no common word: one line for each engine.
    var fragments: any SQLFragments {
        switch self {
        case .sqlite: SQLiteFragments()
        }
    }
}
