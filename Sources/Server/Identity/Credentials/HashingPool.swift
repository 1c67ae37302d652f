internal import Dispatch
internal import Synchronization

/// The threads that hash passwords: few, its own, and with a bounded queue before them.
///
/// A password check costs a thousand times what a refresh costs. On its own threads it cannot make anything else
/// wait; and a check that waited too long is dropped, because whoever asked has gone.
public final class HashingPool: Sendable {
    /// A check was not made, because too many were waiting.
    public struct Saturated: Error, Sendable {}

    private struct Job: Sendable {
        let work: @Sendable () -> Void
        let shed: @Sendable () -> Void
        let enqueued: ContinuousClock.Instant
    }

    private struct State: Sendable {
        var waiting: [Job] = []
        var idleThreads: Int
    }

    private let state: Mutex<State>
    private let queue = DispatchQueue(label: "keyturn.hashing", qos: .utility, attributes: .concurrent)
    private let backlogMax: Int
    private let waitMax: Duration

    /// - Parameters:
    ///   - threads: checks at the same time; more than there are cores only uses more memory.
    ///   - backlogMax: checks that may wait.
    ///   - waitMilliseconds: how long one may wait.
    public init(
        threads: Int, backlogMax: Int = Limits.hashBacklogMax, waitMilliseconds: Int = Limits.hashWaitMilliseconds
    ) {
        precondition(threads > 0 && backlogMax >= 0)
        state = Mutex(State(idleThreads: threads))
        self.backlogMax = backlogMax
        waitMax = .milliseconds(waitMilliseconds)
    }

    /// Runs `work` on one of the pool's threads.
    ///
    /// - Throws: ``Saturated`` if the queue is full, or the work waited too long in it.
    func run<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async throws(Saturated) -> Result {
        let result: Result? = await withCheckedContinuation { continuation in
            let job = Job(
                work: { continuation.resume(returning: work()) },
                shed: { continuation.resume(returning: nil) },
                enqueued: .now)
            admit(job)
        }
        guard let result else { throw Saturated() }
        return result
    }

    private func admit(_ job: Job) {
        let verdict = state.withLock { state -> Admission in
            if state.idleThreads > 0 {
                state.idleThreads -= 1
                return .start
            }
            guard state.waiting.count < backlogMax else { return .refuse }
            state.waiting.append(job)
            return .wait
        }
        switch verdict {
        case .start: queue.async { self.drain(beginningWith: job) }
        case .wait: break
        case .refuse: job.shed()
        }
    }

    private enum Admission {
        case start, wait, refuse
    }

    /// Works through the queue until it is empty, then gives the thread back.
    private func drain(beginningWith first: Job) {
        var job: Job? = first
        while let current = job {
            if ContinuousClock.now - current.enqueued > waitMax { current.shed() } else { current.work() }
            job = state.withLock { state in
                guard !state.waiting.isEmpty else {
                    state.idleThreads += 1
                    return nil
                }
                return state.waiting.removeFirst()
            }
        }
    }
}
