public import KeyturnBase
internal import Model

/// The secret that the server and an authenticator app share. Never printed; stored sealed.
public struct TOTPSecret: Hashable, Sendable {
    /// The key itself.
    public let bytes: [UInt8]

    /// - Returns: `nil` if the key is shorter than any that is in use elsewhere, or too long:
    ///   ``Limits/authenticatorSecretBytesMin`` to ``Limits/authenticatorSecretBytesMax`` bytes.
    public init?(bytes: [UInt8]) {
        guard (Limits.authenticatorSecretBytesMin...Limits.authenticatorSecretBytesMax).contains(bytes.count) else {
            return nil
        }
        self.bytes = bytes
    }

    /// A secret from another product, in base32 as people and exports write it; see ``Base32/decodeTyped(_:)``.
    public init?(typed: Secret) {
        guard typed.exposed().utf8.count <= Limits.authenticatorSecretBytesMax * 4,
            let bytes = Base32.decodeTyped(typed.exposed())
        else { return nil }
        self.init(bytes: bytes)
    }

    private init(random: [UInt8]) {
        bytes = random
    }

    /// A new one: 20 random bytes, as RFC 4226 §4 (R6) recommends.
    public static func make(_ ambient: Ambient) -> TOTPSecret {
        TOTPSecret(random: ambient.randomBytes(20))
    }

    /// In base32 without padding, for users who cannot scan a QR code.
    public var base32: Secret {
        Secret(Base32.encode(bytes))
    }
}

extension TOTPSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "«secret»" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
