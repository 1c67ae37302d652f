#if os(Linux)
    internal import KeyturnBase

    /// The keyring or the sealed file, for each session by itself.
    ///
    /// A new session goes to the keyring if that is open, and otherwise into the file. There it stays until it ends,
    /// even if its place cannot be reached for a while: then it is unavailable. The file knows of both, so that every
    /// process finds the same.
    struct AutomaticStore: ImmediateStore {
        private let keyring: SecretServiceStore

        init(_ locations: SealedFileStore.Locations, addresses: [BusAddress], ambient: Ambient) {
            keyring = SecretServiceStore(locations, addresses: addresses, ambient: ambient)
        }

        func read(_ container: String) async -> StoreReading {
            await keyring.read(container)
        }

        func readNow(_ container: String) -> StoreReading {
            keyring.readNow(container)
        }

        func write(
            _ record: StoredRecord, for container: String, when condition: StoreCondition
        ) async throws(AuthError) -> StoreOutcome {
            let old = await keyring.file.read(container)
            if case .found(let found) = old, found.generation.signIn == record.generation.signIn {
                let store: any SessionStore = old.pointer == nil ? keyring.file : keyring
                return try await store.write(record, for: container, when: condition)
            }
            if await keyring.isOpen() {
                do throws(AuthError) {
                    return try await keyring.write(record, for: container, when: condition)
                } catch {
                    // It looked open, but takes nothing: as good as closed.
                }
            }
            return try await keyring.file.write(record, for: container, when: condition)
        }

        func remove(_ container: String, when condition: StoreCondition) async throws(AuthError) -> StoreOutcome {
            try await keyring.remove(container, when: condition)
        }

        func lock(_ container: String, timeoutSeconds: Int64) async throws(AuthError) -> (any StoreLock)? {
            try await keyring.lock(container, timeoutSeconds: timeoutSeconds)
        }

        func changeMark(_ container: String) async -> ChangeMark? {
            await keyring.changeMark(container)
        }
    }
#endif
