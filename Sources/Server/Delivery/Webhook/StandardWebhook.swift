internal import Crypto
internal import Foundation
public import KeyturnBase

/// The key of a webhook that is signed as Standard Webhooks 1.0 says, so that receivers check it with a library.
public struct WebhookKey: Sendable {
    private let key: SymmetricKey

    /// - Parameter text: Base64 of 24 to 64 bytes, after `whsec_` or alone. `nil` for anything else.
    public init?(_ text: Secret) {
        let digits = text.exposed().trimmingPrefix("whsec_")
        guard let bytes = Data(base64Encoded: String(digits)), (24...64).contains(bytes.count) else { return nil }
        key = SymmetricKey(data: bytes)
    }

    /// The value of `webhook-signature`: `v1,` and base64 of HMAC-SHA-256 over `id.timestamp.body`.
    func signature(id: String, at time: UnixTime, _ body: [UInt8]) -> String {
        let signed = Array("\(id).\(time.rawValue).".utf8) + body
        return "v1," + Data(HMAC<SHA256>.authenticationCode(for: signed, using: key)).base64EncodedString()
    }
}
