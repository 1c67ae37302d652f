internal import Logging
internal import StoreSQL

/// What the log says while a server that starts brings the schema up to date.
final class StepLog {
    private let logger: Logger
    private var pace = StepPace()

    init(_ logger: Logger) {
        self.logger = logger
    }

    func write(_ progress: StepProgress) {
        guard pace.isDue(progress) else { return }
        logger.notice(
            "schema",
            metadata: [
                "step": "\(progress.number)", "newest": "\(progress.newest)", "rows": "\(progress.rows)",
                "total": "\(progress.total)",
            ])
    }
}

/// When a step is logged: at its beginning, and with each further tenth of its rows.
struct StepPace {
    private var step = 0
    private var tenths = 0

    mutating func isDue(_ progress: StepProgress) -> Bool {
        let now = progress.total > 0 ? progress.rows * 10 / progress.total : 0
        guard progress.number != step || now > tenths else { return false }
        (step, tenths) = (progress.number, now)
        return true
    }
}
