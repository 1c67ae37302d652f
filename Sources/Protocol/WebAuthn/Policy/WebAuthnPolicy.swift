/// Whether the authenticator must verify its user, and not only their presence (WebAuthn Level 3 §5.8.6).
public enum UserVerificationRequirement: String, CaseIterable, Hashable, Sendable {
    /// `required`: answers without verification are refused; the others say what the client should prefer.
    case required, preferred, discouraged
}

/// Whether a credential must be one that the authenticator finds by itself (WebAuthn Level 3 §5.4.6).
public enum ResidentKeyRequirement: String, CaseIterable, Hashable, Sendable {
    /// `required`: the authenticator must store the credential; the others say what it should prefer.
    case required, preferred, discouraged
}

/// What follows from a signature counter that did not grow (WebAuthn Level 3 §7.2 step 22).
public enum SignatureCounterRule: String, CaseIterable, Hashable, Sendable {
    /// The assertion is refused.
    case refuse
    /// It is accepted, and ``VerifiedAssertion/signatureCounter`` says so.
    case report
}

/// Which credentials are taken, by whether they can be copied to other devices (WebAuthn Level 3 §6.1.3).
public enum BackupRule: String, CaseIterable, Hashable, Sendable {
    /// Every credential.
    case any
    /// Only credentials that can be copied: a lost device locks no user out.
    case eligibleOnly
    /// Only credentials that have been copied already.
    case backedUpOnly
    /// Only credentials that never leave their device.
    case deviceBoundOnly
}

/// What a relying party demands of registrations and assertions. Made once, for one relying party.
public struct WebAuthnPolicy: Hashable, Sendable {
    /// The domain that credentials are made for: `example.org`.
    public let rpID: String
    /// The relying party as people know it.
    public let rpName: String
    /// Where ceremonies may run: origins of the domain itself and, as `android:apk-key-hash:…`, of apps.
    public let origins: Set<String>
    /// Origins of other domains that may use this relying party's credentials (§5.11).
    public let relatedOrigins: Set<String>
    /// Sites that may show our page in a frame and run a ceremony in it.
    public let topOrigins: Set<String>
    /// Whether a ceremony in a frame of another site is taken at all.
    public let allowsCrossOrigin: Bool
    /// Whether the user must be verified, and not just be present.
    public var userVerification: UserVerificationRequirement
    /// Whether the authenticator must find the credential without its identifier.
    public var residentKey: ResidentKeyRequirement
    /// The algorithms that are offered and taken, the preferred ones first. Never empty.
    public let algorithms: [COSEAlgorithm]
    /// Which credentials are taken, by whether they can be copied.
    public var backup: BackupRule
    /// What follows from a signature counter that did not grow.
    public var signatureCounter: SignatureCounterRule
    /// What is asked about authenticators, and which answers are taken.
    public var attestation: AttestationPolicy
    /// How long a client may take, in milliseconds.
    public var timeoutMilliseconds: Int64

    /// The offer that every client and authenticator can meet.
    public static let usualAlgorithms: [COSEAlgorithm] = [.es256, .edDSA, .rs256]

    /// - Parameters:
    ///   - origins: `https://` origins of the domain or below it, `http://localhost` with any port, or apps.
    ///   - allowsCrossOrigin: Also needed for `topOrigins`.
    /// - Throws: `policyInvalid` if an origin is misspelt or belongs to another domain, or nothing could ever be taken.
    public init(
        rpID: String, rpName: String, origins: Set<String>, relatedOrigins: Set<String> = [],
        topOrigins: Set<String> = [], allowsCrossOrigin: Bool = false,
        userVerification: UserVerificationRequirement = .preferred, residentKey: ResidentKeyRequirement = .preferred,
        algorithms: [COSEAlgorithm] = usualAlgorithms, backup: BackupRule = .any,
        signatureCounter: SignatureCounterRule = .refuse, attestation: AttestationPolicy = .none,
        timeoutMilliseconds: Int64 = 300_000
    ) throws(WebAuthnProblem) {
        guard WebOrigin.isHost(rpID) else { throw Self.problem("the relying party's identifier is not a domain") }
        guard !origins.isEmpty, !algorithms.isEmpty, Set(algorithms).count == algorithms.count else {
            throw Self.problem("there must be an origin and an algorithm, and none twice")
        }
        guard origins.allSatisfy({ WebOrigin.belongs($0, to: rpID) }) else {
            throw Self.problem("an origin is misspelt, or belongs to another domain: see relatedOrigins")
        }
        guard relatedOrigins.allSatisfy({ WebOrigin.host(of: $0) != nil }),
            topOrigins.allSatisfy({ WebOrigin.host(of: $0) != nil })
        else { throw Self.problem("a related or top origin is not https://host") }
        guard allowsCrossOrigin || topOrigins.isEmpty else {
            throw Self.problem("top origins without allowsCrossOrigin can never be met")
        }
        self.rpID = rpID
        self.rpName = rpName
        self.origins = origins
        self.relatedOrigins = relatedOrigins
        self.topOrigins = topOrigins
        self.allowsCrossOrigin = allowsCrossOrigin
        self.userVerification = userVerification
        self.residentKey = residentKey
        self.algorithms = algorithms
        self.backup = backup
        self.signatureCounter = signatureCounter
        self.attestation = attestation
        self.timeoutMilliseconds = timeoutMilliseconds
    }

    private static func problem(_ detail: String) -> WebAuthnProblem {
        WebAuthnProblem(.policyInvalid, detail)
    }
}
