internal import Crypto
internal import Foundation
internal import KeyturnBase

/// Who can read a backup: a public key of X25519. Written as `ktbr_` and base64url of the key and the first four bytes
/// of its digest, which find a slip of the pen.
struct BackupRecipient: Hashable, CustomStringConvertible {
    static let prefix = "ktbr_"

    let bytes: [UInt8]

    init(_ key: Curve25519.KeyAgreement.PublicKey) {
        bytes = Array(key.rawRepresentation)
    }

    /// - Returns: `nil` for what is no recipient.
    init?(_ text: String) {
        guard let bytes = KeyText.bytes(of: text, prefix: Self.prefix) else { return nil }
        self.bytes = bytes
    }

    var description: String { KeyText.text(of: bytes, prefix: Self.prefix) }

    /// - Throws: `CryptoKitError` for bytes that are no key.
    func publicKey() throws -> Curve25519.KeyAgreement.PublicKey {
        try Curve25519.KeyAgreement.PublicKey(rawRepresentation: bytes)
    }
}

/// The private key of a recipient, written as `ktbi_` and likewise. It is never printed.
struct BackupIdentity: CustomStringConvertible, CustomReflectable {
    static let prefix = "ktbi_"
    /// Most identities of one file.
    static let countMax = 16
    /// Longest file, with its comments.
    static let bytesMax = 16_384

    let key: Curve25519.KeyAgreement.PrivateKey

    init(_ key: Curve25519.KeyAgreement.PrivateKey) {
        self.key = key
    }

    /// - Returns: `nil` for what is no identity.
    init?(_ text: String) {
        guard let bytes = KeyText.bytes(of: text, prefix: Self.prefix),
            let key = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: bytes)
        else { return nil }
        self.key = key
    }

    var recipient: BackupRecipient { BackupRecipient(key.publicKey) }
    var exposed: String { KeyText.text(of: Array(key.rawRepresentation), prefix: Self.prefix) }
    var description: String { "«identity»" }
    var customMirror: Mirror { Mirror(self, children: []) }

    /// The identities of a file: one a line; lines that begin with `#` are comments.
    ///
    /// - Returns: `nil` if there is none, or a line is no identity.
    static func read(_ text: String) -> [BackupIdentity]? {
        let lines = text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty && !$0.hasPrefix("#") }
        let identities = lines.compactMap { BackupIdentity($0) }
        return identities.count == lines.count && (1...countMax).contains(lines.count) ? identities : nil
    }
}

/// Keys of 32 bytes as text.
private enum KeyText {
    static let checkBytes = 4
    static let keyBytes = 32

    static func text(of bytes: [UInt8], prefix: String) -> String {
        prefix + Base64URL.encode(bytes + check(bytes, prefix))
    }

    static func bytes(of text: String, prefix: String) -> [UInt8]? {
        guard text.hasPrefix(prefix), let all = Base64URL.decode(text.dropFirst(prefix.count)),
            all.count == keyBytes + checkBytes
        else { return nil }
        let bytes = Array(all.prefix(keyBytes))
        return Array(all.suffix(checkBytes)) == check(bytes, prefix) ? bytes : nil
    }

    private static func check(_ bytes: [UInt8], _ prefix: String) -> [UInt8] {
        Array(SHA256.hash(data: Array(prefix.utf8) + bytes).prefix(checkBytes))
    }
}
