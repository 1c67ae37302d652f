internal import Foundation

/// Tells a person at a terminal how far it is.
final class ImportProgress {
    private let input: InputFile
    private let start = ContinuousClock.now
    private var last = ContinuousClock.now
    private let isShown = isatty(STDERR_FILENO) == 1

    init(input: InputFile) {
        self.input = input
    }

    func rate(_ report: ImportReport) -> Int {
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        return seconds > 0 ? Int(Double(report.rowCount) / seconds) : report.rowCount
    }

    /// At most five times a second.
    func show(_ report: ImportReport) {
        guard isShown, ContinuousClock.now - last > .milliseconds(200) else { return }
        last = .now
        let share = input.byteCount.map { $0 > 0 ? " \(min(100, input.bytesRead * 100 / $0)) %" : "" } ?? ""
        Live.writeError("\r\u{1B}[K\(report.rowCount) rows\(share), \(rate(report)) a second: \(report.text)")
    }

    func clear() {
        if isShown { Live.writeError("\r\u{1B}[K") }
    }
}
