public import KeyturnBase
internal import KeyturnWire

/// Passwords and users.
extension Vault {
    /// Another password for everything that is kept for `user`.
    ///
    /// A Keyturn server keeps the key: data, session and touches stay as they are. A service that cannot do that makes
    /// a new key; everything is sealed with it, in one step, and touches must be enabled anew.
    ///
    /// - Throws: `vault.incomplete`; `vault.wrong_password`, which counts; as
    ///   ``unlock(_:password:storeNewRefreshToken:renews:)``. The old password is then still good.
    public func changePassword(
        _ user: String, from password: String, to newPassword: String
    ) async throws(AuthError) {
        let (old, new) = (try Self.secret(password), try Self.secret(newPassword))
        let record = try await access.require(user)
        let service = try access.keyService()
        guard try await service.changeSecret(record.keyID, from: old, to: new) == nil else { return }
        let before = try FetchedKey(try await service.key(record.keyID, secret: old), of: user).opened
        let owner = await access.authorization(of: user, method: "POST", url: try service.creationURL())
        let answer = try await service.createKey(new, authorization: owner)
        let after: OpenedVault
        do throws(AuthError) {
            after = try FetchedKey(answer, of: user).opened
            try await replaceKey(before, after)
        } catch {
            if await !isInUse(answer.keyID, user) { try? await service.deleteKey(answer.keyID, secret: new) }
            throw error
        }
        await access.keeper.reopen(after, access.records)
        try? await access.device.removeSecret(access.secretName(before.keyID))
        try? await service.deleteKey(before.keyID, secret: old)
        try await access.records.removeOpen(of: user)
    }

    /// Removes everything that is kept for `user` on this device. If it is unlocked, its session is forgotten, too.
    ///
    /// No session ends at the service. The key is removed at the key service, too, if `password` opens it, or if the
    /// service is the same server's and the user is signed in. Otherwise, and where the service cannot be reached, the
    /// key stays there and opens nothing any more. A Keyturn server's is remembered on this device, and removed the
    /// next time that this user stores or unlocks a session here. A key service without owners, as Trifork's, keeps it.
    ///
    /// - Parameters:
    ///   - user: Whose session.
    ///   - password: The user's password; `nil`: the key is removed with the user's session, if there is one.
    /// - Returns: Whether the key is gone at the key service, or there was none.
    /// - Throws: `vault.wrong_password`, which counts, and nothing was removed; `store.unavailable`; part of it may
    ///   then be gone already, and calling it again is harmless.
    @discardableResult
    public func clear(_ user: String, password: String? = nil) async throws(AuthError) -> Bool {
        let secret = try password.map { (text) throws(AuthError) in try Self.secret(text) }
        let keyID: String?
        do throws(AuthError) {
            keyID = try await access.records.find(user)?.record.keyID
        } catch {
            // What is there is no record: it goes. What cannot be read now stays, until it can be.
            guard case .found = await access.records.store.read(access.records.place(user)) else { throw error }
            keyID = nil
        }
        var isKeyGone = true
        if let keyID { isKeyGone = try await access.removeKey(keyID, of: user, password: secret) }
        if await unlockedUser == user { await access.keeper.lockVault() }
        try await access.records.removeOpen(of: user)
        try await access.records.remove(user)
        if let keyID { try await access.device.removeSecret(access.secretName(keyID)) }
        try await legacy?.remove(user)
        return isKeyGone
    }

    /// Seals everything anew while no process renews the session.
    private func replaceKey(_ before: OpenedVault, _ after: OpenedVault) async throws(AuthError) {
        let (records, ambient) = (access.records, access.ambient)
        guard let lock = try await records.store.lock(records.container, timeoutSeconds: Limits.renewalLockSeconds)
        else { throw AuthError(.unavailable, "the session is being renewed: try again") }
        let result: Result<Void, AuthError>
        do throws(AuthError) {
            try await records.update(after.user) { (old) throws(AuthError) in
                guard let old, old.keyID == before.keyID else { throw Self.incomplete }
                return try old.resealed(before.key, keyID: after.keyID, after.key, ambient: ambient)
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await lock.unlock()
        try result.get()
    }
}
