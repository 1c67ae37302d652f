public import KeyturnBase

extension Result where Failure == AuthError {
    /// `await Result { try await auth.accessToken() }`, for code that prefers a value to a `try`.
    ///
    /// An error that is not this library's becomes `protocol.violation` with that error as its cause.
    public init(catching body: () async throws -> Success) async {
        do {
            self = .success(try await body())
        } catch {
            self = .failure(
                error as? AuthError ?? AuthError(.protocolViolation, "an error of another kind", cause: error))
        }
    }
}
