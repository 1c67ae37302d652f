public import Model
public import Telemetry
internal import Synchronization

/// The threads that hash passwords: few, separate from all others, and with a bounded queue.
///
/// A password check costs a thousand times what a refresh costs. On these low-priority threads it delays nothing else.
/// A check that waited too long is dropped, because its client has given up.
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
    /// The number of simultaneous checks.
    package let threads: Int
    private let backlogMax: Int
    private let waitMax: Duration
    private let metrics: HashingMetrics
    /// Runs its argument on a new thread. `false`: the system has none.
    private let start: @Sendable (@escaping @Sendable () -> Void) -> Bool

    /// - Parameters:
    ///   - threads: simultaneous checks; more than there are cores only uses more memory.
    ///   - backlogMax: checks that may wait.
    ///   - waitMilliseconds: how long one may wait.
    ///   - metrics: what is recorded, and under which name.
    public convenience init(
        threads: Int, backlogMax: Int = Limits.hashBacklogMax, waitMilliseconds: Int = Limits.hashWaitMilliseconds,
        metrics: HashingMetrics = HashingMetrics(pool: "passwords")
    ) {
        self.init(
            threads: threads, backlogMax: backlogMax, waitMilliseconds: waitMilliseconds, metrics: metrics,
            start: HashingThread.start)
    }

    init(
        threads: Int, backlogMax: Int, waitMilliseconds: Int,
        metrics: HashingMetrics = HashingMetrics(pool: "passwords"),
        start: @escaping @Sendable (@escaping @Sendable () -> Void) -> Bool
    ) {
        precondition(threads > 0 && backlogMax >= 0)
        state = Mutex(State(idleThreads: threads))
        self.threads = threads
        self.backlogMax = backlogMax
        waitMax = .milliseconds(waitMilliseconds)
        self.metrics = metrics
        self.start = start
    }

    /// Runs `work` on one of the pool's threads.
    ///
    /// - Throws: ``Saturated`` if the queue is full, the work waited too long in it, or the system has no thread left.
    package func run<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async throws(Saturated) -> Result {
        let span = ChildSpan.begin("hash")
        let result: Result? = await withCheckedContinuation { continuation in
            let job = Job(
                work: { continuation.resume(returning: work()) },
                shed: { continuation.resume(returning: nil) },
                enqueued: .now)
            admit(job)
        }
        guard let result else {
            metrics.refuse()
            span.end(failure: "saturated")
            throw Saturated()
        }
        span.end()
        return result
    }

    /// Threads that could start now.
    package var idleThreads: Int { state.withLock { $0.idleThreads } }

    /// Work that waits for a thread.
    package var waitingJobs: Int { state.withLock { $0.waiting.count } }

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

    /// Drops a job that got no thread, and those behind it if no other thread will run them.
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
            let begin = ContinuousClock.now
            if begin - current.enqueued > waitMax {
                current.shed()
            } else {
                current.work()
                metrics.record(wait: begin - current.enqueued, hash: .now - begin)
            }
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
