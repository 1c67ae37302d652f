internal import Keyturn
internal import Observation

/// One sign-in at a time, for as long as a view is there.
@Observable @MainActor
final class SignInRun {
    /// Whether one is under way.
    private(set) var isRunning = false
    @ObservationIgnored private var task: Task<Void, Never>?

    deinit {
        // The view is gone.
        task?.cancel()
    }

    /// Begins a sign-in, unless one is under way.
    ///
    /// - Parameters:
    ///   - signIn: Ends when its task is cancelled.
    ///   - report: Told `nil` when it begins, and its failure when it ends. A user who gives up has not failed.
    func begin(
        _ signIn: @escaping @MainActor () async throws(AuthError) -> Void,
        report: @escaping @MainActor (AuthError?) -> Void
    ) {
        guard !isRunning else { return }
        isRunning = true
        report(nil)
        task = Task { [weak self] in
            var failure: AuthError?
            do throws(AuthError) {
                try await signIn()
            } catch {
                failure = error.code == .cancelled ? nil : error
            }
            guard let self else { return }
            self.isRunning = false
            self.task = nil
            if let failure { report(failure) }
        }
    }
}
