public import KeyturnBase
internal import KeyturnWire

extension Keyturn {
    /// Keeps sessions on this device under a PIN or a touch.
    public var vault: Vault { Vault(access: vaultAccess, legacy: nil) }
}

/// Sessions that lie on this device and open with a PIN or a touch, for several users one beside the other.
///
/// ```swift
/// try await auth.authorize(redirectURI: "myapp://callback")
/// try await auth.vault.store(newPassword: pin)
/// …
/// try await auth.vault.unlock(user, password: pin)
/// let token = try await auth.accessToken()
/// ```
///
/// The key is not made of the PIN: it lies at the key service, which counts wrong PINs and locks after three. Without
/// the service what is stored cannot be opened, however many PINs they try. While the vault is unlocked the key lies in
/// memory, and each renewal of the session is stored sealed; see docs/vault.md.
///
/// Passwords are 1…1 024 bytes.
public struct Vault: Sendable {
    let access: VaultAccess
    /// Another library's vault on the same device, whose users move into this one; `nil`: there is none.
    let legacy: LegacyVault?

    /// What was made for a new password.
    public struct Key: Sendable {
        /// The key's name at the key service.
        public let keyID: String
        /// What opens the same key without the password: for ``Vault/enableBiometrics(_:longSecret:policy:)``.
        public let longSecret: Secret
    }

    /// Those for whom something is kept here: the `sub` of each.
    ///
    /// - Throws: `store.unavailable`.
    public var users: [String] {
        get async throws(AuthError) {
            let own = try await access.records.users()
            guard let legacy else { return own }
            return own + (try await legacy.users()).filter { !own.contains($0) }
        }
    }

    /// Whose session the container has: who would be stored now; `nil`: none, or it does not say.
    public var currentUser: String? {
        get async { try? await access.keeper.requireUser() }
    }

    /// Whose vault is unlocked in this container; `nil`: none is.
    public var unlockedUser: String? {
        get async { await access.keeper.opened?.user }
    }

    /// Whether a session is kept for `user`.
    ///
    /// - Throws: `store.unavailable`.
    public func hasStoredSession(_ user: String) async throws(AuthError) -> Bool {
        if let found = try await access.records.find(user) { return found.record.session != nil }
        return try await legacy?.find(user) != nil
    }

    /// Signs out on this device: forgets the key and the session. What is sealed stays, for the next
    /// ``unlock(_:password:storeNewRefreshToken:renews:)``; a session that was never stored here is gone.
    ///
    /// A renewal under way is finished, and its answer sealed. Where ``keepUnlocked()`` was used, that ends too.
    ///
    /// - Parameter revokesUnstored: Whether a session that was never stored is also revoked at the service, if that can
    ///   be reached. A stored one is not: it is unlocked again.
    /// - Throws: `store.unavailable` if the key that ``keepUnlocked()`` stored, or the session, could not be removed;
    ///   this process has forgotten it.
    public func lock(revokesUnstored: Bool = false) async throws(AuthError) {
        let problem = await forgetSession(revokesUnstored: revokesUnstored)
        try await access.records.removeOpen(of: nil)
        if let problem { throw problem }
    }

    /// - Returns: What went wrong.
    private func forgetSession(revokesUnstored: Bool) async -> AuthError? {
        do throws(AuthError) {
            if await access.keeper.opened != nil {
                await access.keeper.lockVault()
            } else if try await access.keeper.start().isSignedIn {
                if revokesUnstored {
                    try await access.keeper.logout(force: true)
                } else {
                    try await access.keeper.forget()
                }
            }
            return nil
        } catch {
            return error
        }
    }

    static func secret(_ password: String) throws(AuthError) -> Secret {
        guard (1...Limits.vaultSecretMaxBytes).contains(password.utf8.count) else {
            throw AuthError(.misconfigured, "a password has 1 to \(Limits.vaultSecretMaxBytes) bytes")
        }
        return Secret(password)
    }
}
