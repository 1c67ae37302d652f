/// The engines that the suite runs on.
enum Engines {
    static let all: [any Engine] = [SQLiteInMemory(), SQLiteFile()]

    /// Those whose databases survive a process.
    static let durable = all.filter(\.isDurable)
}
