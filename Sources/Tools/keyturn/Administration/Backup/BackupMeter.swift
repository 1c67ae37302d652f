internal import Foundation
internal import StoreSQL
internal import Synchronization

/// Tells a user at a terminal how far a backup or a restore is, and ends it when Ctrl-C is pressed: what it made is
/// removed. A second time ends the program at once.
final class BackupMeter {
    private var last = ContinuousClock.now
    private let isShown = isatty(STDERR_FILENO) == 1
    private let presses: Presses
    private let interrupt: Interrupt

    private final class Presses: Sendable {
        let count = Atomic(0)
    }

    init() {
        let presses = Presses()
        self.presses = presses
        interrupt = Interrupt {
            if presses.count.add(1, ordering: .relaxed).newValue > 1 { exit(1) }
        }
    }

    deinit { interrupt.end() }

    /// At most five times a second.
    ///
    /// - Throws: ``CommandFailure`` after Ctrl-C.
    func show(_ progress: BackupProgress) throws {
        guard presses.count.load(ordering: .relaxed) == 0 else {
            throw CommandFailure.failed("interrupted.")
        }
        guard isShown, ContinuousClock.now - last > .milliseconds(200) else { return }
        last = .now
        let share = progress.total > 0 ? min(100, progress.done * 100 / progress.total) : 100
        Live.writeError("\r\u{1B}[K\(progress.phase.rawValue): \(share) %")
    }

    /// Before anything else is written there.
    func clear() {
        if isShown { Live.writeError("\r\u{1B}[K") }
    }
}
