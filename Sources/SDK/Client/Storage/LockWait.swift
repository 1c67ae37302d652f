internal import KeyturnBase

/// Waiting for a lock without holding a thread: look, pause a little longer each time, look again.
struct LockWait {
    private let deadline: ContinuousClock.Instant
    private var pauseMilliseconds = 1

    init(timeoutSeconds: Int64) {
        deadline = ContinuousClock.now + .seconds(timeoutSeconds)
    }

    /// Pauses before the next look.
    ///
    /// - Throws: `store.unavailable` when the time is over; `sign_in.cancelled` if the task is cancelled.
    mutating func pause() async throws(AuthError) {
        guard ContinuousClock.now < deadline else {
            throw AuthError(.storeUnavailable, "somebody else holds the lock of this container")
        }
        do {
            try await Task.sleep(for: .milliseconds(pauseMilliseconds))
        } catch {
            throw .taskCancelled
        }
        pauseMilliseconds = min(pauseMilliseconds * 2, 50)
    }
}
