internal import Foundation
internal import Synchronization

/// Listens for SIGTERM and SIGINT from when it is made. The second one ends the program at once.
final class StopSignals {
    private let sources: [any DispatchSourceSignal]

    init(onFirst stop: @escaping @Sendable () -> Void) async {
        let count = SignalCount()
        var sources: [any DispatchSourceSignal] = []
        for number in [SIGTERM, SIGINT] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                if count.next() == 1 { stop() } else { exit(1) }
            }
            // Until then a signal is lost: another thread registers it.
            await withCheckedContinuation { registered in
                source.setRegistrationHandler { registered.resume() }
                source.resume()
            }
            sources.append(source)
        }
        self.sources = sources
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
