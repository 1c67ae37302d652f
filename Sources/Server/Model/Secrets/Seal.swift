internal import Crypto
public import KeyturnBase

/// Encrypts the server's own state for a client to hold, unreadable and unchangeable (AES-256-GCM).
///
/// A sealed text is `version ‖ key id ‖ salt ‖ ciphertext ‖ tag`. The purpose is authenticated with it, so that what
/// was sealed for one use cannot be opened for another.
///
/// Each text has a key of its own, derived from the purpose's key and a salt of 24 random bytes (HKDF, RFC 5869). Under
/// one key, random nonces of 12 bytes would have to end after 2³² texts (NIST SP 800-38D §8.3), and each page seals one
/// or two, for whom it may be: two equal nonces would give the key by which texts are authenticated.
///
/// Texts of version 1, which were sealed that way, open as before: `1 ‖ key id ‖ nonce ‖ ciphertext ‖ tag`.
public struct Seal: Sendable {
    private let keys: [ServerSecrets.Key]
    private let context: [UInt8]
    private let ambient: Ambient
    private static let version: UInt8 = 2
    private static let headBytes = 5
    private static let saltBytes = 24
    private static let nonceBytes = 12
    private static let tagBytes = 16

    public init(_ secrets: ServerSecrets, purpose: ServerSecrets.Purpose, ambient: Ambient) {
        keys = secrets.keys(for: purpose)
        context = Array("keyturn/seal/\(purpose.rawValue)".utf8)
        self.ambient = ambient
    }

    /// Seals `plaintext` under the first secret.
    ///
    /// - Parameter context: must be equal when it is opened; not part of the result.
    public func seal(_ plaintext: [UInt8], context extra: [UInt8] = []) -> [UInt8] {
        let head = [Self.version] + keys[0].id
        let salt = ambient.randomBytes(Self.saltBytes)
        let (key, nonce) = Self.derive(keys[0].key, salt)
        guard let nonce = try? AES.GCM.Nonce(data: nonce),
            let box = try? AES.GCM.seal(plaintext, using: key, nonce: nonce, authenticating: head + context + extra)
        else { preconditionFailure("AES-GCM takes a 32-byte key and a 12-byte nonce") }
        return head + salt + Array(box.ciphertext) + Array(box.tag)
    }

    /// Whether a text was sealed under the first secret and in the present form: if not, it should be sealed anew while
    /// it can be opened.
    public func isCurrent(_ sealed: [UInt8]) -> Bool {
        sealed.count >= Self.headBytes && Array(sealed[..<Self.headBytes]) == [Self.version] + keys[0].id
    }

    /// The plaintext; `nil` if it was changed, sealed by another server, or for another purpose.
    public func open(_ sealed: [UInt8], context extra: [UInt8] = []) -> [UInt8]? {
        guard sealed.count >= Self.headBytes else { return nil }
        let head = Array(sealed[..<Self.headBytes])
        guard let key = keys.first(where: { $0.id == Array(head[1...]) })?.key,
            let (used, box) = Self.parts(version: head[0], Array(sealed[Self.headBytes...]), key),
            let plaintext = try? AES.GCM.open(box, using: used, authenticating: head + context + extra)
        else { return nil }
        return Array(plaintext)
    }

    /// What follows the head, with the key that opens it.
    private static func parts(
        version: UInt8, _ rest: [UInt8], _ key: SymmetricKey
    ) -> (SymmetricKey, AES.GCM.SealedBox)? {
        switch version {
        case 1:
            guard let box = try? AES.GCM.SealedBox(combined: rest) else { return nil }
            return (key, box)
        case Self.version:
            guard rest.count >= saltBytes + tagBytes else { return nil }
            let (own, nonce) = derive(key, Array(rest[..<saltBytes]))
            guard let nonce = try? AES.GCM.Nonce(data: nonce),
                let box = try? AES.GCM.SealedBox(
                    nonce: nonce, ciphertext: rest[saltBytes...].dropLast(tagBytes), tag: rest.suffix(tagBytes))
            else { return nil }
            return (own, box)
        default: return nil
        }
    }

    /// The key and the nonce of one text.
    private static func derive(_ key: SymmetricKey, _ salt: [UInt8]) -> (key: SymmetricKey, nonce: [UInt8]) {
        let bytes = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: key, salt: salt, info: Array("keyturn/seal/2".utf8), outputByteCount: 32 + nonceBytes)
        let both = unsafe bytes.withUnsafeBytes { unsafe Array($0) }
        return (SymmetricKey(data: both[..<32]), Array(both[32...]))
    }
}
