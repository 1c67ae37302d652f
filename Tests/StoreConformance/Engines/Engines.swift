/// The engines that the suite runs on.
enum Engines {
    static let all: [any Engine] = [SQLiteInMemory(), SQLiteFile(), PostgreSQL()]

    /// With the stores as values, which have not every store: checks of what they have.
    static let withValues: [any Engine] = all + [ValuesEngine()]

    /// Those whose databases survive a process.
    static let durable = all.filter(\.isDurable)

    /// Those whose disk can be filled for one database alone.
    static let fillable = all.filter(\.isFillable)
}
