@_spi(FixedExpiryValidationTime) internal import X509
internal import Foundation
internal import KeyturnBase
internal import SwiftASN1

/// Follows certificates to a root (RFC 5280 §6).
enum CertificatePath {
    enum Verdict: Equatable {
        /// The path that was found, the first certificate first, in DER.
        case leadsToRoot(path: [[UInt8]])
        case leadsNowhere(reason: String)
    }

    /// - Parameters:
    ///   - certificates: The one to judge first, then those that may be above it, in any order.
    ///   - roots: What is trusted. The first certificate itself may be among them.
    static func follow(_ certificates: [[UInt8]], to roots: [[UInt8]], at now: UnixTime) async -> Verdict {
        guard let first = certificates.first, let leaf = try? Certificate(derEncoded: first) else {
            return .leadsNowhere(reason: "the certificate cannot be read")
        }
        let moment = Date(timeIntervalSince1970: Double(now.rawValue))
        if roots.contains(first) {
            guard leaf.notValidBefore <= moment, moment <= leaf.notValidAfter else {
                return .leadsNowhere(reason: "the certificate is not valid now")
            }
            return .leadsToRoot(path: [first])
        }
        let anchors = roots.compactMap { try? Certificate(derEncoded: $0) }
        guard !anchors.isEmpty else { return .leadsNowhere(reason: "there is no root for this authenticator") }
        var verifier = Verifier(rootCertificates: CertificateStore(anchors)) {
            RFC5280Policy(fixedExpiryValidationTime: moment)
            IssuerPolicy()
        }
        let above = certificates.dropFirst().compactMap { try? Certificate(derEncoded: $0) }
        switch await verifier.validate(leaf: leaf, intermediates: CertificateStore(above)) {
        case .validCertificate(let chain):
            return .leadsToRoot(path: chain.map(encoded))
        case .couldNotValidate(let failures):
            return .leadsNowhere(
                reason: failures.isEmpty
                    ? "the certificates lead to no known root" : "the certificates break the rules of their path")
        }
    }

    /// The hosts that a certificate is for: its alternative names, or its common name if it has none.
    static func names(of certificate: [UInt8]) -> Set<String> {
        guard let certificate = try? Certificate(derEncoded: certificate) else { return [] }
        var names: Set<String> = []
        for name in (try? certificate.extensions.subjectAlternativeNames) ?? SubjectAlternativeNames() {
            if case .dnsName(let host) = name { names.insert(host.lowercased()) }
        }
        guard names.isEmpty else { return names }
        for part in certificate.subject {
            for attribute in part where attribute.type == .RDNAttributeType.commonName {
                names.insert("\(attribute.value)".lowercased())
            }
        }
        return names
    }

    /// A certificate in DER.
    static func encoded(_ certificate: Certificate) -> [UInt8] {
        var serializer = DER.Serializer()
        return (try? serializer.serialize(certificate)).map { serializer.serializedBytes } ?? []
    }
}

/// A certificate that signs others must be allowed to (RFC 5280 §4.2.1.3), which the general policy leaves open.
///
/// It also answers for two extensions that attestation certificates mark critical: the formats look into the
/// alternative names and the usages of a TPM's certificate themselves, and for everything else they say nothing that
/// matters here.
private struct IssuerPolicy: VerifierPolicy {
    let verifyingCriticalExtensions: [ASN1ObjectIdentifier] = [
        .X509ExtensionID.subjectAlternativeName, .X509ExtensionID.extendedKeyUsage,
    ]

    func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) async -> PolicyEvaluationResult {
        for issuer in chain.dropFirst() {
            do {
                if let usage = try issuer.extensions.keyUsage, !usage.keyCertSign {
                    return .failsToMeetPolicy(reason: "an issuer may not sign certificates")
                }
            } catch {
                return .failsToMeetPolicy(reason: "an issuer's usage cannot be read")
            }
        }
        return .meetsPolicy
    }
}
