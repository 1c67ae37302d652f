public import KeyturnBase
internal import KeyturnWire

/// Out of the vault.
extension Vault {
    /// Opens what is kept for `user`: their session is the container's from now on, in the place of any other.
    ///
    /// No token is renewed before one is asked for; ``Keyturn/accessToken(minimumSeconds:)`` does it as ever, and what
    /// it gets is sealed. A session that was not in the vault is replaced, as by a sign-in.
    ///
    /// - Parameters:
    ///   - user: Whose session.
    ///   - password: What the user typed.
    ///   - storeNewRefreshToken: `false` leaves what is stored as it is: renewals live in memory alone, so that the
    ///     next unlock begins with the old refresh token. A service that uses refresh tokens up will have ended it by
    ///     then. There is hardly a reason to.
    ///   - renews: `true` asks the service at once, as TIM's login does, and leaves the vault locked unless the session
    ///     is still good there: `session.ended`, or `transport.unavailable` without a network.
    /// - Throws: `vault.incomplete` if no session is kept for the user; `vault.wrong_password` with
    ///   `AuthError.remainingAttempts`; `vault.key_locked`; `vault.key_missing`; `vault.key_service_unreachable`;
    ///   `vault.damaged`; `store.unavailable`. The container's session is then what it was.
    public func unlock(
        _ user: String, password: String, storeNewRefreshToken: Bool = true, renews: Bool = false
    ) async throws(AuthError) {
        let secret = try Self.secret(password)
        if let keyID = try await sessionKeyID(user) {
            let answer = try await access.keyService().key(keyID, secret: secret)
            try await open(try FetchedKey(answer, of: user).opened, storeNewRefreshToken)
        } else {
            try await migrate(user, storeNewRefreshToken) { (service, keyID) throws(AuthError) in
                try await service.key(keyID, secret: secret)
            }
        }
        if renews { try await renewOrLock(user) }
    }

    /// For the user whom the device recognises, once ``enableBiometrics(_:password:policy:)`` was called.
    ///
    /// - Parameters:
    ///   - user: Whose session.
    ///   - prompt: How the person is asked.
    ///   - storeNewRefreshToken: As in ``unlock(_:password:storeNewRefreshToken:renews:)``.
    ///   - renews: As in ``unlock(_:password:storeNewRefreshToken:renews:)``.
    ///   - willBeginNetworkRequests: Called once, after the person was recognised and before anything is sent: the
    ///     moment to show that something is going on.
    /// - Throws: what the device says, `biometric.…` or `sign_in.cancelled`; `biometric.key_not_found` if touches do
    ///   not unlock, or do not any more; as ``unlock(_:password:storeNewRefreshToken:renews:)``.
    public func unlockWithBiometrics(
        _ user: String, prompt: BiometricPrompt, storeNewRefreshToken: Bool = true, renews: Bool = false,
        willBeginNetworkRequests: @Sendable () async -> Void = {}
    ) async throws(AuthError) {
        if let keyID = try await sessionKeyID(user) {
            let longSecret = try await longSecret(keyID, prompt)
            await willBeginNetworkRequests()
            let answer = try await access.keyService().key(keyID, longSecret: longSecret)
            try await open(try FetchedKey(answer, of: user).opened, storeNewRefreshToken)
        } else {
            try await migrateWithBiometrics(user, prompt, storeNewRefreshToken, willBeginNetworkRequests)
        }
        if renews { try await renewOrLock(user) }
    }

    /// The refresh token that is kept for `user`. It is hardly ever needed: the container renews by itself.
    ///
    /// - Returns: `nil` if the session has none.
    /// - Throws: as ``unlock(_:password:storeNewRefreshToken:renews:)``; nothing is unlocked.
    public func refreshToken(_ user: String, password: String) async throws(AuthError) -> Secret? {
        let secret = try Self.secret(password)
        if let record = try await access.records.find(user)?.record {
            let answer = try await access.keyService().key(record.keyID, secret: secret)
            return try await storedRefreshToken(try FetchedKey(answer, of: user).opened)
        }
        guard let legacy, let found = try await legacy.find(user) else { throw Self.incomplete }
        let answer = try await access.keyService().key(found.keyID, secret: secret)
        return try legacy.refreshToken(found, try FetchedKey(answer, of: user).opened.key)
    }

    /// For the user whom the device recognises.
    ///
    /// - Throws: as ``unlockWithBiometrics(_:prompt:storeNewRefreshToken:renews:willBeginNetworkRequests:)``.
    public func refreshTokenWithBiometrics(
        _ user: String, prompt: BiometricPrompt, willBeginNetworkRequests: @Sendable () async -> Void = {}
    ) async throws(AuthError) -> Secret? {
        let record = try await access.require(user)
        let longSecret = try await longSecret(record.keyID, prompt)
        await willBeginNetworkRequests()
        let answer = try await access.keyService().key(record.keyID, longSecret: longSecret)
        return try await storedRefreshToken(try FetchedKey(answer, of: user).opened)
    }

    static let incomplete = AuthError(.vaultIncomplete, "no session is kept for this user")

    /// The key that opens the user's session.
    ///
    /// - Returns: `nil` if only another library keeps one.
    private func sessionKeyID(_ user: String) async throws(AuthError) -> String? {
        if let record = try await access.records.find(user)?.record {
            guard record.session != nil else { throw Self.incomplete }
            return record.keyID
        }
        guard legacy != nil else { throw Self.incomplete }
        return nil
    }

    func open(_ opened: OpenedVault, _ storesRenewals: Bool) async throws(AuthError) {
        // Meanwhile the user may have been cleared, or another key may have been made: then this one opens nothing.
        guard let record = try await access.records.find(opened.user)?.record, record.keyID == opened.keyID else {
            throw AuthError(
                .vaultIncomplete, "the user was cleared, or given another key, while the vault was unlocked")
        }
        try await access.keeper.unlock(opened, access.records, storesRenewals: storesRenewals)
        await access.retryRemovals(of: opened.user)
    }

    /// Renews the session that was just unlocked; what cannot be renewed does not stay open. Another user's session that
    /// was unlocked meanwhile does.
    private func renewOrLock(_ user: String) async throws(AuthError) {
        do throws(AuthError) {
            _ = try await access.keeper.forceRefresh()
        } catch {
            await access.keeper.lockVault(of: user)
            throw error
        }
    }

    private func longSecret(_ keyID: String, _ prompt: BiometricPrompt) async throws(AuthError) -> Secret {
        guard let bytes = try await access.device.secret(access.secretName(keyID), prompt),
            let text = String(validating: bytes, as: UTF8.self)
        else { throw AuthError(.biometricKeyNotFound, "touches do not unlock this vault: use the password") }
        return Secret(text)
    }

    private func storedRefreshToken(_ opened: OpenedVault) async throws(AuthError) -> Secret? {
        let record = try await access.require(opened.user)
        guard record.keyID == opened.keyID, let session = try record.openSession(opened.key) else {
            throw Self.incomplete
        }
        return try SessionRecord(session).refreshToken.map { Secret($0) }
    }
}
