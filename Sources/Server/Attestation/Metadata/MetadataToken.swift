internal import Crypto
internal import CryptoExtras
internal import Foundation
internal import KeyturnBase
internal import KeyturnJose
internal import SwiftASN1
internal import X509

/// The signed token around metadata (RFC 7515). Unlike every other token it brings its own certificates, and is
/// megabytes long: nothing of it counts before those certificates were followed to a root.
struct MetadataToken {
    /// `x5c`: the signer's certificate first.
    let certificates: [[UInt8]]
    let payload: [UInt8]
    private let algorithm: SignatureAlgorithm
    private let signingInput: ArraySlice<UInt8>
    private let signature: [UInt8]

    init(_ bytes: [UInt8]) throws(MetadataProblem) {
        guard bytes.count <= AttestationLimits.metadataBytes else { throw Self.malformed("it is too long") }
        // What is fetched may end with a line break.
        let text = bytes[..<((bytes.lastIndex { $0 > 0x20 } ?? -1) + 1)]
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].count <= AttestationLimits.headerBytes,
            let head = Base64URL.decode(utf8: parts[0]), let payload = Base64URL.decode(utf8: parts[1]),
            let signature = Base64URL.decode(utf8: parts[2]), !signature.isEmpty
        else { throw Self.malformed("it is not three parts of base64url") }
        let header: JSONValue
        do {
            header = try JSONValue(parsing: head, limits: .init(depthMax: 4, membersMax: 32))
        } catch {
            throw Self.malformed("its header is not JSON as it should be: \(error.rule.rawValue)")
        }
        guard header["crit"] == nil, header["b64"] == nil else {
            throw Self.malformed("its header demands an extension that is not understood")
        }
        guard let algorithm = header["alg"]?.stringValue.flatMap(SignatureAlgorithm.init(rawValue:)) else {
            throw MetadataProblem(.unsupportedAlgorithm, "the blob is signed in a way that is not supported")
        }
        guard let texts = header["x5c"]?.stringArrayValue,
            (1...AttestationLimits.headerCertificates).contains(texts.count)
        else { throw Self.malformed("its header has no certificates, or many") }
        certificates = texts.compactMap { Data(base64Encoded: $0).map { Array($0) } }
        guard certificates.count == texts.count else { throw Self.malformed("its certificates are not base64") }
        self.algorithm = algorithm
        self.payload = payload
        self.signature = signature
        signingInput = text[..<parts[2].startIndex].dropLast()
    }

    /// Checks the signature by the first certificate's key.
    func verify() throws(MetadataProblem) {
        guard let leaf = try? Certificate(derEncoded: certificates[0]), let key = Self.key(leaf.publicKey),
            let verification = try? VerificationKey(key, algorithm: algorithm)
        else { throw MetadataProblem(.signature, "the certificate's key does not fit the signature") }
        guard verification.isValid(signature, for: signingInput) else {
            throw MetadataProblem(.signature, "the signature is not by the certificate's key")
        }
    }

    private static func key(_ key: Certificate.PublicKey) -> JSONWebKey? {
        if let point = P256.Signing.PublicKey(key) { return curve("P-256", Array(point.rawRepresentation)) }
        if let point = P384.Signing.PublicKey(key) { return curve("P-384", Array(point.rawRepresentation)) }
        if let point = P521.Signing.PublicKey(key) { return curve("P-521", Array(point.rawRepresentation)) }
        guard let numbers = try? _RSA.Signing.PublicKey(key)?.getKeyPrimitives() else { return nil }
        return try? JSONWebKey([
            "kty": "RSA", "n": text(Array(numbers.modulus)), "e": text(Array(numbers.publicExponent)),
        ])
    }

    private static func curve(_ name: String, _ raw: [UInt8]) -> JSONWebKey? {
        let half = raw.count / 2
        return try? JSONWebKey([
            "kty": "EC", "crv": .string(name), "x": text(Array(raw[..<half])), "y": text(Array(raw[half...])),
        ])
    }

    private static func text(_ bytes: [UInt8]) -> JSONValue {
        .string(Base64URL.encode(bytes))
    }

    private static func malformed(_ detail: String) -> MetadataProblem {
        MetadataProblem(.malformed, "the blob cannot be read: \(detail)")
    }
}
