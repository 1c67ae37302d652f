#if canImport(Security)
    public import KeyturnBase

    /// Device keys in the Secure Enclave: P-256 keys that sign there and never leave it, not even into a backup.
    ///
    /// A key is found by its application tag. As with ``KeychainStore``, it is ``DeviceKeyReading/absent`` only where
    /// the keychain has just shown that it can be read. Restoring a backup on another device does not bring the keys
    /// along, and a machine without an Enclave (an old Mac, perhaps a simulator) cannot make any.
    public struct SecureEnclaveKeys: DeviceKeys {
        private let keychain: SystemEnclave
        private let canary: KeychainCanary
        private let locks: KeychainLocks

        /// Keys of one app, or of several that share an access group. Touches nothing yet.
        ///
        /// - Parameters:
        ///   - service: What their tags begin with, the same for all who share them.
        ///   - accessGroup: As ``KeychainStore/Options/accessGroup``.
        ///   - accessibility: When the keys can be used; always this device's only, whatever it says.
        ///   - directory: An absolute path where the lock files lie, made when missing; `nil`: a lock in this process's
        ///     memory. The keychain would take two keys of one name, so an app and its extensions must give the folder
        ///     of their app group here, as with ``KeychainStore/Options/directory``.
        public init(
            service: String = "keyturn", accessGroup: String? = nil,
            accessibility: KeychainStore.Accessibility = .afterFirstUnlock(), directory: String? = nil
        ) {
            precondition(!service.isEmpty, "the service needs a name")
            precondition(directory?.hasPrefix("/") != false, "the directory must be an absolute path")
            let local = accessibility.onThisDeviceOnly
            let group = AccessGroup(accessGroup, service: service, accessibility: local)
            keychain = SystemEnclave(tagPrefix: service + ".device-key.", group: group, accessibility: local)
            canary = KeychainCanary(
                keychain: SystemKeychain(group: group, accessibility: local), item: group.canary)
            locks = KeychainLocks(directory: directory, place: [accessGroup ?? "", service].joined(separator: "\0"))
        }

        public func key(_ name: String) async -> DeviceKeyReading {
            do throws(AuthError) {
                guard let key = try find(name) else { return .absent }
                return .found(key)
            } catch {
                return .unavailable(error)
            }
        }

        /// Makes a key under `name`, unless there is one: then that is returned. No key is ever replaced.
        ///
        /// - Throws: `service.unsupported` on a machine without a Secure Enclave; `store.unavailable`, also if
        ///   it cannot be known whether there is a key; `sign_in.cancelled` if the task is cancelled while another one
        ///   makes it.
        public func makeKey(_ name: String) async throws(AuthError) -> any DeviceKey {
            if let key = try keychain.find(name) { return key }
            // Tags are not unique by themselves: a second key would hide behind the first. So only who has the lock
            // makes one, and an earlier owner may have made it.
            let lock = try await locks.take("device key " + name, timeoutSeconds: Limits.lockSeconds)
            guard let lock else {
                throw AuthError(.storeUnavailable, "another process is still making the device key")
            }
            do throws(AuthError) {
                let key = if let found = try find(name) { found } else { try keychain.make(name) }
                await lock.unlock()
                return key
            } catch {
                await lock.unlock()
                throw error
            }
        }

        /// Removes the key under `name`, if there is one.
        ///
        /// - Throws: `store.unavailable`; the key may then still be there.
        public func removeKey(_ name: String) async throws(AuthError) {
            if try keychain.remove(name) { return }
            try canary.prove()
            if try keychain.remove(name) { return }
            try canary.prove()
        }

        private func find(_ name: String) throws(AuthError) -> EnclaveKey? {
            try canary.find { () throws(AuthError) in try keychain.find(name) }
        }
    }

    extension KeychainStore.Accessibility {
        fileprivate var onThisDeviceOnly: Self {
            switch self {
            case .afterFirstUnlock: .afterFirstUnlock()
            case .whenUnlocked: .whenUnlocked()
            case .whenPasscodeSet: .whenPasscodeSet
            }
        }
    }
#endif
