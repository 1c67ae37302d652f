public import Model
internal import Synchronization

/// The threads that hash passwords: few, its own, and with a bounded queue before them.
///
/// A password check costs a thousand times what a refresh costs. On its own threads, which give way to all others, it
/// makes nothing else wait; and a check that waited too long is dropped, because whoever asked has gone.
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
    /// Checks at the same time.
    package let threads: Int
    private let backlogMax: Int
    private let waitMax: Duration
    /// Runs its argument on a thread of its own, unless there is none to be had.
    private let start: @Sendable (@escaping @Sendable () -> Void) -> Bool

    /// - Parameters:
    ///   - threads: checks at the same time; more than there are cores only uses more memory.
    ///   - backlogMax: checks that may wait.
    ///   - waitMilliseconds: how long one may wait.
    public convenience init(
        threads: Int, backlogMax: Int = Limits.hashBacklogMax, waitMilliseconds: Int = Limits.hashWaitMilliseconds
    ) {
        self.init(
            threads: threads, backlogMax: backlogMax, waitMilliseconds: waitMilliseconds, start: HashingThread.start)
    }

    init(
        threads: Int, backlogMax: Int, waitMilliseconds: Int,
        start: @escaping @Sendable (@escaping @Sendable () -> Void) -> Bool
    ) {
        precondition(threads > 0 && backlogMax >= 0)
        state = Mutex(State(idleThreads: threads))
        self.threads = threads
        self.backlogMax = backlogMax
        waitMax = .milliseconds(waitMilliseconds)
        self.start = start
    }

    /// Runs `work` on one of the pool's threads.
    ///
    /// - Throws: ``Saturated`` if the queue is full, the work waited too long in it, or the system has no thread left.
    package func run<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async throws(Saturated) -> Result {
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

    /// Threads that could start at once; for tests.
    var idleThreads: Int { state.withLock { $0.idleThreads } }

    /// Work that waits for a thread; for tests.
    var waitingJobs: Int { state.withLock { $0.waiting.count } }

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
        case .start: if !start({ self.drain(beginningWith: job) }) { abandon(job) }
        case .wait: break
        case .refuse: job.shed()
        }
    }

    private enum Admission {
        case start, wait, refuse
    }

    /// Gives up a job that got no thread, and those behind it if no other thread will come to them.
    private func abandon(_ job: Job) {
        let stranded = state.withLock { state -> [Job] in
            state.idleThreads += 1
            guard state.idleThreads == threads else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for job in [job] + stranded { job.shed() }
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
