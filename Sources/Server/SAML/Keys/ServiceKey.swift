internal import Crypto
internal import Foundation
internal import SwiftASN1
internal import X509
internal import CryptoExtras

/// This server's key for SAML: it signs requests, and opens assertions that were encrypted for it.
public struct ServiceKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// PKCS #8, with its armor.
    package let pem: String
    /// The base64 of a certificate of the key's own. It is the same after each start, because providers keep it.
    package let certificate: String
    private let key: _RSA.Signing.PrivateKey

    /// A placeholder, so that a line of a log shows nothing of the key.
    public var description: String { "«key»" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// Why a key cannot be used.
    public enum Problem: Error, Sendable {
        /// It is no RSA key in PEM.
        case unreadable
        /// It has fewer than 2,048 bits.
        case weak
    }

    /// - Parameter pem: an RSA key of at least 2,048 bits.
    /// - Throws: ``Problem``.
    public init(pem: String) throws(Problem) {
        guard let key = try? _RSA.Signing.PrivateKey(pemRepresentation: pem) else { throw .unreadable }
        guard key.keySizeInBits >= 2_048 else { throw .weak }
        self.key = key
        guard let certificate = try? Self.certificate(of: key),
            let pkcs8 = try? Certificate.PrivateKey(key).serializeAsPEM().pemString
        else { throw .unreadable }
        self.certificate = certificate
        self.pem = pkcs8
    }

    /// RSA with SHA-256 (RFC 8017 §8.2), as the HTTP-Redirect binding names it.
    func signature(of text: String) throws(SAMLFault) -> [UInt8] {
        guard
            let signature = try? key.signature(
                for: SHA256.hash(data: Array(text.utf8)), padding: .insecurePKCS1v1_5)
        else { throw SAMLFault("own_key", .misconfigured) }
        return Array(signature.rawRepresentation)
    }

    private static func certificate(of key: _RSA.Signing.PrivateKey) throws -> String {
        let name = try DistinguishedName { CommonName("Keyturn") }
        // Fixed times and a number that follows from the key: RSA signatures of this padding are always the same.
        let number = Array(SHA256.hash(data: key.publicKey.derRepresentation)).prefix(8)
        let certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(bytes: [0x01] + number),
            publicKey: Certificate.PublicKey(key.publicKey), notValidBefore: Date(timeIntervalSince1970: 1_767_225_600),
            notValidAfter: Date(timeIntervalSince1970: 2_398_377_600), issuer: name, subject: name,
            signatureAlgorithm: .sha256WithRSAEncryption, extensions: Certificate.Extensions(),
            issuerPrivateKey: Certificate.PrivateKey(key))
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        return Data(serializer.serializedBytes).base64EncodedString()
    }
}
