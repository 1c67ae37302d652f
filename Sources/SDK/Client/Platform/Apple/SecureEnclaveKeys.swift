#if canImport(Security)
    public import KeyturnBase

    /// Device keys in the Secure Enclave: P-256 keys that sign there and never leave it, not even into a backup.
    ///
    /// A key is found by its application tag. As with ``KeychainStore``, it is ``DeviceKeyReading/absent`` only where
    /// the keychain has just shown that it can be read. Restoring a backup on another device does not bring the keys
    /// along, and a machine without an Enclave (the simulator, an old Mac) cannot make any.
    public struct SecureEnclaveKeys: DeviceKeys {
        private let keychain: SystemEnclave
        private let canary: KeychainCanary

        /// Keys of one app, or of several that share an access group. Touches nothing yet.
        ///
        /// - Parameters:
        ///   - service: What their tags begin with, the same for all who share them.
        ///   - accessGroup: The access group shared with other apps and extensions, team prefix included.
        ///   - accessibility: When the keys can be used; always this device's only, whatever it says.
        public init(
            service: String = "keyturn", accessGroup: String? = nil,
            accessibility: KeychainStore.Accessibility = .afterFirstUnlock()
        ) {
            precondition(!service.isEmpty, "the service needs a name")
            let local = accessibility.onThisDeviceOnly
            keychain = SystemEnclave(
                tagPrefix: service + ".device-key.", accessGroup: accessGroup, accessibility: local)
            canary = KeychainCanary(
                SystemKeychain(accessGroup: accessGroup, accessibility: local), service: service, accessibility: local)
        }

        public func key(_ name: String) async -> DeviceKeyReading {
            do throws(AuthError) {
                if let key = try keychain.find(name) { return .found(key) }
                // The keychain may have opened or closed since, so the look that counts has a proof on either side.
                try canary.prove()
                if let key = try keychain.find(name) { return .found(key) }
                try canary.prove()
                return .absent
            } catch {
                return .unavailable(error)
            }
        }

        /// Makes a key under `name`, in place of the one that was there.
        ///
        /// - Throws: `service.unsupported` on a machine without a Secure Enclave; `store.unavailable`.
        public func makeKey(_ name: String) async throws(AuthError) -> any DeviceKey {
            #if targetEnvironment(simulator)
                throw AuthError(.unsupported, "the simulator has no Secure Enclave")
            #else
                // Tags are not unique by themselves: a second key would hide behind the first.
                try await removeKey(name)
                return try keychain.make(name)
            #endif
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
