public import KeyturnBase

/// Where Trifork's own library (TIM) has kept its items on this device, by the names that it gave them.
///
/// The users of those items keep their passwords when an app changes to this library: ``Vault/reading(_:sealedBy:)``.
public protocol LegacyVaultItems: Sendable {
    /// The item called `name`; `nil` only if there certainly is none.
    ///
    /// - Throws: `store.unavailable` if it cannot be known now.
    func item(_ name: String) async throws(AuthError) -> [UInt8]?

    /// Puts `data` in the place of the item called `name`.
    ///
    /// - Throws: `store.unavailable`.
    func replaceItem(_ name: String, with data: [UInt8]) async throws(AuthError)

    /// Removes an item, protected or not. Removing nothing is no error.
    ///
    /// - Throws: `store.unavailable`.
    func removeItem(_ name: String) async throws(AuthError)

    /// Whether there is an item called `name` that a touch opens. The person is not asked.
    ///
    /// - Throws: `store.unavailable`.
    func hasProtectedItem(_ name: String) async throws(AuthError) -> Bool

    /// The item, once the person was recognised; `nil` only if there certainly is none.
    ///
    /// - Throws: `biometric.…`; `sign_in.cancelled`; `store.unavailable`.
    func protectedItem(_ name: String, _ prompt: BiometricPrompt) async throws(AuthError) -> [UInt8]?
}

/// How Trifork's library was told to encrypt. Nothing in its items says which it was, so the app must.
public enum LegacyVaultMethod: String, Hashable, Sendable {
    /// `.aesGcm`.
    case aesGCM
    /// `.aesCbc`: nothing tells whether its ciphertext was changed. What does not look like a token afterwards is
    /// refused.
    case aesCBC
}
