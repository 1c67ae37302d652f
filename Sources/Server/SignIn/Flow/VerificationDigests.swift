internal import Crypto
package import KeyturnBase
package import Model

/// Makes codes and tokens, and the digests that stores keep of them.
package struct VerificationDigests: Sendable {
    private let keys: [ServerSecrets.Key]
    private let ambient: Ambient

    init(_ secrets: ServerSecrets, ambient: Ambient) {
        keys = secrets.keys(for: .oneTimeCode)
        self.ambient = ambient
    }

    /// A new code of ``Limits/codeDigits`` digits.
    package func makeCode() -> Secret {
        // 64 bits are reduced, so that no code is likelier than another by more than one in 10^13.
        let number = ambient.randomBytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let bound = (0..<Limits.codeDigits).reduce(UInt64(1)) { product, _ in product * 10 }
        let digits = String(number % bound)
        return Secret(String(repeating: "0", count: Limits.codeDigits - digits.count) + digits)
    }

    /// A new token of 256 bits.
    func makeToken() -> Secret {
        Secret(ambient.randomToken(byteCount: 32))
    }

    /// A digest that no token has: the digest of nothing.
    func decoy() -> SecretDigest {
        SecretDigest(storedBytes: ambient.randomBytes(32))
    }

    /// The digest of a code, keyed by the server's first secret: without the key, a million codes are quickly tried.
    package func digest(of code: Secret, slot: String) -> SecretDigest {
        digest(code, slot, keys[0])
    }

    /// The digests that an entered code may be stored as, one for each secret.
    package func candidates(_ typed: Secret, slot: String) -> [SecretDigest] {
        let text = typed.exposed()
        let code = text.utf8.count <= Limits.codeBytesMax ? Secret(text.filter { !" -".contains($0) }) : Secret("")
        return keys.map { digest(code, slot, $0) }
    }

    private func digest(_ code: Secret, _ slot: String, _ key: ServerSecrets.Key) -> SecretDigest {
        let message = Array(slot.utf8) + [0] + Array(code.exposed().utf8)
        return SecretDigest(storedBytes: Array(HMAC<SHA256>.authenticationCode(for: message, using: key.key)))
    }
}
