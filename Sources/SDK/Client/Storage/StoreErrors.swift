public import KeyturnBase

extension AuthError.Code {
    /// What is stored can never be read again: the key that sealed it is gone, or it is damaged. The user signs in
    /// again, which replaces it (``Keyturn/authorize(_:)``), or signs out by force (``Keyturn/logout(force:)``).
    ///
    /// ``AuthError/Code/storeUnavailable`` is what may pass by itself, or what the user can mend.
    public static let storeKeyLost = Self(rawValue: "store.key_lost")
}

/// The cause of an error about what a store holds and not about the store: a sign-in may replace that.
struct UnusableRecord: Error {}

extension AuthError {
    /// What is stored can never be read again.
    ///
    /// - Parameter reason: Why, as the beginning of a sentence.
    static func lost(_ reason: String) -> AuthError {
        AuthError(
            .storeKeyLost,
            "\(reason), and what is stored can never be read again: sign in again, or sign out by force "
                + "(logout(force: true); on the command line keyturn logout --force)")
    }

    /// Whether it is about what a store holds, which a sign-in that the user asked for may replace, and not about the
    /// store itself.
    var isAboutStoredRecord: Bool { code == .storeKeyLost || cause is UnusableRecord }
}
