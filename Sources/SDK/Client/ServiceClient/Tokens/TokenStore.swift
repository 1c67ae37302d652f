/// Where a ``ServiceClient`` keeps its tokens between runs.
///
/// A store holds at most one record for each name. Names tell subjects, applications and services apart, so that two
/// users never overwrite each other. What is stored is secret. Errors of any kind mean that the store cannot be used
/// now; `nil` from ``read(_:)`` means that it was looked into, and there is nothing.
public protocol TokenStore: Sendable {
    /// What is stored under `name`.
    func read(_ name: String) async throws -> ServiceTokens?

    /// Replaces what is stored under `name`, in one step.
    func write(_ tokens: ServiceTokens, for name: String) async throws

    /// Removes what is stored under `name`. Removing nothing is no error.
    func clear(_ name: String) async throws

    /// Waits until no other task renews what is stored under `name`, in this process or another.
    ///
    /// - Returns: The lock; `nil` if the store has none, or the time is over: the renewal then goes on without it.
    func lock(_ name: String, timeoutSeconds: Int64) async throws -> (any StoreLock)?
}

extension TokenStore {
    /// No lock: enough where one process uses the store.
    public func lock(_ name: String, timeoutSeconds: Int64) async throws -> (any StoreLock)? { nil }
}

/// Keeps tokens in this process's memory alone. Clients that are given the same store share them.
public actor MemoryTokenStore: TokenStore {
    private var contents: [String: ServiceTokens] = [:]

    /// An empty store.
    public init() {}

    public func read(_ name: String) -> ServiceTokens? { contents[name] }

    public func write(_ tokens: ServiceTokens, for name: String) { contents[name] = tokens }

    public func clear(_ name: String) { contents[name] = nil }
}
