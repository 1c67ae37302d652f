internal import Crypto
internal import Foundation
internal import KeyturnBase

/// Shows the gateway that a request is ours and fresh: HMAC-SHA-256 over `timestamp.body` under the shared secret.
enum GatewaySignature {
    static let signatureHeader = "Keyturn-Signature"
    static let timestampHeader = "Keyturn-Timestamp"

    /// `v1=` and 64 hexadecimal digits.
    static func value(_ body: [UInt8], at time: UnixTime, secret: Secret) -> String {
        let signed = Array("\(time.rawValue).".utf8) + body
        let code = HMAC<SHA256>.authenticationCode(
            for: signed, using: SymmetricKey(data: Array(secret.exposed().utf8)))
        return "v1=" + Base16.encode(code)
    }
}
