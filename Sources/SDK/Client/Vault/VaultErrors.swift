public import KeyturnBase
internal import KeyturnWire

extension AuthError.Code {
    /// Not the password. It was counted; ``AuthError/remainingAttempts`` says how many are left, where the service
    /// does.
    public static let vaultWrongPassword = Self(rawValue: "vault.wrong_password")
    /// Too many wrong passwords in a row: the key does not open any more. The way back is a sign-in, and a new
    /// password.
    public static let vaultKeyLocked = Self(rawValue: "vault.key_locked")
    /// The key service does not know the key. The way back is the same.
    public static let vaultKeyMissing = Self(rawValue: "vault.key_missing")
    /// The key service could not be reached, or cannot answer now: nothing was counted that it did not hear.
    public static let vaultUnreachable = Self(rawValue: "vault.key_service_unreachable")
    /// The key service refused in another way; `AuthError.server` says how.
    public static let vaultKeyService = Self(rawValue: "vault.key_service")
    /// The key service said yes, and what followed was no answer of its protocol.
    public static let vaultAnswer = Self(rawValue: "vault.key_service_answer")
    /// The key service handed out no long secret, without which no touch can unlock.
    public static let vaultNoLongSecret = Self(rawValue: "vault.no_long_secret")
    /// What the key service handed out is no AES key.
    public static let vaultInvalidKey = Self(rawValue: "vault.invalid_key")
    /// The vault is not unlocked.
    public static let vaultLocked = Self(rawValue: "vault.locked")
    /// There is no such user in the vault, or half of one.
    public static let vaultIncomplete = Self(rawValue: "vault.incomplete")
    /// What is stored does not decrypt: it was changed, moved, or sealed with another key or method.
    public static let vaultDamaged = Self(rawValue: "vault.damaged")
    /// The session does not say whose it is: neither an ID token nor a JWT with a `sub`.
    public static let vaultNoUser = Self(rawValue: "vault.no_user")
}

/// The questions that an app asks of an error of ``Vault``.
extension AuthError {
    /// Whether the password was wrong.
    public var isWrongPassword: Bool { code == .vaultWrongPassword }

    /// Whether too many wrong passwords have locked the key.
    public var isKeyLocked: Bool { code == .vaultKeyLocked }

    /// Whether it was the key service that refused or failed, a wrong password included.
    public var isKeyServiceError: Bool {
        let codes: Set<Code> = [
            .vaultWrongPassword, .vaultKeyLocked, .vaultKeyMissing, .vaultUnreachable, .vaultKeyService, .vaultAnswer,
            .vaultNoLongSecret,
        ]
        return codes.contains(code)
    }

    /// Whether a touch did not work: it was another person's, there were too many, or the device has nothing to
    /// recognise one by.
    public var isBiometricFailed: Bool { code.rawValue.hasPrefix("biometric.") }

    /// Whether the person gave up, in the browser or where they should have touched.
    public var isCancelled: Bool { code == .cancelled }

    /// Whether the service has ended the session that its refresh token stood for, so that the person must sign in.
    ///
    /// Never for a code that the service does not take: that is a sign-in that failed, and ends nothing.
    public var isRefreshTokenExpired: Bool { code == .sessionEnded }

    /// How many wrong passwords in a row are left before the key is locked; `nil`: it is not known.
    public var remainingAttempts: Int? {
        (cause as? KeyServiceRefusal)?.remainingAttempts
    }
}
