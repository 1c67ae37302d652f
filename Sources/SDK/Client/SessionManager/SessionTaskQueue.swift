internal import KeyturnBase

/// What a manager was asked to do by callers that did not wait, one after the other.
final class SessionTaskQueue: Sendable {
    typealias Errand = @Sendable (SessionKeeper) async -> Void

    private let inbox: AsyncStream<Errand>.Continuation

    init(_ keeper: SessionKeeper) {
        let (errands, inbox) = AsyncStream.makeStream(of: Errand.self)
        self.inbox = inbox
        // Unstructured on purpose: it lives as long as the queue, knows only the keeper, and ends when that is closed
        // and what was asked for is done.
        Task {
            for await errand in errands { await errand(keeper) }
        }
    }

    deinit {
        inbox.finish()
    }

    func add(_ errand: @escaping Errand) {
        inbox.yield(errand)
    }

    /// Waits until everything is done that was asked for before.
    func finish() async {
        await withCheckedContinuation { waiter in
            add { _ in waiter.resume() }
        }
    }
}
