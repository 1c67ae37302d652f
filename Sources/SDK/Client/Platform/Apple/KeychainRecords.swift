#if canImport(Security)
    internal import KeyturnBase

    /// Sessions as keychain items: when *not found* means absent, what replaces what, and what a first run removes.
    struct KeychainRecords: Sendable {
        let keychain: any Keychain
        let service: String
        let canary: KeychainCanary
        let locks: KeychainLocks
        /// Where a run of the app is marked; `nil`: nobody asks, and what an earlier installation left is kept.
        let marks: (any RunMarks)?

        func read(_ container: String) async -> StoreReading {
            do throws(AuthError) {
                try await beginFirstRun()
                if let record = try find(container) { return .found(record) }
                // The keychain may have opened or closed since, so the look that counts has a proof on either side.
                try canary.prove()
                if let record = try find(container) { return .found(record) }
                try canary.prove()
                return .absent
            } catch {
                return .unavailable(error)
            }
        }

        func write(_ record: StoredRecord, for container: String) async throws(AuthError) {
            try await beginFirstRun()
            let contents = KeychainContents(label: GenerationLabel.bytes(record.generation), secret: record.contents)
            do throws(KeychainStatus) {
                try replace(item(container), with: contents)
            } catch {
                throw error.problem("the session cannot be stored")
            }
        }

        func remove(_ container: String) async throws(AuthError) {
            try await beginFirstRun()
            if try removeOnce(container) { return }
            try canary.prove()
            if try removeOnce(container) { return }
            try canary.prove()
        }

        func changeMark(_ container: String) -> ChangeMark? {
            (try? keychain.readLabel(item(container))).map(GenerationLabel.mark)
        }

        func lock(_ container: String, timeoutSeconds: Int64) async throws(AuthError) -> any StoreLock {
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

        /// An update replaces in one step; removing and adding again would leave a moment without a session.
        private func replace(_ item: KeychainItem, with contents: KeychainContents) throws(KeychainStatus) {
            do throws(KeychainStatus) {
                return try keychain.update(item, to: contents)
            } catch {
                guard error == .itemNotFound else { throw error }
            }
            do throws(KeychainStatus) {
                return try keychain.add(item, contents)
            } catch {
                guard error == .duplicateItem else { throw error }
            }
            // Somebody added it in between, without the lock.
            try keychain.update(item, to: contents)
        }

        /// - Returns: whether there was something to remove.
        private func removeOnce(_ container: String) throws(AuthError) -> Bool {
            do throws(KeychainStatus) {
                try keychain.remove(item(container))
                return true
            } catch {
                guard error == .itemNotFound else { throw error.problem("the session cannot be removed") }
                return false
            }
        }

        /// Removes what an earlier installation left, once in the life of this one.
        private func beginFirstRun() async throws(AuthError) {
            guard let marks, try !marks.contains(service) else { return }
            let lock = try await locks.take("first run", timeoutSeconds: Limits.lockSeconds)
            do throws(AuthError) {
                try removeLeftovers(marks)
            } catch {
                await lock.unlock()
                throw error
            }
            await lock.unlock()
        }

        private func removeLeftovers(_ marks: any RunMarks) throws(AuthError) {
            // Where the keychain is still closed a mark may be hidden as well, and removing works all the same.
            try canary.prove()
            guard try !marks.contains(service) else { return }
            do throws(KeychainStatus) {
                try keychain.removeAll(service: service)
            } catch {
                guard error == .itemNotFound else { throw error.problem("an earlier installation's sessions remain") }
            }
            try marks.insert(service)
        }
    }
#endif
