internal import Foundation
public import KeyturnBase
internal import KeyturnJose
public import KeyturnWebAuthn
internal import SwiftASN1
internal import X509

/// A verified blob of the FIDO Metadata Service (version 3.0 §3.1.7): what is known about models of authenticators.
public struct MetadataBlob: Sendable {
    /// `no`: grows with every blob. Keep it, and hand it in with the next one.
    public let number: Int64
    /// When the day that is called `nextUpdate` ends. Fetch the next blob before.
    public let nextUpdate: UnixTime
    public let entries: [MetadataEntry]
    /// Where the FIDO Alliance publishes its blob, and in whose name it signs.
    public static let fidoAllianceHost = "mds.fidoalliance.org"
    private let models: [AAGUID: MetadataEntry]
    private let keyIdentifiers: [String: MetadataEntry]

    /// Verifies a blob: a signed token whose certificates lead to a root (§3.2).
    ///
    /// - Parameters:
    ///   - bytes: The blob as it was fetched.
    ///   - roots: Roots of the service, in DER. The FIDO Alliance uses GlobalSign's Root R3.
    ///   - host: Whose certificate signs it; `nil`: any host's below a root. The FIDO Alliance's root signs for the whole
    ///     web, so without a name any certificate of the web would do.
    ///   - lastNumber: The highest ``number`` that was accepted before; `nil` for the first blob.
    ///   - revokedSerialNumbers: Serial numbers, without leading zeros, of certificates that their issuers have
    /// revoked.   - toleranceSeconds: How long after ``nextUpdate`` a blob is still taken.
    /// - Throws: ``MetadataProblem``.
    public init(
        verifying bytes: [UInt8], roots: [[UInt8]], host: String? = fidoAllianceHost, lastNumber: Int64?,
        revokedSerialNumbers: Set<[UInt8]> = [],
        toleranceSeconds: Int64 = 0, at now: UnixTime
    ) async throws(MetadataProblem) {
        let token = try MetadataToken(bytes)
        let path: [[UInt8]]
        switch await CertificatePath.follow(token.certificates, to: roots, at: now) {
        case .leadsToRoot(let found): path = found
        case .leadsNowhere(let reason): throw MetadataProblem(.untrusted, reason)
        }
        for certificate in path {
            let serial = (try? Certificate(derEncoded: certificate))?.serialNumber.bytes.drop { $0 == 0 }
            guard let serial, !revokedSerialNumbers.contains(Array(serial)) else {
                throw MetadataProblem(.revoked, "a certificate of the blob was revoked")
            }
        }
        if let host, !CertificatePath.names(of: token.certificates[0]).contains(host) {
            throw MetadataProblem(.untrusted, "the blob is not signed by \(host)")
        }
        try token.verify()
        let json: JSONValue
        do {
            json = try JSONValue(
                parsing: token.payload,
                limits: .init(
                    bytesMax: AttestationLimits.metadataBytes, depthMax: AttestationLimits.metadataDepth,
                    membersMax: AttestationLimits.metadataEntries))
        } catch {
            throw MetadataProblem(.malformed, "the blob is not JSON as it should be: \(error.rule.rawValue)")
        }
        try self.init(json, lastNumber: lastNumber, toleranceSeconds: toleranceSeconds, at: now)
    }

    private init(
        _ json: JSONValue, lastNumber: Int64?, toleranceSeconds: Int64, at now: UnixTime
    ) throws(MetadataProblem) {
        guard let number = json["no"]?.integerValue,
            let date = json["nextUpdate"]?.stringValue.flatMap(MetadataDate.init),
            let list = json["entries"]?.arrayValue
        else { throw MetadataProblem(.malformed, "the blob lacks no, nextUpdate or entries") }
        guard number >= lastNumber ?? .min else {
            throw MetadataProblem(.rollback, "the blob is older than the one that was accepted before")
        }
        guard now < date.end + toleranceSeconds else {
            throw MetadataProblem(.expired, "the blob should have been replaced by now")
        }
        var entries: [MetadataEntry] = []
        for element in list {
            if let entry = try MetadataEntry(element) { entries.append(entry) }
        }
        self.number = number
        nextUpdate = date.end
        self.entries = entries
        models = Dictionary(entries.compactMap { entry in entry.aaguid.map { ($0, entry) } }) { first, _ in first }
        keyIdentifiers = Dictionary(
            entries.flatMap { entry in entry.certificateKeyIdentifiers.map { ($0, entry) } }
        ) { first, _ in first }
    }

    /// What is known about the model.
    public func entry(_ aaguid: AAGUID) -> MetadataEntry? {
        models[aaguid]
    }

    /// What is known about the model of before WebAuthn whose certificate has that key (SHA-1, in hexadecimal).
    func entry(keyIdentifier: String) -> MetadataEntry? {
        keyIdentifiers[keyIdentifier]
    }
}
