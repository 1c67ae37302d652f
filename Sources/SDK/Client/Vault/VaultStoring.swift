public import KeyturnBase
internal import KeyturnWire

/// Into the vault.
extension Vault {
    /// Puts the session under a new password. From now on it lies in the vault alone, unlocked.
    ///
    /// If something was kept for the user under another key: touches do not unlock any more, until
    /// ``enableBiometrics(_:password:policy:)``; app data moves along if the vault is unlocked, and is lost if not,
    /// since nothing opens it. When this returns the session is durable; whenever the program ends, it is where it was,
    /// or in the vault.
    ///
    /// - Returns: the new key; an app that has no use for it ignores it.
    /// - Throws: `session.signed_out`; `vault.no_user`; `vault.key_service…`; `vault.no_long_secret`;
    ///   `store.unavailable`; `transport.unavailable` if the session is being renewed for long; `service.unsupported`.
    @discardableResult
    public func store(newPassword: String) async throws(AuthError) -> Key {
        let secret = try Self.secret(newPassword)
        let user = try await access.keeper.requireUser()
        let service = try access.keyService()
        let owner = await access.authorization(of: user, method: "POST", url: try service.creationURL())
        let answer = try await service.createKey(secret, authorization: owner)
        let old: VaultRecord?
        do throws(AuthError) {
            old = try await moveSession(to: try FetchedKey(answer, of: user).opened)
        } catch {
            // A key that is not known of goes as well.
            if await !isInUse(answer.keyID, user) { try? await service.deleteKey(answer.keyID, secret: secret) }
            throw error
        }
        if let old, old.keyID != answer.keyID {
            try? await access.device.removeSecret(access.secretName(old.keyID))
            await access.deleteKey(old.keyID, of: user)
        }
        try? await legacy?.remove(user)
        try await access.records.removeOpen(of: user)
        await access.retryRemovals(of: user)
        guard let longSecret = answer.longSecret else { throw KeyService.noLongSecret }
        return Key(keyID: answer.keyID, longSecret: longSecret)
    }

    /// Puts the session under the password that the user has already: after another sign-in, for instance.
    ///
    /// - Throws: `vault.incomplete` if nothing is kept for the user; `vault.wrong_password`; `vault.key_locked`; as
    ///   ``store(newPassword:)``.
    public func store(existingPassword: String) async throws(AuthError) {
        let secret = try Self.secret(existingPassword)
        try await storeUnderKey { (service, keyID) throws(AuthError) in try await service.key(keyID, secret: secret) }
    }

    /// Stores the session under the existing key, opened with the long secret, for services and apps that keep it by themselves.
    ///
    /// - Throws: as ``store(existingPassword:)``.
    public func store(longSecret: Secret) async throws(AuthError) {
        try await storeUnderKey { (service, keyID) throws(AuthError) in
            try await service.key(keyID, longSecret: longSecret)
        }
    }

    private func storeUnderKey(
        _ fetch: (KeyService, String) async throws(AuthError) -> KeyServiceAnswer
    ) async throws(AuthError) {
        let user = try await access.keeper.requireUser()
        let record = try await access.require(user)
        let fetched = try FetchedKey(try await fetch(try access.keyService(), record.keyID), of: user)
        let opened = fetched.opened
        try await access.keeper.moveIntoVault(opened, access.records) { (old) throws(AuthError) in
            guard let old, old.keyID == opened.keyID else {
                throw AuthError(.vaultIncomplete, "the user was cleared meanwhile")
            }
            return old
        }
    }

    /// Whether something may be sealed with the key; also where that cannot be known.
    func isInUse(_ keyID: String, _ user: String) async -> Bool {
        do throws(AuthError) {
            return try await access.records.find(user)?.record.keyID == keyID
        } catch {
            return true
        }
    }

    /// - Returns: what was there before.
    private func moveSession(to opened: OpenedVault) async throws(AuthError) -> VaultRecord? {
        let before = await access.keeper.opened
        let (records, ambient, replaced) = (access.records, access.ambient, Locked<VaultRecord?>(nil))
        try await records.list(opened.user, access.service)
        try await access.keeper.moveIntoVault(opened, records) { (old) throws(AuthError) in
            replaced.withLock { $0 = old }
            if let old, let before, before.user == opened.user, before.keyID == old.keyID {
                return try old.resealed(before.key, keyID: opened.keyID, opened.key, ambient: ambient)
            }
            return VaultRecord(user: opened.user, keyID: opened.keyID, algorithm: opened.key.algorithm)
        }
        return replaced.withLock { $0 }
    }
}
