public import KeyturnBase

/// Keeps tokens where sessions are kept: in a sealed file, the desktop's keyring or the keychain.
public struct SessionTokenStore: TokenStore {
    private let store: any SessionStore
    private let ambient: Ambient

    /// - Parameters:
    ///   - store: Where; it may hold sessions as well.
    ///   - ambient: Clock and randomness.
    public init(_ store: any SessionStore, ambient: Ambient = .live) {
        self.store = store
        self.ambient = ambient
    }

    /// The tokens under `name`.
    ///
    /// - Throws: `store.unavailable` if it cannot be known, or what is there are no tokens.
    public func read(_ name: String) async throws -> ServiceTokens? {
        switch await store.read(name) {
        case .absent: return nil
        case .unavailable(let error): throw error
        case .found(let record):
            guard let tokens = ServiceTokens(serialized: record.contents) else {
                throw AuthError(.storeUnavailable, "the stored tokens are damaged, or written by another release")
            }
            return tokens
        }
    }

    /// Replaces what is there, also where it cannot be read.
    ///
    /// - Throws: `store.unavailable`.
    public func write(_ tokens: ServiceTokens, for name: String) async throws {
        // Each record is one of its own: the last writer is right, because a renewal holds the lock.
        let generation = Generation(signIn: ambient.randomToken(byteCount: 16), number: 1)
        _ = try await store.write(
            StoredRecord(generation: generation, contents: tokens.serialized), for: name, when: .always)
    }

    /// Removes what is there.
    ///
    /// - Throws: `store.unavailable`.
    public func clear(_ name: String) async throws {
        _ = try await store.remove(name, when: .always)
    }

    public func lock(_ name: String, timeoutSeconds: Int64) async throws -> (any StoreLock)? {
        try await store.lock(name, timeoutSeconds: timeoutSeconds)
    }
}
