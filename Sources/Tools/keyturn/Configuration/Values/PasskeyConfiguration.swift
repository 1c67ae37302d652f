internal import Attestation
internal import KeyturnBase
internal import KeyturnWebAuthn
internal import SignIn

/// A site, or a family of sites, whose pages use passkeys.
struct PasskeyConfiguration: Sendable {
    /// What is demanded of authenticators.
    enum Attestation: String, CaseIterable, Sendable {
        /// Nothing is asked.
        case none
        /// It is asked, and every answer is taken.
        case ask
        /// Only authenticators that the roots or the metadata vouch for.
        case trusted
    }

    /// The domain that the passkeys belong to.
    var rpID: String
    var rpName: String
    /// The pages' origins, under ``rpID``.
    var origins: [String]
    /// Origins of other domains that may use the passkeys.
    var relatedOrigins: [String] = []
    /// Sites that may show the pages in a frame and run a ceremony in it.
    var topOrigins: [String] = []
    var publishableKey: String?
    /// The keys of its backends: two while one replaces the other, the older one first.
    var secretKeys: [Secret] = []
    var appleApps: [String] = []
    var androidApps: [RelyingParty.AndroidApp] = []
    var userVerification = UserVerificationRequirement.preferred
    var residentKey = ResidentKeyRequirement.preferred
    var signatureCounter = SignatureCounterRule.refuse
    var attestation = Attestation.none
    /// PEM files.
    var attestationRoots: String?
    /// The FIDO Alliance's metadata, as it was fetched.
    var metadata: String?
    /// A PEM file.
    var metadataRoots: String?
    /// In whose name the metadata is signed.
    var metadataHost = MetadataBlob.fidoAllianceHost

    /// What ceremonies are judged by.
    ///
    /// - Throws: `policyInvalid` if nothing could ever meet it.
    func policy() throws(WebAuthnProblem) -> WebAuthnPolicy {
        let attestation: AttestationPolicy =
            switch self.attestation {
            case .none: .none
            case .ask: .ask
            case .trusted: .trustedOnly
            }
        // Apple's apps say the domain, Android's the certificate that they are signed with.
        let apps =
            (appleApps.isEmpty ? [] : ["https://\(rpID)"])
            + androidApps.flatMap(\.fingerprints).map { print in
                let bytes = print.split(separator: ":").compactMap { UInt8($0, radix: 16) }
                return "android:apk-key-hash:\(Base64URL.encode(bytes))"
            }
        return try WebAuthnPolicy(
            rpID: rpID, rpName: rpName, origins: Set(origins + apps), relatedOrigins: Set(relatedOrigins),
            topOrigins: Set(topOrigins), allowsCrossOrigin: !topOrigins.isEmpty, userVerification: userVerification,
            residentKey: residentKey, signatureCounter: signatureCounter, attestation: attestation)
    }
}
