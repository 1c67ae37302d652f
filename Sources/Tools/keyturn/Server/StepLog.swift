internal import Logging
internal import StoreSQL

/// What the log says while a server that starts brings the schema up to date: each step, and each tenth of its rows.
final class StepLog {
    private let logger: Logger
    private var step = 0
    private var tenth = 0

    init(_ logger: Logger) {
        self.logger = logger
    }

    func write(_ progress: StepProgress) {
        let now = progress.total > 0 ? progress.rows * 10 / progress.total : 0
        guard progress.number != step || now > tenth else { return }
        (step, tenth) = (progress.number, now)
        logger.notice(
            "schema",
            metadata: [
                "step": "\(progress.number)", "newest": "\(progress.newest)", "rows": "\(progress.rows)",
                "total": "\(progress.total)",
            ])
    }
}
