/// Every bound of what authenticators and their clients send, with its unit and its reason.
public enum WebAuthnLimits {
    /// Longest `clientDataJSON`, in bytes. A browser writes some two hundred.
    public static let clientDataBytes = 8_192
    /// Longest attestation object, in bytes. A chain of four certificates and an RSA key have about 8 000.
    public static let attestationObjectBytes = 65_536
    /// Longest authenticator data, in bytes: a credential id, an RSA key, extensions.
    public static let authenticatorDataBytes = 16_384
    /// Longest credential id, in bytes (WebAuthn Level 3 §7.1 step 25).
    public static let credentialIDBytes = 1_023
    /// Longest user handle, in bytes (§5.4.3).
    public static let userHandleBytes = 64
    /// Longest public key in any form, in bytes: an RSA key of 8192 bits, and what is around it.
    public static let publicKeyBytes = 2_048
    /// Longest signature, in bytes: one by an RSA key of 8192 bits.
    public static let signatureBytes = 1_024
    /// Shortest and longest challenge, in bytes (§13.4.3 asks for 16 at least).
    public static let challengeBytes = 16...1_024

    /// Deepest nesting of CBOR; the outermost item is at depth 1. A compound attestation with certificates has five.
    public static let cborDepth = 6
    /// Most items in one CBOR text, containers and keys included.
    public static let cborItems = 512
    /// Most certificates in one statement.
    public static let certificates = 8
    /// Longest certificate, in bytes.
    public static let certificateBytes = 16_384
    /// Most extensions or attributes of a subject in one certificate.
    public static let certificateFields = 64
    /// Most statements in one compound statement.
    public static let compoundStatements = 8

    /// Most transports of one credential, and the longest name of one, in bytes.
    public static let transports = 16
    /// The longest name of one transport, in bytes.
    public static let transportBytes = 32
    /// Most credentials that one request lists.
    public static let descriptors = 256
}
