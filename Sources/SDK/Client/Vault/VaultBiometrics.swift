public import KeyturnBase
internal import KeyturnWire

/// Touches beside the password: both open the same key.
extension Vault {
    /// From now on a touch unlocks, too. The password stays good.
    ///
    /// - Parameters:
    ///   - user: Who was stored before.
    ///   - password: Their password.
    ///   - policy: Who counts as recognised. With ``BiometricPolicy/currentBiometry`` another finger that is enrolled
    ///     later ends it.
    /// - Throws: `vault.incomplete`; `vault.wrong_password`; `vault.no_long_secret`; `biometric.…` with what is missing;
    ///   as ``unlock(_:password:storeNewRefreshToken:renews:)``.
    public func enableBiometrics(
        _ user: String, password: String, policy: BiometricPolicy = .currentBiometry
    ) async throws(AuthError) {
        let secret = try Self.secret(password)
        try await access.device.checkSupport(policy)
        let record = try await access.require(user)
        let answer = try await access.keyService().key(record.keyID, secret: secret)
        guard let longSecret = answer.longSecret else { throw KeyService.noLongSecret }
        try await keep(longSecret, record.keyID, of: user, policy)
    }

    /// Enables biometrics with the long secret that ``store(newPassword:)`` returned; makes no request.
    ///
    /// - Throws: `vault.incomplete`; `biometric.…`; `store.unavailable`; `configuration.invalid` if the vault's
    ///   storage ends with the process and what the device keeps does not.
    public func enableBiometrics(
        _ user: String, longSecret: Secret, policy: BiometricPolicy = .currentBiometry
    ) async throws(AuthError) {
        try await access.device.checkSupport(policy)
        let record = try await access.require(user)
        try await keep(longSecret, record.keyID, of: user, policy)
    }

    /// Whether a touch unlocks. The person is not asked.
    ///
    /// - Throws: `store.unavailable`.
    public func hasBiometrics(_ user: String) async throws(AuthError) -> Bool {
        if let record = try await access.records.find(user)?.record {
            return try await access.device.hasSecret(access.secretName(record.keyID))
        }
        guard let legacy, let found = try await legacy.find(user) else { return false }
        return try await legacy.items.hasProtectedItem(LegacyVault.longSecretName(found.keyID))
    }

    /// Only the password unlocks from now on.
    ///
    /// - Throws: `store.unavailable`.
    public func disableBiometrics(_ user: String) async throws(AuthError) {
        if let record = try await access.records.find(user)?.record {
            try await access.device.removeSecret(access.secretName(record.keyID))
        }
        if let legacy, let found = try await legacy.find(user) {
            try await legacy.items.removeItem(LegacyVault.longSecretName(found.keyID))
        }
    }

    func keep(
        _ longSecret: Secret, _ keyID: String, of user: String, _ policy: BiometricPolicy
    ) async throws(AuthError) {
        try access.device.checkRemembered(isForgotten: access.isForgotten)
        let name = await access.secretName(keyID)
        try await access.device.keepSecret(Array(longSecret.exposed().utf8), name, policy)
        guard try await access.records.find(user)?.record.keyID == keyID else {
            // Cleared, or given another key, meanwhile: what opens nothing is not left lying about.
            try await access.device.removeSecret(name)
            throw Self.incomplete
        }
    }
}
