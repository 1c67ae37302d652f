public import KeyturnBase
public import KeyturnWebAuthn

/// Trusts roots that the operator gave.
public struct CertificateTrust: AttestationTrust {
    private let roots: [[UInt8]]
    private let name: String?

    /// - Parameters:
    ///   - roots: Certificates in DER. An attestation's own certificate may be among them.
    ///   - name: What authenticators with such certificates are called.
    public init(roots: [[UInt8]], name: String? = nil) {
        self.roots = roots
        self.name = name
    }

    public func assess(_ evidence: AttestationEvidence, at now: UnixTime) async -> AttestationVerdict {
        switch await CertificatePath.follow(evidence.certificates, to: roots, at: now) {
        case .leadsToRoot: .trusted(authenticatorName: name)
        case .leadsNowhere(let reason): .unknown(reason: reason)
        }
    }
}
