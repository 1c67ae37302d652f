internal import Foundation
internal import StoreSQL

/// Tells a user at a terminal how far a backup or a restore is.
final class BackupMeter {
    private var last = ContinuousClock.now
    private let isShown = isatty(STDERR_FILENO) == 1

    /// At most five times a second.
    func show(_ progress: BackupProgress) {
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
