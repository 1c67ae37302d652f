#if canImport(Security)
    internal import KeyturnBase

    /// The first run after the app was installed, perhaps again.
    extension KeychainRecords {
        /// Removes what an earlier installation left, once in the life of this one.
        func beginFirstRun() async throws(AuthError) {
            guard let marks, try !marks.contains(service) else { return }
            let lock = try await locks.take("first run", timeoutSeconds: Limits.lockSeconds)
            // Without the lock, what another process has written since would be removed too.
            guard let lock else {
                throw AuthError(.storeUnavailable, "another process is still having its first run")
            }
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
