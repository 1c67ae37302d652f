public import KeyturnBase

extension PasskeyBackend {
    /// Any operation, for callers that are not asynchronous themselves.
    ///
    /// ```swift
    /// passkeys.perform { try await $0.verifyAuthToken(token) } completion: { result in … }
    /// ```
    ///
    /// - Parameters:
    ///   - operation: What to do with this backend.
    ///   - completion: Called exactly once, on no particular thread.
    /// - Returns: The task; cancelling it cancels the operation.
    @discardableResult
    public func perform<Success: Sendable>(
        _ operation: @escaping @Sendable (PasskeyBackend) async throws -> Success,
        completion: @escaping @Sendable (Result<Success, AuthError>) -> Void
    ) -> Task<Void, Never> {
        completing(self, operation, completion)
    }
}
