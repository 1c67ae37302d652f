internal import Foundation
internal import KeyturnBase

/// Stands for the system, which runs the block on a thread of its own, and again when the time is over.
extension ProcessInfo {
    func performExpiringActivity(withReason reason: String, using block: @escaping @Sendable (Bool) -> Void) {
        StandInActivities.shared.begin(block)
    }
}

/// The activities that were asked for.
final class StandInActivities: Sendable {
    static let shared = StandInActivities()

    private let blocks = Locked<[@Sendable (Bool) -> Void]>([])
    private let running = Locked(0)

    /// How many threads the system waits for.
    var count: Int { running.withLock { $0 } }

    func begin(_ block: @escaping @Sendable (Bool) -> Void) {
        blocks.withLock { $0.append(block) }
        running.withLock { $0 += 1 }
        DetachedThread.start { [self] in
            block(false)
            running.withLock { $0 -= 1 }
        }
    }

    /// The time is over for all of them.
    func expire() {
        let all = blocks.withLock { blocks in
            defer { blocks = [] }
            return blocks
        }
        for block in all { block(true) }
    }
}
