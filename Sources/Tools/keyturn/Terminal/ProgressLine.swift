internal import Foundation

/// A line on a terminal that counts while a command works; nothing where standard error is no terminal.
final class ProgressLine {
    private let unit: String
    private let isShown = isatty(STDERR_FILENO) == 1
    private var last = ContinuousClock.now

    /// - Parameter unit: what is counted.
    init(_ unit: String) {
        self.unit = unit
    }

    /// At most five times a second.
    func show(_ count: Int) {
        show("\(count) \(unit)")
    }

    /// The same in other words.
    func show(_ text: String) {
        guard isShown, ContinuousClock.now - last > .milliseconds(200) else { return }
        last = .now
        Live.writeError("\r\u{1B}[K\(text)")
    }

    /// Takes the line away.
    func end() {
        if isShown { Live.writeError("\r\u{1B}[K") }
    }
}
