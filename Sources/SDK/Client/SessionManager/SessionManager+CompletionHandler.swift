public import KeyturnBase

extension SessionManager {
    /// Any operation, for callers that are not asynchronous themselves.
    ///
    /// ```swift
    /// manager.perform { try await $0.refreshSessionIfNeeded() } completion: { result in … }
    /// ```
    ///
    /// - Parameters:
    ///   - operation: What to do with this manager.
    ///   - completion: Called exactly once, on no particular thread.
    /// - Returns: The task; cancelling it cancels the operation.
    @discardableResult
    public func perform<Success: Sendable>(
        _ operation: @escaping @Sendable (SessionManager) async throws -> Success,
        completion: @escaping @Sendable (Result<Success, AuthError>) -> Void
    ) -> Task<Void, Never> {
        completing(self, operation, completion)
    }
}
