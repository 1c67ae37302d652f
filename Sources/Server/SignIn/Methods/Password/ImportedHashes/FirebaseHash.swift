internal import Crypto
internal import CryptoExtras
internal import Foundation
internal import KeyturnBase

/// Firebase's scrypt: what scrypt derives from the password encrypts the project's signer key (AES-256-CTR), and the
/// ciphertext is the hash.
///
/// Firebase exports the parts without a format; here they stand as
/// `$firebase-scrypt$ln=14,r=8$salt$separator$signerKey$hash`, base64 each.
struct FirebaseHash: CheckableHash {
    private let cost: ScryptCost
    private let salt: [UInt8]
    private let signerKey: [UInt8]
    private let digest: [UInt8]

    init(_ encoded: String) throws(PasswordHashRefusal) {
        let parts = encoded.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 7, let numbers = HashText.numbers(parts[2], names: ["ln", "r"]),
            let logarithm = numbers["ln"], let blockSize = numbers["r"],
            let salt = HashText.base64(parts[3]), !salt.isEmpty, let separator = HashText.base64(parts[4]),
            let signerKey = HashText.digest(parts[5]), let digest = HashText.digest(parts[6]),
            digest.count == signerKey.count
        else { throw PasswordHashRefusal(.firebaseScrypt, .malformed, "not ln, r, salt, separator, key and hash") }
        cost = ScryptCost(logarithm: logarithm, blockSize: blockSize, parallelism: 1)
        try cost.check(.firebaseScrypt)
        self.salt = salt + separator
        self.signerKey = signerKey
        self.digest = digest
    }

    var work: HashWork? { cost.work(.scrypt) }

    func matches(_ password: [UInt8]) -> Bool {
        guard let key = cost.derive(password, salt: salt, count: 32),
            let nonce = try? AES._CTR.Nonce(nonceBytes: [UInt8](repeating: 0, count: 16)),
            let ciphertext = try? AES._CTR.encrypt(signerKey, using: SymmetricKey(data: key), nonce: nonce)
        else { return false }
        return ConstantTime.equal(Array(ciphertext), digest)
    }
}

extension StoredPasswordHash {
    /// A hash from the parts that Firebase exports, in base64 (either alphabet) where they are bytes.
    ///
    /// - Parameters:
    ///   - rounds: scrypt's block size; 8 by default.
    ///   - memoryCost: the logarithm of scrypt's number of blocks; 14 by default.
    /// - Throws: as ``init(_:)``.
    public static func firebase(
        hash: String, salt: String, separator: String, signerKey: String, rounds: Int, memoryCost: Int
    ) throws(PasswordHashRefusal) -> StoredPasswordHash {
        let texts = [salt, separator, signerKey, hash].map {
            $0.replacing("-", with: "+").replacing("_", with: "/")
        }
        return try StoredPasswordHash(
            "$firebase-scrypt$ln=\(memoryCost),r=\(rounds)$\(texts.joined(separator: "$"))")
    }
}
