#if os(Linux)
    public import KeyturnBase

    /// Keeps each container's session in the desktop's keyring: GNOME Keyring, KWallet, KeePassXC, or whatever else
    /// speaks the Secret Service API of freedesktop.org.
    ///
    /// The item has the attributes `xdg:schema` = `dev.keyturn.Session` and `container`, the name as
    /// ``SealedFileStore`` spells its folders: `secret-tool lookup xdg:schema dev.keyturn.Session container default`
    /// shows it. It travels to the keyring unencrypted, over a local socket of this user.
    ///
    /// A sealed file, where a ``SealedFileStore`` of the same locations would have the session, says which item counts:
    /// that is what makes replacing one step. A keyring that answers but does not hold that item is another one, and
    /// reads as ``StoreReading/unavailable(_:)``, never as absent. So does a locked one: only writing asks the person
    /// to unlock it, and not again within ten minutes if they do not.
    public struct SecretServiceStore: ImmediateStore {
        let file: SealedFileStore
        private let addresses: [BusAddress]
        private let ambient: Ambient
        private let patience = PromptPatience()

        /// A store in the keyring of this process's session. Touches neither disk nor bus.
        ///
        /// - Parameters:
        ///   - locations: Where the file lies that says what is in the keyring, and its key.
        ///   - ambient: Clock and randomness.
        public init(_ locations: SealedFileStore.Locations, ambient: Ambient) {
            self.init(locations, addresses: BusAddress.environment(), ambient: ambient)
        }

        /// - Parameter addresses: Where the session bus may be.
        init(_ locations: SealedFileStore.Locations, addresses: [BusAddress], ambient: Ambient) {
            file = SealedFileStore(locations, ambient: ambient)
            self.addresses = addresses
            self.ambient = ambient
        }

        public func read(_ container: String) async -> StoreReading {
            for _ in 0..<Limits.fileRetries {
                let reading = await file.read(container)
                // Nothing, or a session that began where there was no keyring.
                guard case .found(let record) = reading, let pointer = KeyringPointer(record) else { return reading }
                let problem: BusProblem
                do throws(BusProblem) {
                    let found = try await withSession(container) { session throws(BusProblem) in
                        try session.read(pointer, record.generation)
                    }
                    if let found { return .found(found) }
                    problem = .missing
                } catch {
                    problem = error
                }
                // An item that is replaced while it is looked for goes, but not before the file points elsewhere.
                guard problem != .timedOut, await file.read(container).pointer != pointer else {
                    return .unavailable(problem.authError)
                }
            }
            return .unavailable(AuthError(.storeUnavailable, "the store changes too fast to be read"))
        }

        /// What is stored, asking the keyring on the caller's thread for half a second at most; never the person.
        public func readNow(_ container: String) -> StoreReading {
            let reading = file.readNow(container)
            guard case .found(let record) = reading, let pointer = KeyringPointer(record) else { return reading }
            let deadline = ContinuousClock.now + .milliseconds(Limits.keyringLaunchMilliseconds)
            do throws(BusProblem) {
                let session = try KeyringSession(addresses, ContainerFolder.name(for: container), until: deadline)
                guard let found = try session.read(pointer, record.generation) else { throw .missing }
                return .found(found)
            } catch {
                // Another process may just have replaced it: `read` looks again.
                return .unavailable(error.authError)
            }
        }

        public func write(
            _ record: StoredRecord, for container: String, when condition: StoreCondition
        ) async throws(AuthError) -> StoreOutcome {
            guard record.contents.count <= Limits.recordMaxBytes else {
                throw AuthError(.storeUnavailable, "the record is too large for the keyring")
            }
            let old = await file.read(container)
            guard condition.mayHold(for: old) else { return .overtaken }
            let pointer = KeyringPointer(ambient)
            try await put(record, pointer, container)
            guard try await file.write(pointer.record(record.generation), for: container, when: condition) == .done
            else {
                await withdraw(pointer, container)
                return .overtaken
            }
            await clear(old.pointer, keeping: pointer, container)
            return .done
        }

        public func remove(_ container: String, when condition: StoreCondition) async throws(AuthError) -> StoreOutcome
        {
            let old = await file.read(container)
            if condition != .always, condition.mayHold(for: old), let pointer = old.pointer {
                // A keyring that cannot be reached would keep the secret.
                do throws(BusProblem) {
                    _ = try await withSession(container) { session throws(BusProblem) in try session.find(pointer) }
                } catch {
                    throw error.authError
                }
            }
            let outcome = try await file.remove(container, when: condition)
            if outcome == .done, old.mayPoint { await clear(old.pointer, keeping: nil, container) }
            return outcome
        }

        public func lock(_ container: String, timeoutSeconds: Int64) async throws(AuthError) -> (any StoreLock)? {
            try await file.lock(container, timeoutSeconds: timeoutSeconds)
        }

        public func changeMark(_ container: String) async -> ChangeMark? {
            await file.changeMark(container)
        }
    }

    extension SecretServiceStore {
        /// Whether the keyring answers, and takes new items without asking the user.
        func isOpen() async -> Bool {
            do throws(BusProblem) {
                return try await withSession("") { session throws(BusProblem) in try session.isOpen() }
            } catch {
                return false
            }
        }

        private func withSession<Value: Sendable>(
            _ container: String, _ work: @escaping @Sendable (KeyringSession) throws(BusProblem) -> Value
        ) async throws(BusProblem) -> Value {
            let addresses = addresses
            let folder = ContainerFolder.name(for: container)
            return try await DetachedThread.run { () throws(BusProblem) in try work(KeyringSession(addresses, folder)) }
        }

        /// Asks the person if need be. A cancelled task stops waiting for them; all else goes on to its end.
        private func put(
            _ record: StoredRecord, _ pointer: KeyringPointer, _ container: String
        ) async throws(AuthError) {
            let interrupt = BusInterrupt()
            let mayAsk = await patience.mayAsk(at: ambient.uptime())
            let deadline = ContinuousClock.now + .seconds(Limits.promptSeconds)
            let asking: Asking = mayAsk ? .until(deadline, orInterruptedBy: interrupt) : .never
            let now = ambient.now()
            let result: Result<Void, BusProblem> = await withTaskCancellationHandler {
                do throws(BusProblem) {
                    return .success(
                        try await withSession(container) { session throws(BusProblem) in
                            try session.put(record, pointer, asking, at: now)
                        })
                } catch {
                    return .failure(error)
                }
            } onCancel: {
                interrupt.raise()
            }
            guard case .failure(let problem) = result else { return }
            if problem == .dismissed { await patience.wasTried(at: ambient.uptime()) }
            throw problem.authError
        }

        /// Removes an item that nothing points to, and what interrupted writers left. What cannot be removed now is
        /// left for a later writer.
        private func clear(_ old: KeyringPointer?, keeping current: KeyringPointer?, _ container: String) async {
            let now = ambient.now()
            do throws(BusProblem) {
                try await withSession(container) { session throws(BusProblem) in
                    if let old { try session.remove(old) }
                    try session.sweep(keeping: current, at: now)
                }
            } catch {}
        }

        /// The same for one's own item alone: what counts instead, and how old that is, is unknown.
        private func withdraw(_ pointer: KeyringPointer, _ container: String) async {
            do throws(BusProblem) {
                try await withSession(container) { session throws(BusProblem) in try session.remove(pointer) }
            } catch {}
        }
    }

    extension StoreReading {
        /// Which item of the keyring the sealed file points to, if it does.
        var pointer: KeyringPointer? {
            if case .found(let record) = self { KeyringPointer(record) } else { nil }
        }

        fileprivate var mayPoint: Bool {
            if case .unavailable = self { true } else { pointer != nil }
        }
    }

    extension StoreCondition {
        /// Whether trying is worth while; the file decides.
        fileprivate func mayHold(for reading: StoreReading) -> Bool {
            switch reading {
            case .found(let record): holds(for: record.generation)
            case .absent: holds(for: nil)
            case .unavailable: true
            }
        }
    }

    /// When a person was last asked in vain.
    private actor PromptPatience {
        private var lastTried: Int64?

        /// - Parameter uptime: Seconds that never go back.
        func mayAsk(at uptime: Int64) -> Bool {
            lastTried.map { uptime - $0 >= Limits.promptPauseSeconds } ?? true
        }

        func wasTried(at uptime: Int64) {
            lastTried = uptime
        }
    }
#endif
