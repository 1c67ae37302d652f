public import KeyturnBase

extension Keyturn {
    /// Any operation, for callers that are not asynchronous themselves.
    ///
    /// ```swift
    /// auth.perform { try await $0.accessToken() } completion: { result in … }
    /// ```
    ///
    /// - Parameters:
    ///   - operation: What to do with this container.
    ///   - completion: Called exactly once, on no particular thread.
    /// - Returns: The task; cancelling it cancels the operation.
    @discardableResult
    public func perform<Success: Sendable>(
        _ operation: @escaping @Sendable (Keyturn) async throws -> Success,
        completion: @escaping @Sendable (Result<Success, AuthError>) -> Void
    ) -> Task<Void, Never> {
        completing(self, operation, completion)
    }
}

/// Runs an operation and hands its result to a completion handler, once.
func completing<Subject: Sendable, Success: Sendable>(
    _ subject: Subject, _ operation: @escaping @Sendable (Subject) async throws -> Success,
    _ completion: @escaping @Sendable (Result<Success, AuthError>) -> Void
) -> Task<Void, Never> {
    // Unstructured on purpose: the caller has no structure to hang it on.
    Task { completion(await Result { try await operation(subject) }) }
}
