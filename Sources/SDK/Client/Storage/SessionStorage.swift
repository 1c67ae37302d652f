public import KeyturnBase

/// Where a container keeps its session.
public enum SessionStorage: Sendable {
    /// The safest lasting place that this platform offers. On Linux a new session goes to the desktop's keyring if that
    /// is open, see ``SecretServiceStore``, and otherwise to a sealed file, see ``SealedFileStore``; it stays where it
    /// is until it ends. On Apple's systems it goes to the keychain, see `KeychainStore`, except a tool's on the Mac,
    /// which goes to a sealed file.
    case automatic
    /// Nowhere but in this container's memory: nothing at all is written to disk, and the session ends with the
    /// process. To share one among containers, pass the same ``MemoryStore`` as ``custom(_:)``.
    case memory
    /// A store of the app's own.
    case custom(any SessionStore)
}

extension SessionStorage {
    /// The store itself.
    ///
    /// - Parameter ambient: Clock and randomness.
    public func makeStore(ambient: Ambient) -> any SessionStore {
        switch self {
        case .memory: return MemoryStore()
        case .custom(let store): return store
        case .automatic:
            #if canImport(Security)
                // An app's container takes no folders beside its own, so a file under the home folder is no way out.
                if AppleProgram.isApp { return KeychainStore() }
            #endif
            guard let locations = SealedFileStore.Locations.environment() else {
                return UnavailableStore(
                    error: AuthError(.storeUnavailable, "no home directory: set HOME, or choose a storage"))
            }
            #if os(Linux)
                return AutomaticStore(locations, addresses: BusAddress.environment(), ambient: ambient)
            #else
                return SealedFileStore(locations, ambient: ambient)
            #endif
        }
    }
}

extension SessionStorage {
    /// Whether what is stored ends with the process.
    var endsWithProcess: Bool {
        switch self {
        case .memory: true
        case .automatic: false
        case .custom(let store): store is MemoryStore
        }
    }
}

/// Stands for a store that this machine cannot offer.
struct UnavailableStore: SessionStore {
    let error: AuthError

    func read(_ container: String) async -> StoreReading { .unavailable(error) }
    func write(
        _ record: StoredRecord, for container: String, when condition: StoreCondition
    ) async throws(AuthError) -> StoreOutcome { throw error }
    func remove(_ container: String, when condition: StoreCondition) async throws(AuthError) -> StoreOutcome {
        throw error
    }
    func lock(_ container: String, timeoutSeconds: Int64) async throws(AuthError) -> (any StoreLock)? { throw error }
    func changeMark(_ container: String) async -> ChangeMark? { nil }
}
