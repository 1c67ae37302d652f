internal import Foundation
internal import Synchronization

/// Listens for SIGTERM and SIGINT. The second one ends the program at once.
final class StopSignals {
    private let sources: [any DispatchSourceSignal]

    init(onFirst stop: @escaping @Sendable () -> Void) {
        let count = SignalCount()
        sources = [SIGTERM, SIGINT].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                if count.next() == 1 { stop() } else { exit(1) }
            }
            source.resume()
            return source
        }
    }

    func cancel() {
        for source in sources { source.cancel() }
    }
}

/// Counts signals.
private final class SignalCount: Sendable {
    private let count = Mutex(0)

    /// This signal's number, from 1.
    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
