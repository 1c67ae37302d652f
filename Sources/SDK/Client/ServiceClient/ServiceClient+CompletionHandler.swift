public import KeyturnBase

extension ServiceClient {
    /// Any operation, for callers that are not asynchronous themselves.
    ///
    /// ```swift
    /// client.perform { try await $0.call("GET", "/2.0/users/me") } completion: { result in … }
    /// ```
    ///
    /// - Parameters:
    ///   - operation: What to do with this client.
    ///   - completion: Called exactly once, on no particular thread.
    /// - Returns: The task; cancelling it cancels the operation.
    @discardableResult
    public func perform<Success: Sendable>(
        _ operation: @escaping @Sendable (ServiceClient) async throws -> Success,
        completion: @escaping @Sendable (Result<Success, AuthError>) -> Void
    ) -> Task<Void, Never> {
        completing(self, operation, completion)
    }
}
