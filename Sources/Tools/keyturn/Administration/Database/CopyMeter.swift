internal import Foundation
internal import StoreSQL

/// Measures a copy, and tells a person at a terminal how far it is.
final class CopyMeter {
    private var starts: [CopyProgress.Phase: ContinuousClock.Instant] = [:]
    private var ends: [CopyProgress.Phase: ContinuousClock.Instant] = [:]
    /// Rows that were done when the phase began.
    private var firstRows: [CopyProgress.Phase: Int] = [:]
    private var last = ContinuousClock.now
    private let begin = ContinuousClock.now
    private let isShown = isatty(STDERR_FILENO) == 1

    /// At most five times a second.
    func show(_ progress: CopyProgress) {
        note(progress)
        guard isShown, ContinuousClock.now - last > .milliseconds(200) else { return }
        last = .now
        let share = progress.total > 0 ? min(100, progress.rows * 100 / progress.total) : 100
        Live.writeError(
            """
            \r\u{1B}[K\(progress.phase.rawValue) \(progress.table): \(progress.tableRows) of \
            \(progress.tableTotal) rows; \(share) % of \(progress.total), \
            \(rate(progress.phase, progress.rows - (firstRows[progress.phase] ?? 0))) a second
            """)
    }

    private func note(_ progress: CopyProgress) {
        if starts[progress.phase] == nil {
            starts[progress.phase] = ends[.copying] ?? begin
            firstRows[progress.phase] = progress.rows - progress.tableRows
        }
        ends[progress.phase] = .now
    }

    /// How many of `rows` rows a phase did in a second.
    func rate(_ phase: CopyProgress.Phase, _ rows: Int) -> Int {
        guard let start = starts[phase], let end = ends[phase] else { return 0 }
        let seconds = (end - start) / .seconds(1)
        return seconds > 0 ? Int(Double(rows) / seconds) : rows
    }

    func clear() {
        if isShown { Live.writeError("\r\u{1B}[K") }
    }
}
