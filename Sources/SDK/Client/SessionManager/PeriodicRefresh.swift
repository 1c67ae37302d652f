internal import KeyturnBase

/// Looks after a session now and then, as long as its session is in use.
///
/// Not a timer: a task that pauses, looks, and pauses again. It ends by itself when there is nothing left to do.
final class PeriodicRefresh: Sendable {
    /// Waits so many seconds; throws when cancelled.
    typealias Pause = @Sendable (_ seconds: Int64) async throws -> Void
    /// Looks once; `false`: no more, for now.
    typealias Look = @Sendable () async -> Bool

    private struct Run: Sendable {
        var task: Task<Void, Never>?
        var everySeconds: Int64 = 0
        /// Tells a run that was given up from the one that took its place.
        var number = 0
    }

    private let pause: Pause
    private let run = Locked(Run())

    init(_ pause: @escaping Pause) {
        self.pause = pause
    }

    deinit {
        run.withLock { $0.task }?.cancel()
    }

    /// Whether it runs.
    var isRunning: Bool { run.withLock { $0.task != nil } }

    /// Runs every so many seconds from now on; 0: not at all. Leaves a run alone that is as it should be.
    ///
    /// - Parameters:
    ///   - seconds: How often; asked while no other task adjusts, so that the last word is about how things stand.
    ///   - ended: Called when a run has ended by itself.
    func adjust(everySeconds seconds: () -> Int64, look: @escaping Look, ended: @escaping @Sendable () -> Void) {
        let given: Task<Void, Never>? = run.withLock { run in
            let everySeconds = seconds()
            let isRunning = run.task != nil
            guard isRunning != (everySeconds > 0) || isRunning && run.everySeconds != everySeconds else { return nil }
            defer { run.task = everySeconds > 0 ? makeTask(run.number, everySeconds, look, ended) : nil }
            run.number += 1
            run.everySeconds = everySeconds
            return run.task
        }
        given?.cancel()
    }

    private func makeTask(
        _ number: Int, _ everySeconds: Int64, _ look: @escaping Look, _ ended: @escaping @Sendable () -> Void
    ) -> Task<Void, Never> {
        // Unstructured on purpose: it serves no call. It keeps nothing alive, and ends with its owner.
        Task { [weak self, pause] in
            repeat {
                guard (try? await pause(everySeconds)) != nil, !Task.isCancelled else { return }
            } while await look()
            guard self?.finish(number) == true else { return }
            ended()
        }
    }

    private func finish(_ number: Int) -> Bool {
        run.withLock { run in
            guard run.number == number else { return false }
            run.task = nil
            return true
        }
    }
}
