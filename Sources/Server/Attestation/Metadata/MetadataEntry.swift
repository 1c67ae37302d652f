internal import Foundation
public import KeyturnBase
public import KeyturnWebAuthn

/// What is published about one model of authenticator (FIDO Metadata Service 3.0 §3.1.1).
public struct MetadataEntry: Hashable, Sendable {
    /// A report about the model's state (§3.1.3).
    public struct StatusReport: Hashable, Sendable {
        /// `FIDO_CERTIFIED`, `REVOKED`, …: see ``MetadataStatus``.
        public let status: MetadataStatus
        /// Since when; `nil`: since ever.
        public let effectiveDate: UnixTime?
        /// The one certificate that it is about, in DER; `nil`: the whole model.
        public let certificate: [UInt8]?
    }

    /// `nil` for models of before WebAuthn.
    public let aaguid: AAGUID?
    /// For models of before WebAuthn: SHA-1 of the public keys of their certificates, in lower-case hexadecimal.
    public let certificateKeyIdentifiers: Set<String>
    /// The model's name.
    public let name: String?
    /// Roots of its attestations, in DER.
    public let roots: [[UInt8]]
    public let statusReports: [StatusReport]

    /// `nil` for an entry of another protocol (`aaid` alone).
    init?(_ json: JSONValue) throws(MetadataProblem) {
        aaguid = json["aaguid"]?.stringValue.flatMap { AAGUID($0) }
        certificateKeyIdentifiers = Set(
            (json["attestationCertificateKeyIdentifiers"]?.stringArrayValue ?? []).map { $0.lowercased() })
        guard aaguid != nil || !certificateKeyIdentifiers.isEmpty else { return nil }
        let statement = json["metadataStatement"]
        name = statement?["description"]?.stringValue
        roots = (statement?["attestationRootCertificates"]?.stringArrayValue ?? []).compactMap(Self.certificate)
        guard let reports = json["statusReports"]?.arrayValue else {
            throw MetadataProblem(.malformed, "an entry has no status reports")
        }
        var statusReports: [StatusReport] = []
        for report in reports {
            guard let status = report["status"]?.stringValue else {
                throw MetadataProblem(.malformed, "a status report has no status")
            }
            statusReports.append(
                StatusReport(
                    status: MetadataStatus(rawValue: status),
                    effectiveDate: report["effectiveDate"]?.stringValue.flatMap(MetadataDate.init)?.start,
                    certificate: report["certificate"]?.stringValue.flatMap(Self.certificate)))
        }
        self.statusReports = statusReports
    }

    /// Certificates are written in ordinary base64, sometimes in lines.
    private static func certificate(_ text: String) -> [UInt8]? {
        Data(base64Encoded: text, options: .ignoreUnknownCharacters).map { Array($0) }
    }
}

/// The state of a model (FIDO Metadata Service 3.0 §3.1.4). New ones may appear at any time.
public struct MetadataStatus: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public static let revoked = Self(rawValue: "REVOKED")
    public static let userVerificationBypass = Self(rawValue: "USER_VERIFICATION_BYPASS")
    public static let attestationKeyCompromise = Self(rawValue: "ATTESTATION_KEY_COMPROMISE")
    public static let userKeyRemoteCompromise = Self(rawValue: "USER_KEY_REMOTE_COMPROMISE")
    public static let userKeyPhysicalCompromise = Self(rawValue: "USER_KEY_PHYSICAL_COMPROMISE")

    /// Statuses that end the trust in a model.
    public static let unsafe: Set<MetadataStatus> = [
        .revoked, .userVerificationBypass, .attestationKeyCompromise, .userKeyRemoteCompromise,
        .userKeyPhysicalCompromise,
    ]
}
