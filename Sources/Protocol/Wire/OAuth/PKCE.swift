internal import Crypto
public import KeyturnBase

/// Proof Key for Code Exchange (RFC 7636), method `S256` alone: `plain` protects against nothing.
public struct PKCE: Sendable {
    /// The secret half, which the client keeps until it redeems the code.
    public let codeVerifier: Secret

    /// A new verifier of 32 random bytes.
    public init(ambient: Ambient) {
        codeVerifier = Secret(ambient.randomToken(byteCount: 32))
    }

    /// A verifier kept from before; `nil` unless 43…128 characters of the allowed alphabet (§4.1).
    public init?(codeVerifier: String) {
        guard Self.isWellFormed(codeVerifier) else { return nil }
        self.codeVerifier = Secret(codeVerifier)
    }

    /// The public half, sent with the authorization request (§4.2).
    public var codeChallenge: String {
        Self.challenge(for: codeVerifier.exposed())
    }

    /// The `code_challenge_method` of every challenge here.
    public static let method = "S256"

    /// `BASE64URL(SHA256(verifier))` (§4.2).
    public static func challenge(for codeVerifier: String) -> String {
        Base64URL.encode(Array(SHA256.hash(data: Array(codeVerifier.utf8))))
    }

    /// Whether `text` may be a verifier or a challenge: 43…128 unreserved characters (§4.1).
    public static func isWellFormed(_ text: String) -> Bool {
        (43...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                    UInt8(ascii: "~"):
                    true
                default: false
                }
            }
    }
}
