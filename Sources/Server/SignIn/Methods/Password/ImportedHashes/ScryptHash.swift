internal import Crypto
internal import CryptoExtras
internal import Foundation
internal import KeyturnBase
internal import Model

/// The cost of a check with scrypt (RFC 7914 §6).
struct ScryptCost: Sendable {
    /// The logarithm of the number of blocks, N.
    let logarithm: Int
    let blockSize: Int
    let parallelism: Int

    /// - Throws: ``PasswordHashRefusal`` if it takes too much memory or time.
    func check(_ scheme: StoredPasswordHash.Scheme) throws(PasswordHashRefusal) {
        guard logarithm >= 1, blockSize >= 1, parallelism >= 1 else {
            throw PasswordHashRefusal(scheme, .malformed, "a parameter is zero")
        }
        // Each is bounded first, so that nothing overflows. swift-crypto allocates the memory of all lanes at once.
        guard logarithm <= 24, blockSize <= 64, parallelism <= 16,
            128 * (blockSize << logarithm) * parallelism <= Limits.scryptBytesMax
        else {
            throw PasswordHashRefusal(
                scheme, .tooExpensive,
                "N=2^\(logarithm), r=\(blockSize), p=\(parallelism) take more than \(Limits.scryptBytesMax) bytes")
        }
    }

    func work(_ family: HashWork.Family) -> HashWork {
        HashWork(family: family, units: (blockSize << logarithm) * parallelism)
    }

    /// `nil` if it failed, for example because memory ran out.
    func derive(_ password: [UInt8], salt: [UInt8], count: Int) -> [UInt8]? {
        let key = try? KDF.Scrypt.deriveKey(
            from: password, salt: salt, outputByteCount: count, rounds: 1 << logarithm, blockSize: blockSize,
            parallelism: parallelism)
        return key.map { key in unsafe key.withUnsafeBytes { unsafe Array($0) } }
    }
}

/// `$scrypt$ln=16,r=8,p=1$salt$hash`, and Django's `scrypt$16384$salt$8$5$hash`.
struct ScryptHash: CheckableHash {
    private let cost: ScryptCost
    private let salt: [UInt8]
    private let digest: [UInt8]

    init(phc encoded: String) throws(PasswordHashRefusal) {
        let parts = encoded.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 5, let numbers = HashText.numbers(parts[2], names: ["ln", "r", "p"]),
            let logarithm = numbers["ln"], let blockSize = numbers["r"], let parallelism = numbers["p"],
            let salt = HashText.base64(parts[3]), !salt.isEmpty, let digest = HashText.digest(parts[4])
        else { throw PasswordHashRefusal(.scrypt, .malformed, "not ln, r, p, salt and hash") }
        try self.init(ScryptCost(logarithm: logarithm, blockSize: blockSize, parallelism: parallelism), salt, digest)
    }

    /// The salt is text, hashed as it stands.
    init(django encoded: String) throws(PasswordHashRefusal) {
        let parts = encoded.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 6, let blocks = HashText.number(parts[1]), blocks > 0, blocks.nonzeroBitCount == 1,
            !parts[2].isEmpty, let blockSize = HashText.number(parts[3]), let parallelism = HashText.number(parts[4]),
            let digest = HashText.digest(parts[5])
        else { throw PasswordHashRefusal(.scrypt, .malformed, "not N, salt, r, p and hash") }
        let cost = ScryptCost(logarithm: blocks.trailingZeroBitCount, blockSize: blockSize, parallelism: parallelism)
        try self.init(cost, Array(parts[2].utf8), digest)
    }

    private init(_ cost: ScryptCost, _ salt: [UInt8], _ digest: [UInt8]) throws(PasswordHashRefusal) {
        try cost.check(.scrypt)
        self.cost = cost
        self.salt = salt
        self.digest = digest
    }

    var work: HashWork? { cost.work(.scrypt) }

    func matches(_ password: [UInt8]) -> Bool {
        cost.derive(password, salt: salt, count: digest.count).map { ConstantTime.equal($0, digest) } ?? false
    }
}
