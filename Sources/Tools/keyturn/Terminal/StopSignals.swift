internal import Foundation

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
