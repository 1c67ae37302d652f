public import Crypto
public import KeyturnBase

/// The server's own secrets: the first seals, all open, so that they can be rotated without signing users out.
///
/// No secret is used as it is; each purpose gets a key of its own (HKDF, RFC 5869).
public struct ServerSecrets: Sendable {
    /// What a key is for. The name goes into its derivation.
    public enum Purpose: String, CaseIterable, Sendable {
        case transaction, refreshToken = "refresh-token", crossSiteRequest = "csrf", signingKey = "signing-key"
        case proofNonce = "dpop-nonce"
        case message
        case oneTimeCode = "one-time-code", authenticator
        case recoveryCode = "recovery-code"
        case passkey
        case siteUsername = "site-username", passkeyDecoy = "passkey-decoy"
        case userCode = "user-code", deviceSecret = "device-secret"
        case challenge
        case keyService = "key-service"
        case connection, federation
        case providerToken = "provider-token"
        case signInDispute = "sign-in-dispute"
        case provisioningCursor = "provisioning-cursor"
        case ping
        case auditCheckpoint = "audit-checkpoint", signalStream = "signal-stream"
    }

    /// One derived key and the identifier by which a sealed text names its key.
    public struct Key: Sendable {
        /// Four bytes, derived like the key; they reveal nothing about it.
        public let id: [UInt8]
        public let key: SymmetricKey
    }

    private let derived: [Purpose: [Key]]

    /// - Parameter secrets: 32 bytes each; the first one seals. `nil` if there is none, too many, or one of another
    ///   length.
    public init?(_ secrets: [[UInt8]]) {
        guard (1...Limits.secretsMax).contains(secrets.count), secrets.allSatisfy({ $0.count == 32 }) else {
            return nil
        }
        var derived: [Purpose: [Key]] = [:]
        for purpose in Purpose.allCases {
            derived[purpose] = secrets.map { Self.derive($0, purpose) }
        }
        self.derived = derived
    }

    /// A new random secret, for a server without storage.
    public static func random(_ ambient: Ambient) -> [UInt8] {
        ambient.randomBytes(32)
    }

    /// The keys for `purpose`, the sealing one first. Never empty.
    public func keys(for purpose: Purpose) -> [Key] {
        derived[purpose] ?? []
    }

    /// The key that seals.
    public func first(for purpose: Purpose) -> Key {
        keys(for: purpose)[0]
    }

    private static func derive(_ secret: [UInt8], _ purpose: Purpose) -> Key {
        let input = SymmetricKey(data: secret)
        let info = Array("keyturn/\(purpose.rawValue)".utf8)
        let id = HKDF<SHA256>.deriveKey(inputKeyMaterial: input, info: info + Array("/id".utf8), outputByteCount: 4)
        return Key(
            id: unsafe id.withUnsafeBytes { unsafe Array($0) },
            key: HKDF<SHA256>.deriveKey(inputKeyMaterial: input, info: info, outputByteCount: 32))
    }
}
