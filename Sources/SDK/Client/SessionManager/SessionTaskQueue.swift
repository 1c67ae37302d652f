internal import KeyturnBase

/// What a manager was asked to do by callers that did not wait, one after the other.
final class SessionTaskQueue: Sendable {
    typealias SessionTask = @Sendable (SessionKeeper) async -> Void

    private let inbox: AsyncStream<SessionTask>.Continuation

    init(_ keeper: SessionKeeper) {
        let (tasks, inbox) = AsyncStream.makeStream(of: SessionTask.self)
        self.inbox = inbox
        // Unstructured on purpose: it lives as long as the queue, knows only the keeper, and ends when that is closed
        // and what was asked for is done.
        Task {
            for await task in tasks { await task(keeper) }
        }
    }

    deinit {
        inbox.finish()
    }

    func add(_ task: @escaping SessionTask) {
        inbox.yield(task)
    }

    /// Waits until everything is done that was asked for before.
    func finish() async {
        await withCheckedContinuation { waiter in
            add { _ in waiter.resume() }
        }
    }
}
