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
    /// - Returns: `false`, at once, when the time is over.
    /// - Throws: `sign_in.cancelled` if the task is cancelled.
    mutating func pause() async throws(AuthError) -> Bool {
        guard ContinuousClock.now < deadline else { return false }
        do {
            try await Task.sleep(for: .milliseconds(pauseMilliseconds))
        } catch {
            throw .taskCancelled
        }
        pauseMilliseconds = min(pauseMilliseconds * 2, 50)
        return true
    }
}
