public import KeyturnBase
internal import Crypto
public import KeyturnWebAuthn

/// An authenticator and its browser, for tests: it answers options as a client would, at once and without asking a
/// user.
///
/// A value: a copy is a clone with the same keys and counters, so that tests can make clones.
public struct SoftwareAuthenticator: Sendable {
    /// How the authenticator and its client behave. May be changed between two ceremonies.
    public struct Behaviour: Sendable {
        public var isUserPresent = true
        public var isUserVerified = true
        public var isBackupEligible = true
        public var isBackedUp = true
        /// Whether credentials are found without being named, and return their user handle.
        public var isResident = true
        /// The counter's increase with each ceremony; 0: the authenticator does not count.
        public var counterStep: UInt32 = 1
        public var aaguid = AAGUID.zero
        public var transports = ["internal", "hybrid"]
        public var attachment: String? = "platform"
        public var attestation = Attestation.none
        /// The algorithms that it supports, whichever the service prefers.
        public var algorithms = COSEAlgorithm.allCases
        /// The page's origin; `nil`: `https://` and the relying party's identifier.
        public var origin: String?
        public var crossOrigin = false
        public var topOrigin: String?
        /// Further members of the client data, as browsers may add them.
        public var extraClientData: [String: JSONValue] = [:]
        /// The outputs of the authenticator's extensions.
        public var extensions: CBORMap?

        public init() {}
    }

    /// The attestation of a new credential.
    public enum Attestation: Hashable, Sendable {
        case none
        /// `packed`, signed with the credential's own key.
        case packedSelf
        /// `compound`, made of that many `packed` statements, signed with the credential's own key.
        case compound(Int)
    }

    /// A credential of the authenticator.
    public struct Credential: Sendable {
        public let id: [UInt8]
        public let rpID: String
        public let userHandle: [UInt8]
        public let key: CredentialKey
        public var signCount: UInt32
    }

    /// Why there is no answer, as a browser would say.
    public enum Refusal: String, Error, Hashable, Sendable {
        /// A credential that the request excludes already exists here (`InvalidStateError`).
        case excluded
        /// No credential matches (`NotAllowedError`).
        case noCredential
        /// None of the algorithms is supported (`NotSupportedError`).
        case noAlgorithm
    }

    public var behaviour: Behaviour
    public internal(set) var credentials: [Credential] = []
    let seed: [UInt8]
    var made: UInt64 = 0

    /// - Parameter seed: Determines every identifier and every key except RSA keys. Two authenticators with one seed
    ///   make the same ones.
    public init(seed: [UInt8], behaviour: Behaviour = Behaviour()) {
        self.seed = seed
        self.behaviour = behaviour
    }

    /// A random authenticator.
    public init(ambient: Ambient, behaviour: Behaviour = Behaviour()) {
        self.init(seed: ambient.randomBytes(32), behaviour: behaviour)
    }

    /// Makes a credential (`navigator.credentials.create`).
    ///
    /// - Throws: ``Refusal``, or ``KeyturnWebAuthn/WebAuthnProblem`` if a key cannot be made.
    public mutating func register(_ options: PublicKeyCredentialCreationOptions) throws -> RegistrationResponse {
        let clientDataJSON = clientData("webauthn.create", options.challenge, rpID: options.rpID)
        let made = try makeCredential(
            rpID: options.rpID, userHandle: options.user.id, algorithms: options.algorithms,
            excluded: options.excludeCredentials.map(\.id), clientDataHash: Array(SHA256.hash(data: clientDataJSON)))
        let object = CBORValue.map(
            CBORMap([
                (.text("fmt"), .text(made.format)), (.text("attStmt"), made.statement),
                (.text("authData"), .bytes(made.authenticatorData)),
            ]))
        return RegistrationResponse(
            id: made.id, clientDataJSON: clientDataJSON, attestationObject: object.encoded,
            transports: behaviour.transports, authenticatorAttachment: behaviour.attachment,
            clientExtensionResults: ["credProps": ["rk": .bool(behaviour.isResident)]])
    }

    /// Signs in with the newest matching credential (`navigator.credentials.get`).
    ///
    /// - Throws: ``Refusal/noCredential``, or an error of the cryptographic library.
    public mutating func authenticate(
        _ options: PublicKeyCredentialRequestOptions
    ) throws -> AuthenticationResponse {
        let clientDataJSON = clientData("webauthn.get", options.challenge, rpID: options.rpID)
        let signed = try sign(
            with: newest(rpID: options.rpID, allowed: options.allowCredentials.map(\.id)),
            clientDataHash: Array(SHA256.hash(data: clientDataJSON)))
        return AuthenticationResponse(
            id: signed.id, clientDataJSON: clientDataJSON, authenticatorData: signed.authenticatorData,
            signature: signed.signature, userHandle: signed.userHandle,
            authenticatorAttachment: behaviour.attachment)
    }

    /// Deletes a credential, as users do in their settings.
    public mutating func forget(_ id: [UInt8]) {
        credentials.removeAll { $0.id == id }
    }

    func authenticatorData(_ credential: Credential, attested: [UInt8]?) -> [UInt8] {
        var flags: AuthenticatorData.Flags = []
        if behaviour.isUserPresent { flags.insert(.userPresent) }
        if behaviour.isUserVerified { flags.insert(.userVerified) }
        if behaviour.isBackupEligible { flags.insert(.backupEligible) }
        if behaviour.isBackedUp { flags.insert(.backedUp) }
        if attested != nil { flags.insert(.attestedCredential) }
        if behaviour.extensions != nil { flags.insert(.extensionData) }
        let count = (0..<4).reversed().map { UInt8(truncatingIfNeeded: credential.signCount >> ($0 * 8)) }
        return Array(SHA256.hash(data: Array(credential.rpID.utf8))) + [flags.rawValue] + count + (attested ?? [])
            + (behaviour.extensions.map { CBORValue.map($0).encoded } ?? [])
    }

    private func clientData(_ type: String, _ challenge: [UInt8], rpID: String) -> [UInt8] {
        JSONWriter.object { json in
            json.member("type", type)
            json.member("challenge", Base64URL.encode(challenge))
            json.member("origin", behaviour.origin ?? "https://\(rpID)")
            json.member("crossOrigin", behaviour.crossOrigin)
            json.member("topOrigin", behaviour.topOrigin)
            for (name, value) in behaviour.extraClientData.sorted(by: { $0.key < $1.key }) {
                json.member(named: name, value)
            }
        }
    }

    func statement(
        _ key: CredentialKey, signed bytes: [UInt8]
    ) throws -> (format: String, value: CBORValue) {
        let packed = { () throws -> CBORValue in
            .map(
                CBORMap([
                    (.text("alg"), .integer(key.algorithm.rawValue)),
                    (.text("sig"), .bytes(try key.signature(for: bytes))),
                ]))
        }
        switch behaviour.attestation {
        case .none: return ("none", .map(CBORMap([])))
        case .packedSelf: return ("packed", try packed())
        case .compound(let count):
            let parts = try (0..<count).map { _ in
                CBORValue.map(CBORMap([(.text("fmt"), .text("packed")), (.text("attStmt"), try packed())]))
            }
            return ("compound", .array(parts))
        }
    }

    /// 32 bytes for the next credential.
    func derived(_ purpose: String) -> [UInt8] {
        let count = (0..<8).map { UInt8(truncatingIfNeeded: made >> ($0 * 8)) }
        return Array(SHA256.hash(data: seed + Array(purpose.utf8) + count))
    }

    static func sized(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes
    }
}
