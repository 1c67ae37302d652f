internal import Crypto
public import KeyturnBase

/// Encrypts the server's own state for a client to hold, unreadable and unchangeable (AES-256-GCM).
///
/// A sealed text is `version ‖ key id ‖ nonce ‖ ciphertext ‖ tag`. The purpose is authenticated with it, so that what
/// was sealed for one use cannot be opened for another.
public struct Seal: Sendable {
    private let keys: [ServerSecrets.Key]
    private let context: [UInt8]
    private let ambient: Ambient
    private static let version: UInt8 = 1

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
        guard let nonce = try? AES.GCM.Nonce(data: ambient.randomBytes(12)),
            let box = try? AES.GCM.seal(
                plaintext, using: keys[0].key, nonce: nonce, authenticating: head + context + extra)
        else { preconditionFailure("AES-GCM takes a 32-byte key and a 12-byte nonce") }
        return head + Array(nonce) + Array(box.ciphertext) + Array(box.tag)
    }

    /// Whether a text was sealed under the first secret: if not, it should be sealed anew while it can be opened.
    public func isCurrent(_ sealed: [UInt8]) -> Bool {
        sealed.count >= 5 && Array(sealed[1..<5]) == keys[0].id
    }

    /// The plaintext; `nil` if it was changed, sealed by another server, or for another purpose.
    public func open(_ sealed: [UInt8], context extra: [UInt8] = []) -> [UInt8]? {
        guard sealed.count >= 5 + 12 + 16, sealed[0] == Self.version else { return nil }
        let head = Array(sealed[..<5])
        guard let key = keys.first(where: { $0.id == Array(head[1...]) }),
            let box = try? AES.GCM.SealedBox(combined: sealed[5...]),
            let plaintext = try? AES.GCM.open(box, using: key.key, authenticating: head + context + extra)
        else { return nil }
        return Array(plaintext)
    }
}
