internal import Logging
internal import NIOCore
internal import NIOPosix
internal import ServiceLifecycle

/// Tells the service manager again and again that the program is not hung.
///
/// Before each message every part is asked, and must answer. A part that never answers keeps the message back, and the
/// service manager starts the program anew.
struct Watchdog: Service {
    /// Something that must answer.
    struct Part: Sendable {
        /// What the log calls it.
        let name: String
        /// Returns when it has answered, be it with an error: a database that is away is not healed by a restart.
        let answer: @Sendable () async -> Void

        /// All threads that serve connections.
        static let eventLoops = Part(name: "event loops") {
            let answers = MultiThreadedEventLoopGroup.singleton.makeIterator().map { $0.submit {} }
            for answer in answers { try? await answer.get() }
        }
    }

    /// How often it is told: twice in the time after which the program is taken for hung.
    private let interval: Duration
    private let parts: [Part]
    private let tell: @Sendable () -> Void
    private let logger: Logger

    /// - Parameters:
    ///   - timeout: after so long without a message the program is taken for hung.
    ///   - tell: sends the message.
    init(timeout: Duration, parts: [Part], logger: Logger, tell: @escaping @Sendable () -> Void) {
        interval = timeout / 2
        self.parts = parts
        self.logger = logger
        self.tell = tell
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await ask()
                tell()
                try? await Task.sleep(for: interval)
            }
        }
    }

    /// Returns when every part has answered. The log names those that take long.
    private func ask() async {
        await withTaskGroup(of: String?.self) { group in
            var silent = Set(parts.map(\.name))
            for part in parts {
                group.addTask {
                    await part.answer()
                    return part.name
                }
            }
            group.addTask {
                // Half of what is left before the restart.
                try? await Task.sleep(for: interval / 2)
                return nil
            }
            while !silent.isEmpty, let answered = await group.next() {
                if let answered {
                    silent.remove(answered)
                } else if !Task.isCancelled {
                    logger.error(
                        "no answer within the time of the watchdog: without one the server is started anew",
                        metadata: ["parts": "\(silent.sorted().joined(separator: ", "))"])
                }
            }
            group.cancelAll()
        }
    }
}
