internal import Crypto
internal import Foundation

/// An encrypted backup, version 1:
///
///     "keyturn-backup\n" ‖ version ‖ number of recipients ‖ for each: encapsulated key, wrapped file key ‖ MAC
///     chunk ‖ chunk ‖ …
///
/// The file key is 32 random bytes. HPKE wraps it for each recipient (RFC 9180, base mode, X25519 with HKDF-SHA256 and
/// ChaCha20-Poly1305), so that the public keys suffice to write. HKDF-SHA256, salted with the digest of all that stands
/// before the MAC, derives two keys from it: one for the MAC (HMAC-SHA256) of just that, one for the chunks. A chunk is
/// 64 KiB, the last one what is left, each encrypted with ChaCha20-Poly1305 and 16 bytes longer by its tag. Its nonce
/// is its number, with a last byte that is 1 for the last chunk: chunks that are missing, repeated or in another order
/// do not open. This is the STREAM construction (Hoang, Reyhanitabar, Rogaway, Vizár, 2015).
enum ContainerFormat {
    static let version: UInt8 = 1
    static let chunkBytes = 65_536
    static let tagBytes = 16
    static let recipientsMax = 16
    static let fileKeyBytes = 32
    static let encapsulatedBytes = 32
    static let wrappedBytes = fileKeyBytes + tagBytes
    static let macBytes = 32
    static let ciphersuite = HPKE.Ciphersuite.Curve25519_SHA256_ChachaPoly

    /// - Throws: `CryptoKitError`, never for 12 bytes.
    static func nonce(_ number: UInt64, isLast: Bool) throws -> ChaChaPoly.Nonce {
        let counter = (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * UInt64($0))) }
        return try ChaChaPoly.Nonce(data: [0, 0, 0] + counter + [isLast ? 1 : 0])
    }
}

/// What is encrypted so: a backup, or a part of a log. One is never taken for the other.
enum ContainerKind {
    case backup, log

    private var word: String {
        switch self {
        case .backup: "backup"
        case .log: "log"
        }
    }

    var magic: [UInt8] { Array("keyturn-\(word)\n".utf8) }

    /// What a derived key is for.
    func info(_ purpose: String) -> Data { Data("keyturn \(word) 1: \(purpose)".utf8) }
}

/// Why an encrypted backup cannot be read, in a sentence that says what to do.
enum ContainerProblem: Error, Hashable, CustomStringConvertible {
    case notABackup
    case newer(version: UInt8)
    case damagedHead
    /// None of the identities is one of its recipients'.
    case otherRecipients
    /// Numbers begin with 1.
    case damagedChunk(Int)
    /// It ends before its last chunk.
    case truncated
    /// Something follows its last chunk.
    case extended

    /// Whether another program or identity may read it.
    var isRefusal: Bool {
        switch self {
        case .newer, .otherRecipients: true
        default: false
        }
    }

    var description: String {
        switch self {
        case .notABackup: "it is no backup of Keyturn: name another file."
        case .newer(let version): "its format is number \(version): use a newer release."
        case .damagedHead: "its head is damaged: take another copy of it."
        case .otherRecipients: "it was encrypted to other recipients: name the identity file of one of them."
        case .damagedChunk(let number):
            "its chunk \(number) is damaged, or belongs to another place or backup: take another copy of it."
        case .truncated: "its end is missing: take another copy of it."
        case .extended: "something follows its end: take another copy of it."
        }
    }
}
