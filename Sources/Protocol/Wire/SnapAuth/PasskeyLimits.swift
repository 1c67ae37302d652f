/// Every bound of the passkey service's wire, with its unit and its reason.
public enum PasskeyLimits {
    /// Shortest and longest `id` or `username` of a user, in Unicode scalars: what the service documents.
    public static let userCharacters = 1...255
    /// Shortest and longest name of a credential, in Unicode scalars. People read it in a list.
    public static let nameCharacters = 1...255
    /// Longest token, identifier of a credential or transaction, in Unicode scalars. Ours have up to 5 000: a
    /// registration's holds the credential.
    public static let tokenCharacters = 1...8_192
    /// Longest key, in Unicode scalars, prefix included.
    public static let keyCharacters = 8...255
    /// Most errors or warnings in one answer. More do not help.
    public static let errors = 32
    /// Longest code and longest message of an error, in Unicode scalars.
    public static let codeCharacters = 1...128
    /// The length of a message for developers, in characters.
    public static let messageCharacters = 0...4_096
    /// Most credentials in one list: as many as one user may have.
    public static let credentials = 256
    /// Most transports of one credential.
    public static let transports = 16
    /// Fewest and most credentials of one import: they are written in one transaction.
    public static let importedCredentials = 1...100
    /// Shortest and longest credential identifier of authenticators, in bytes (WebAuthn Level 3 §4, Credential ID).
    public static let rawIDBytes = 1...1_023
    /// Shortest and longest user handle, in bytes (WebAuthn Level 3 §4, User Handle).
    public static let userHandleBytes = 1...64
    /// Shortest and longest public key in COSE or DER, in bytes: up to an RSA key of 8192 bits.
    public static let publicKeyBytes = 1...2_048
    /// Signature counters (WebAuthn Level 3 §6.1).
    public static let signCounts: ClosedRange<Int64> = 0...4_294_967_295
    /// Moments in Unix seconds that can be meant: to the end of the year 9999.
    public static let seconds: ClosedRange<Int64> = 0...253_402_300_799
}
