#if canImport(Security)
    internal import KeyturnBase

    /// Sessions as keychain items: when *not found* means absent, and what replaces what.
    struct KeychainRecords: Sendable {
        let keychain: any Keychain
        let service: String
        let canary: KeychainCanary
        let locks: KeychainLocks
        /// Where a run of the app is marked; `nil`: it is not checked, and what an earlier installation left is kept.
        let marks: (any RunMarks)?

        func read(_ container: String) async -> StoreReading {
            do throws(AuthError) {
                try await beginFirstRun()
            } catch {
                return .unavailable(error)
            }
            return look(container)
        }

        /// The same without waiting for other processes: what an earlier installation left is not shown before it was
        /// removed.
        func readNow(_ container: String) -> StoreReading {
            do throws(AuthError) {
                guard try marks?.contains(service) != false else {
                    throw AuthError(.storeUnavailable, "the first run after an installation has not begun")
                }
            } catch {
                return .unavailable(error)
            }
            return look(container)
        }

        private func look(_ container: String) -> StoreReading {
            do throws(AuthError) {
                guard let record = try canary.find({ () throws(AuthError) in try find(container) }) else {
                    return .absent
                }
                return .found(record)
            } catch {
                return .unavailable(error)
            }
        }

        func write(
            _ record: StoredRecord, for container: String, when condition: StoreCondition
        ) async throws(AuthError) -> StoreOutcome {
            try await beginFirstRun()
            let item = item(container)
            let contents = KeychainContents(label: GenerationLabel.bytes(record.generation), secret: record.contents)
            switch condition {
            case .always:
                try replace(item, with: contents)
                return .done
            case .absent:
                return try add(item, contents)
            case .generation(let expected):
                let label = GenerationLabel.bytes(expected)
                return try change(item, labelled: label, else: Self.notStored) { () throws(KeychainStatus) in
                    try keychain.update(item, labelled: label, to: contents)
                }
            }
        }

        func remove(_ container: String, when condition: StoreCondition) async throws(AuthError) -> StoreOutcome {
            try await beginFirstRun()
            let item = item(container)
            switch condition {
            case .always:
                try remove(item)
                return .done
            case .absent:
                return try label(item) == nil ? .done : .overtaken
            case .generation(let expected):
                let label = GenerationLabel.bytes(expected)
                return try change(item, labelled: label, else: Self.notRemoved) { () throws(KeychainStatus) in
                    try keychain.remove(item, labelled: label)
                }
            }
        }

        func changeMark(_ container: String) -> ChangeMark? {
            (try? keychain.readLabel(item(container))).map(GenerationLabel.mark)
        }

        func lock(_ container: String, timeoutSeconds: Int64) async throws(AuthError) -> (any StoreLock)? {
            try await locks.take("session " + container, timeoutSeconds: timeoutSeconds)
        }
    }

    extension KeychainRecords {
        private func item(_ container: String) -> KeychainItem {
            KeychainItem(service: service, account: container)
        }

        private func find(_ container: String) throws(AuthError) -> StoredRecord? {
            let contents: KeychainContents
            do throws(KeychainStatus) {
                contents = try keychain.read(item(container))
            } catch {
                guard error == .itemNotFound else { throw error.problem("the session cannot be read") }
                return nil
            }
            guard let generation = GenerationLabel.generation(contents.label) else {
                throw AuthError(.storeUnavailable, "the stored session was not written by this library")
            }
            return StoredRecord(generation: generation, contents: contents.secret)
        }

        /// The label of what is stored, whatever that is; `nil` only where there certainly is nothing.
        private func label(_ item: KeychainItem) throws(AuthError) -> [UInt8]? {
            try canary.find { () throws(AuthError) in
                do throws(KeychainStatus) {
                    return try keychain.readLabel(item)
                } catch {
                    guard error == .itemNotFound else { throw error.problem("the session cannot be looked at") }
                    return nil
                }
            }
        }
    }

    /// Changes, each of them one step of the keychain.
    extension KeychainRecords {
        private static let notStored = "the session cannot be stored"
        private static let notRemoved = "the session cannot be removed"

        /// Takes a step that the keychain takes only where the item has the label, and finds out why it did not.
        private func change(
            _ item: KeychainItem, labelled expected: [UInt8], else problem: String,
            _ step: () throws(KeychainStatus) -> Void
        ) throws(AuthError) -> StoreOutcome {
            for _ in 0..<Limits.fileRetries {
                do throws(KeychainStatus) {
                    try step()
                    return .done
                } catch {
                    guard error == .itemNotFound else { throw error.problem(problem) }
                }
                // Nothing is there, or another record. If it is the one after all, the keychain had hidden it.
                guard try label(item) == expected else { return .overtaken }
            }
            throw AuthError(.storeUnavailable, "\(problem): the keychain shows it and does not change it")
        }

        private func add(_ item: KeychainItem, _ contents: KeychainContents) throws(AuthError) -> StoreOutcome {
            do throws(KeychainStatus) {
                try keychain.add(item, contents)
                return .done
            } catch {
                guard error == .duplicateItem else { throw error.problem(Self.notStored) }
                return .overtaken
            }
        }

        /// Replaces whatever is there, readable or not.
        private func replace(_ item: KeychainItem, with contents: KeychainContents) throws(AuthError) {
            do throws(KeychainStatus) {
                return try updateOrAdd(item, contents)
            } catch {
                guard error == .decode || error == .itemNotFound else { throw error.problem(Self.notStored) }
            }
            // What is there is damaged or never seen. Unless the keychain is merely closed, which the canary shows,
            // nothing is lost with it, and to remove it first is the only way left.
            try canary.prove()
            try remove(item)
            do throws(KeychainStatus) {
                try updateOrAdd(item, contents)
            } catch {
                throw error.problem(Self.notStored)
            }
        }

        /// An update replaces in one step; removing and adding again would leave a moment without a session.
        private func updateOrAdd(_ item: KeychainItem, _ contents: KeychainContents) throws(KeychainStatus) {
            do throws(KeychainStatus) {
                return try keychain.update(item, labelled: nil, to: contents)
            } catch {
                guard error == .itemNotFound else { throw error }
            }
            do throws(KeychainStatus) {
                return try keychain.add(item, contents)
            } catch {
                guard error == .duplicateItem else { throw error }
            }
            // Another process added it in between, without the lock.
            try keychain.update(item, labelled: nil, to: contents)
        }

        private func remove(_ item: KeychainItem) throws(AuthError) {
            if try removeOnce(item) { return }
            try canary.prove()
            if try removeOnce(item) { return }
            try canary.prove()
        }

        /// - Returns: whether there was something to remove.
        private func removeOnce(_ item: KeychainItem) throws(AuthError) -> Bool {
            do throws(KeychainStatus) {
                try keychain.remove(item, labelled: nil)
                return true
            } catch {
                guard error == .itemNotFound else { throw error.problem(Self.notRemoved) }
                return false
            }
        }
    }
#endif
