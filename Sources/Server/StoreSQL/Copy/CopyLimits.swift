/// Bounds of a copy and of a comparison.
enum CopyLimits {
    /// Rows of one transaction, which is what an interruption costs; also rows that are read at once.
    static let batchRowsMax = 1_000
    /// Differences that are named; the rest is counted.
    static let differencesShown = 50
}
