#if canImport(Security) && !os(macOS)
    internal import Dispatch
    internal import Foundation
    internal import KeyturnBase

    /// The system's own way to ask for time, in apps and in extensions. It gives a thread that it waits for.
    struct ExpiringActivity: FinishingTime {
        /// How long the system waits at least once it has said that the time is over, in seconds: one, to be careful.
        private static let lastSeconds = 1

        func ask(_ reason: String, expired: @escaping @Sendable () async -> Void) -> any FinishingWish {
            let wish = Wish()
            ProcessInfo.processInfo.performExpiringActivity(withReason: reason) { isExpired in
                guard isExpired else { return wish.wait() }
                let (last, isOver) = (DispatchSemaphore(value: 0), wish.isOver)
                if !isOver {
                    Task {
                        await expired()
                        last.signal()
                    }
                    _ = last.wait(timeout: .now() + .seconds(Self.lastSeconds))
                }
                wish.end()
            }
            return wish
        }

        private final class Wish: FinishingWish {
            private let done = DispatchSemaphore(value: 0)
            private let ended = Locked(false)

            var isOver: Bool { ended.withLock { $0 } }

            func wait() {
                done.wait()
            }

            func end() {
                let isFirst = ended.withLock { ended in
                    defer { ended = true }
                    return !ended
                }
                if isFirst { done.signal() }
            }
        }
    }
#endif
