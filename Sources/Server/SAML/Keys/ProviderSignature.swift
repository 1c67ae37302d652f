internal import Crypto
internal import CryptoExtras
internal import Foundation
internal import X509

/// What a provider's keys signed. Keys inside a message count for nothing.
struct ProviderSignature {
    /// PEM or base64: one to four count.
    let certificates: [String]

    private static let methods: Set<String> = [
        "rsa-sha256", "rsa-sha384", "rsa-sha512", "ecdsa-sha256", "ecdsa-sha384", "ecdsa-sha512",
    ]
    private static let space = "http://www.w3.org/2001/04/xmldsig-more#"

    /// The octets of an element that one of the keys signed.
    ///
    /// - Throws: ``SAMLFault``.
    func octets(of message: [UInt8], _ target: XMLLibrary.Target) throws(SAMLFault) -> [UInt8] {
        var fault = SAMLFault("certificates", .misconfigured)
        for certificate in certificates.prefix(4) {
            do throws(SAMLFault) {
                return try XMLLibrary.verify(message, target, certificate: try ProviderCertificate(certificate).pem)
            } catch {
                fault = error
            }
        }
        throw fault
    }

    /// Checks the signature of a query (Bindings §3.4.4.1): RSA of PKCS #1 v1.5, or ECDSA, with SHA-256 or longer.
    ///
    /// - Parameters:
    ///   - signature: as it came.
    ///   - signed: the octets that it covers.
    ///   - algorithm: its URI.
    /// - Throws: ``SAMLFault``.
    func check(_ signature: [UInt8], of signed: [UInt8], _ algorithm: String) throws(SAMLFault) {
        guard algorithm.hasPrefix(Self.space) else { throw SAMLFault("signature_algorithm") }
        let method = algorithm.dropFirst(Self.space.count)
        guard Self.methods.contains(String(method)) else { throw SAMLFault("signature_algorithm") }
        for certificate in certificates.prefix(4) {
            let key = try ProviderCertificate(certificate).publicKey
            let isGood =
                switch method.suffix(6) {
                case "sha256": Self.isGood(signature, SHA256.hash(data: signed), key, isRSA: method.hasPrefix("rsa"))
                case "sha384": Self.isGood(signature, SHA384.hash(data: signed), key, isRSA: method.hasPrefix("rsa"))
                default: Self.isGood(signature, SHA512.hash(data: signed), key, isRSA: method.hasPrefix("rsa"))
                }
            if isGood { return }
        }
        throw SAMLFault("signature")
    }

    private static func isGood(
        _ signature: [UInt8], _ digest: some Digest, _ key: Certificate.PublicKey, isRSA: Bool
    ) -> Bool {
        if isRSA {
            guard let rsa = _RSA.Signing.PublicKey(key) else { return false }
            return rsa.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature), for: digest, padding: .insecurePKCS1v1_5)
        }
        // Both numbers of an ECDSA signature, without DER (XML Signature §6.4.3).
        if let key = P256.Signing.PublicKey(key) {
            return (try? P256.Signing.ECDSASignature(rawRepresentation: signature)).map {
                key.isValidSignature($0, for: digest)
            } ?? false
        }
        if let key = P384.Signing.PublicKey(key) {
            return (try? P384.Signing.ECDSASignature(rawRepresentation: signature)).map {
                key.isValidSignature($0, for: digest)
            } ?? false
        }
        guard let key = P521.Signing.PublicKey(key) else { return false }
        return (try? P521.Signing.ECDSASignature(rawRepresentation: signature)).map {
            key.isValidSignature($0, for: digest)
        } ?? false
    }
}
