internal import Crypto
public import KeyturnBase
public import KeyturnWebAuthn
internal import SwiftASN1
internal import X509

/// Trusts what the FIDO Alliance's metadata says about an authenticator's model, and refuses models that it warns of.
public struct MetadataTrust: AttestationTrust {
    private let blob: MetadataBlob
    private let unsafe: Set<MetadataStatus>
    private let otherwise: (any AttestationTrust)?

    /// - Parameters:
    ///   - unsafe: States in which a model is refused, whatever else is true.
    ///   - otherwise: Who is asked about models that the metadata does not have, such as Apple's.
    public init(
        _ blob: MetadataBlob, refusing unsafe: Set<MetadataStatus> = MetadataStatus.unsafe,
        otherwise: (any AttestationTrust)? = nil
    ) {
        self.blob = blob
        self.unsafe = unsafe
        self.otherwise = otherwise
    }

    public func assess(_ evidence: AttestationEvidence, at now: UnixTime) async -> AttestationVerdict {
        guard let entry = entry(for: evidence) else {
            return await otherwise?.assess(evidence, at: now)
                ?? .unknown(reason: "the metadata does not have this authenticator")
        }
        let verdict = await CertificatePath.follow(evidence.certificates, to: entry.roots, at: now)
        let path =
            switch verdict {
            case .leadsToRoot(let path): path
            case .leadsNowhere: evidence.certificates
            }
        for report in entry.statusReports where unsafe.contains(report.status) {
            // A report without a date holds since ever; one about a certificate holds for those below it.
            guard report.effectiveDate.map({ $0 <= now }) ?? true,
                report.certificate.map({ path.contains($0) }) ?? true
            else { continue }
            return .revoked(reason: "the metadata says \(report.status.rawValue) of this model")
        }
        return switch verdict {
        case .leadsToRoot: .trusted(authenticatorName: entry.name)
        case .leadsNowhere(let reason): .unknown(reason: reason)
        }
    }

    /// A model of before WebAuthn is known by its certificate's key: its statement does not vouch for an AAGUID.
    private func entry(for evidence: AttestationEvidence) -> MetadataEntry? {
        guard evidence.format == "fido-u2f" else { return blob.entry(evidence.aaguid) }
        guard let first = evidence.certificates.first, let certificate = try? Certificate(derEncoded: first),
            let point = P256.Signing.PublicKey(certificate.publicKey)
        else { return nil }
        let digits = Array("0123456789abcdef")
        let identifier = Insecure.SHA1.hash(data: point.x963Representation).map {
            "\(digits[Int($0 >> 4)])\(digits[Int($0 & 15)])"
        }
        return blob.entry(keyIdentifier: identifier.joined())
    }
}
