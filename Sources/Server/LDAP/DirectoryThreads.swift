#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif
internal import KeyturnBase
internal import Synchronization

/// The threads that wait for directories: few, separate from all others, and with a bounded queue.
final class DirectoryThreads: Sendable {
    private struct State {
        var running = 0
        var waiting: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())
    private let threadsMax: Int
    private let backlogMax: Int

    init(threadsMax: Int, backlogMax: Int) {
        precondition(threadsMax > 0 && backlogMax >= 0)
        self.threadsMax = threadsMax
        self.backlogMax = backlogMax
    }

    /// Runs `work` on one of the threads, and waits for it no longer than `patience`. Work that outlives its caller ends
    /// by its own deadline, and its result is dropped; work that was not begun in time never is.
    ///
    /// - Returns: `nil` if it took too long, the queue is full, or the system has no thread left.
    func run<Result: Sendable>(patience: Duration, _ work: @escaping @Sendable () -> Result) async -> Result? {
        await withCheckedContinuation { continuation in
            let answer = Answer(continuation)
            // Unstructured on purpose: the caller cannot wait for a thread that hangs in a look-up of a name.
            let timer = Task {
                try? await Task.sleep(for: patience)
                answer.give(nil)
            }
            let isAdmitted = admit {
                if !answer.isGiven { answer.give(work()) }
                timer.cancel()
            }
            if !isAdmitted {
                timer.cancel()
                answer.give(nil)
            }
        }
    }

    /// Threads that run; for tests.
    var running: Int { state.withLock { $0.running } }
    /// Jobs that wait for a thread.
    var backlog: Int { state.withLock { $0.waiting.count } }

    private func admit(_ job: @escaping @Sendable () -> Void) -> Bool {
        let isNew: Bool? = state.withLock { state in
            if state.running < threadsMax {
                state.running += 1
                return true
            }
            guard state.waiting.count < backlogMax else { return nil }
            state.waiting.append(job)
            return false
        }
        guard let isNew else { return false }
        guard isNew else { return true }
        let isStarted = DetachedThread.start {
            Self.ignoreBrokenPipes()
            self.drain(beginningWith: job)
        }
        if !isStarted { state.withLock { $0.running -= 1 } }
        return isStarted
    }

    private func drain(beginningWith first: @escaping @Sendable () -> Void) {
        var job: (@Sendable () -> Void)? = first
        while let current = job {
            current()
            job = state.withLock { state in
                guard !state.waiting.isEmpty else {
                    state.running -= 1
                    return nil
                }
                return state.waiting.removeFirst()
            }
        }
    }

    /// libldap writes to sockets that the directory may have closed. The signal of that would end the process.
    private static func ignoreBrokenPipes() {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGPIPE)
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// A continuation that is resumed once.
    private final class Answer<Result: Sendable>: Sendable {
        private let continuation: Mutex<CheckedContinuation<Result?, Never>?>

        init(_ continuation: CheckedContinuation<Result?, Never>) {
            self.continuation = Mutex(continuation)
        }

        var isGiven: Bool { continuation.withLock { $0 == nil } }

        func give(_ result: Result?) {
            let waiting = continuation.withLock { continuation in
                defer { continuation = nil }
                return continuation
            }
            waiting?.resume(returning: result)
        }
    }
}
