internal import KeyturnBase

extension AuthError {
    /// The calling task was cancelled: `sign_in.cancelled` with its cause, as every transport reports it.
    static let taskCancelled = AuthError(.cancelled, "the calling task was cancelled", cause: CancellationError())

    /// Whether it was the task that was cancelled, rather than a person who gave up.
    var isTaskCancelled: Bool { code == .cancelled && cause is CancellationError }
}
