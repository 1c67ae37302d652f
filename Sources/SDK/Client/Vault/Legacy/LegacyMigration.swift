internal import KeyturnBase
internal import KeyturnWire

/// From Trifork's vault into this one, when its user unlocks it for the first time.
extension Vault {
    /// The same vault, in which the users of Trifork's own library on this device are found as well, and move in with
    /// their password or their touch: sealed anew by the same key, and removed there once that is durable.
    ///
    /// - Parameters:
    ///   - items: Where they are.
    ///   - method: What that library was told to encrypt with. Never guessed.
    public func reading(_ items: any LegacyVaultItems, sealedBy method: LegacyVaultMethod) -> Vault {
        Vault(access: access, legacy: LegacyVault(items: items, method: method))
    }

    func migrate(
        _ user: String, _ storesRenewals: Bool,
        _ fetch: (KeyService, String) async throws(AuthError) -> KeyServiceAnswer
    ) async throws(AuthError) {
        guard let legacy, let found = try await legacy.find(user) else { throw Self.incomplete }
        let fetched = try FetchedKey(try await fetch(try access.keyService(), found.keyID), of: user)
        let token = try legacy.refreshToken(found, fetched.opened.key)
        guard try await legacy.find(user) != nil else { throw Self.incomplete }
        try await moveIn(fetched.opened, token)
        // A touch opened the same key: where the service hands its secret out, it goes on doing so.
        let name = LegacyVault.longSecretName(found.keyID)
        if let longSecret = fetched.longSecret, (try? await legacy.items.hasProtectedItem(name)) == true {
            try? await keep(longSecret, found.keyID, of: user, .currentBiometry)
        }
        try await open(fetched.opened, storesRenewals)
        try? await legacy.remove(user)
    }

    func migrateWithBiometrics(
        _ user: String, _ prompt: BiometricPrompt, _ storesRenewals: Bool,
        _ willBeginNetworkRequests: @Sendable () async -> Void
    ) async throws(AuthError) {
        guard let legacy, let found = try await legacy.find(user) else { throw Self.incomplete }
        let name = LegacyVault.longSecretName(found.keyID)
        guard let bytes = try await legacy.items.protectedItem(name, prompt),
            let text = String(validating: bytes, as: UTF8.self)
        else { throw AuthError(.biometricKeyNotFound, "touches do not unlock this vault: use the password") }
        await willBeginNetworkRequests()
        let longSecret = Secret(text)
        let answer = try await access.keyService().key(found.keyID, longSecret: longSecret)
        let opened = try FetchedKey(answer, of: user).opened
        let token = try legacy.refreshToken(found, opened.key)
        guard try await legacy.find(user) != nil else { throw Self.incomplete }
        try await moveIn(opened, token)
        try? await keep(longSecret, found.keyID, of: user, prompt.policy)
        try await open(opened, storesRenewals)
        try? await legacy.remove(user)
    }

    /// A session of nothing but a refresh token: the first use renews it.
    private func moveIn(_ opened: OpenedVault, _ token: Secret) async throws(AuthError) {
        let (now, ambient) = (access.ambient.now(), access.ambient)
        var session = SessionRecord(
            generation: Generation(signIn: ambient.randomToken(byteCount: 16), number: 1),
            client: SessionRecord.Client(access.service), accessToken: "", obtainedAt: now, expiresAt: now,
            refreshToken: token.exposed(), idToken: nil, scope: access.service.defaultScope)
        session.userClaims = ["sub": .string(opened.user)]
        let stored = session.stored
        try await access.records.list(opened.user, access.service)
        try await access.records.update(opened.user) { (old) throws(AuthError) in
            // Another process has just done the same.
            guard old == nil else { return nil }
            var next = VaultRecord(user: opened.user, keyID: opened.keyID, algorithm: opened.key.algorithm)
            try next.seal(stored, opened.key, ambient: ambient)
            return next
        }
    }
}
