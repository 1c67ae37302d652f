internal import Crypto
internal import CryptoExtras
internal import Foundation
internal import KeyturnWebAuthn

/// The PIN of a security key, by PIN/UV protocol one (CTAP 2.2 §6.5.6).
struct SecurityKeyPINs: Sendable {
    private(set) var triesLeft = 8
    private let agreement = P256.KeyAgreement.PrivateKey()
    private let token = SymmetricKey(size: .bits256)
    private var isTokenGiven = false
    /// Wrong PINs since the key was plugged in.
    private var wrongInARow = 0

    /// Whether `parameter` proves knowledge of the PIN.
    func isProof(_ parameter: [UInt8], of hash: [UInt8]) -> Bool {
        isTokenGiven && Array(HMAC<SHA256>.authenticationCode(for: hash, using: token)).prefix(16) == parameter[...]
    }

    mutating func answer(_ arguments: CBORMap, pin: String?) throws -> CBORMap {
        switch arguments[2]?.integerValue {
        case 1: return CBORMap([(.unsigned(3), .unsigned(UInt64(triesLeft)))])
        case 2: return CBORMap([(.unsigned(1), publicKey)])
        case 5: return try token(arguments, pin: pin)
        default: throw SecurityKeyCommands.Refusal(status: 0x3E)
        }
    }

    private var publicKey: CBORValue {
        let point = Array(agreement.publicKey.rawRepresentation)
        return .map(
            CBORMap([
                (.integer(1), .integer(2)), (.integer(3), .integer(-25)), (.integer(-1), .integer(1)),
                (.integer(-2), .bytes(Array(point[..<32]))), (.integer(-3), .bytes(Array(point[32...]))),
            ]))
    }

    private mutating func token(_ arguments: CBORMap, pin: String?) throws -> CBORMap {
        guard let pin else { throw SecurityKeyCommands.Refusal(status: 0x35) }
        guard triesLeft > 0 else { throw SecurityKeyCommands.Refusal(status: 0x32) }
        guard wrongInARow < 3 else { throw SecurityKeyCommands.Refusal(status: 0x34) }
        guard let key = arguments[3]?.mapValue, let x = key[-2]?.bytesValue, let y = key[-3]?.bytesValue,
            let sealed = arguments[6]?.bytesValue
        else { throw SecurityKeyCommands.Refusal(status: 0x14) }
        let theirs = try P256.KeyAgreement.PublicKey(rawRepresentation: x + y)
        let point = try agreement.sharedSecretFromKeyAgreement(with: theirs)
        let shared = SymmetricKey(data: unsafe point.withUnsafeBytes { unsafe SHA256.hash(data: Array($0)) })
        let nothing = try AES._CBC.IV(ivBytes: Array(repeating: 0, count: 16))
        let told = try AES._CBC.decrypt(sealed, using: shared, iv: nothing, noPadding: true)
        guard Array(told) == Array(SHA256.hash(data: Array(pin.utf8)).prefix(16)) else {
            triesLeft -= 1
            wrongInARow += 1
            if triesLeft == 0 { throw SecurityKeyCommands.Refusal(status: 0x32) }
            throw SecurityKeyCommands.Refusal(status: wrongInARow == 3 ? 0x34 : 0x31)
        }
        (triesLeft, wrongInARow, isTokenGiven) = (8, 0, true)
        let plain = unsafe token.withUnsafeBytes { unsafe Array($0) }
        return CBORMap([
            (.unsigned(2), .bytes(Array(try AES._CBC.encrypt(plain, using: shared, iv: nothing, noPadding: true))))
        ])
    }
}
