internal import Crypto
internal import Foundation
package import KeyturnBase
internal import SwiftASN1
internal import X509
internal import CryptoExtras

/// A certificate of an identity provider: its public key is trusted because the operator entered it, regardless of its
/// issuer and of its end (wire sheet §3.3).
package struct ProviderCertificate: Sendable {
    /// With its armor.
    package let pem: String
    /// After this, careful administrators replace it; it still counts.
    package let expiresAt: UnixTime
    /// The SHA-256 of the certificate, in hexadecimal digits.
    package let fingerprint: String

    let publicKey: Certificate.PublicKey

    /// - Parameter text: PEM, or the base64 of DER as metadata has it.
    /// - Throws: ``SAMLFault`` if it cannot be read, or its key is weak: RSA below 2,048 bits, or another curve than
    ///   P-256, P-384 and P-521.
    package init(_ text: String) throws(SAMLFault) {
        let body = text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("-----") }.joined()
        let base64 = body.filter { !$0.isWhitespace }
        guard let data = Data(base64Encoded: base64), data.count <= 8_192,
            let certificate = try? Certificate(derEncoded: Array(data))
        else { throw SAMLFault("certificate", .misconfigured) }
        guard Self.isStrong(certificate.publicKey) else { throw SAMLFault("weak_key", .misconfigured) }
        publicKey = certificate.publicKey
        pem = Self.armored(base64)
        expiresAt = UnixTime(rawValue: Int64(certificate.notValidAfter.timeIntervalSince1970))
        fingerprint = Base16.encode(SHA256.hash(data: data))
    }

    private static func isStrong(_ key: Certificate.PublicKey) -> Bool {
        if let rsa = _RSA.Signing.PublicKey(key) { return rsa.keySizeInBits >= 2_048 }
        return P256.Signing.PublicKey(key) != nil || P384.Signing.PublicKey(key) != nil
            || P521.Signing.PublicKey(key) != nil
    }

    static func armored(_ base64: String, _ label: String = "CERTIFICATE") -> String {
        var lines: [Substring] = []
        var rest = Substring(base64)
        while !rest.isEmpty {
            lines.append(rest.prefix(64))
            rest = rest.dropFirst(64)
        }
        return "-----BEGIN \(label)-----\n\(lines.joined(separator: "\n"))\n-----END \(label)-----\n"
    }
}
