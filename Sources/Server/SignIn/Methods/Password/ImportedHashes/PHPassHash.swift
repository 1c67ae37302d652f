internal import Crypto
internal import Foundation
internal import KeyturnBase
internal import Model

/// `$P$B` and 30 characters: iterated MD5, as WordPress made it until 2025. `$H$` is phpBB's name for the same.
struct PHPassHash: CheckableHash {
    private let logarithm: Int
    private let salt: [UInt8]
    private let digest: [UInt8]

    init(_ encoded: String) throws(PasswordHashRefusal) {
        let body = encoded.dropFirst(3)
        guard body.count == 31, HashText.isUnixText(body), let logarithm = HashText.unixDigit(body.first) else {
            throw PasswordHashRefusal(.phpass, .malformed, "not 34 characters")
        }
        guard logarithm <= Limits.phpassLogarithmMax else {
            throw PasswordHashRefusal(
                .phpass, .tooExpensive, "2^\(logarithm) rounds are beyond 2^\(Limits.phpassLogarithmMax)")
        }
        self.logarithm = logarithm
        salt = Array(body.dropFirst().prefix(8).utf8)
        digest = Array(body.dropFirst(9).utf8)
    }

    var work: HashWork? { HashWork(family: .phpass, units: 1 << logarithm) }

    func matches(_ password: [UInt8]) -> Bool {
        var hash = Array(Insecure.MD5.hash(data: salt + password))
        for _ in 0..<1 << logarithm { hash = Array(Insecure.MD5.hash(data: hash + password)) }
        return ConstantTime.equal(Self.encode(hash), digest)
    }

    /// Three bytes at a time, the lowest bits first.
    private static func encode(_ hash: [UInt8]) -> [UInt8] {
        stride(from: 0, to: hash.count, by: 3).flatMap { start -> [UInt8] in
            let group = hash[start..<min(start + 3, hash.count)]
            let value = group.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            return (0...group.count).map { HashText.unixAlphabet[Int(value >> UInt32(6 * $0) & 0x3F)] }
        }
    }
}
