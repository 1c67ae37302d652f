/// Runs work that may read many rows on another thread than the connection's event loop, which serves other requests
/// meanwhile: SQLite reads on the thread that asks. Task-local values go along; a cancellation does not.
func awayFromEventLoop<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await Task { try await work() }.value
}
