public import KeyturnBase

/// What a client is asked for when a credential is made (WebAuthn Level 3 §5.4), in the form of
/// `parseCreationOptionsFromJSON` (§5.1.8).
public struct PublicKeyCredentialCreationOptions: Hashable, Sendable {
    /// For whom the credential is made (§5.4.3).
    public struct User: Hashable, Sendable {
        /// The user handle: 1 to 64 bytes that say nothing about the person.
        public var id: [UInt8]
        /// What tells accounts apart. Services that never learn it leave it out, and their client adds it.
        public var name: String?
        /// What the user calls themselves, for the authenticator to show.
        public var displayName: String?

        /// A user; `id` has 1 to 64 bytes.
        public init(id: [UInt8], name: String? = nil, displayName: String? = nil) {
            self.id = id
            self.name = name
            self.displayName = displayName
        }
    }

    /// Which authenticators may take part (§5.4.4).
    public struct AuthenticatorSelection: Hashable, Sendable {
        /// `platform` or `cross-platform`; `nil`: either.
        public var attachment: String?
        /// Whether the authenticator must find the credential without its identifier.
        public var residentKey: ResidentKeyRequirement
        /// Whether the user must be verified.
        public var userVerification: UserVerificationRequirement

        /// Demands on the authenticator.
        public init(
            attachment: String? = nil, residentKey: ResidentKeyRequirement = .preferred,
            userVerification: UserVerificationRequirement = .preferred
        ) {
            self.attachment = attachment
            self.residentKey = residentKey
            self.userVerification = userVerification
        }
    }

    /// The relying party's domain.
    public var rpID: String
    /// What the relying party is called.
    public var rpName: String
    /// Whom the credential is for.
    public var user: User
    /// Random bytes that the answer must contain.
    public var challenge: [UInt8]
    /// COSE numbers, the preferred ones first; some may be unknown to us.
    public var algorithms: [Int64]
    /// How long the client may take, in milliseconds; `nil`: as it sees fit.
    public var timeoutMilliseconds: Int64?
    /// Credentials of the user; their authenticators make no further one.
    public var excludeCredentials: [CredentialDescriptor]
    /// Demands on the authenticator.
    public var authenticatorSelection: AuthenticatorSelection
    /// `security-key`, `client-device`, `hybrid`, the preferred ones first.
    public var hints: [String]
    /// What is asked about the authenticator.
    public var attestation: AttestationPolicy.Conveyance
    /// Inputs of extensions, by name (§9).
    public var extensions: [String: JSONValue]

    /// Options; what is left out is not in the message.
    public init(
        rpID: String, rpName: String, user: User, challenge: [UInt8], algorithms: [Int64],
        timeoutMilliseconds: Int64? = nil, excludeCredentials: [CredentialDescriptor] = [],
        authenticatorSelection: AuthenticatorSelection = AuthenticatorSelection(), hints: [String] = [],
        attestation: AttestationPolicy.Conveyance = .none, extensions: [String: JSONValue] = [:]
    ) {
        self.rpID = rpID
        self.rpName = rpName
        self.user = user
        self.challenge = challenge
        self.algorithms = algorithms
        self.timeoutMilliseconds = timeoutMilliseconds
        self.excludeCredentials = excludeCredentials
        self.authenticatorSelection = authenticatorSelection
        self.hints = hints
        self.attestation = attestation
        self.extensions = extensions
    }
}

extension PublicKeyCredentialCreationOptions {
    /// Reads what a service sent. Values of enumerations that are not known count as absent, as clients must do.
    ///
    /// - Throws: `responseMalformed`.
    public init(json: JSONValue) throws(WebAuthnProblem) {
        let members = try MessageMembers(json)
        let rp = try members.object("rp")
        rpID = try rp.text("id")
        rpName = try rp.text("name")
        let user = try members.object("user")
        self.user = User(
            id: try user.bytes("id", max: WebAuthnLimits.userHandleBytes), name: try user.optionalText("name"),
            displayName: try user.optionalText("displayName"))
        challenge = try members.bytes("challenge", max: WebAuthnLimits.challengeBytes.upperBound)
        algorithms = (json["pubKeyCredParams"]?.arrayValue ?? []).filter { $0["type"] == "public-key" }
            .compactMap { $0["alg"]?.integerValue }
        timeoutMilliseconds = try members.integer("timeout")
        excludeCredentials = try members.descriptors("excludeCredentials")
        let selection = try members.optionalObject("authenticatorSelection")
        let isResidentRequired = selection?.json["requireResidentKey"]?.boolValue == true
        authenticatorSelection = AuthenticatorSelection(
            attachment: try selection?.optionalText("authenticatorAttachment"),
            residentKey: try selection?.optionalText("residentKey").flatMap(ResidentKeyRequirement.init(rawValue:))
                ?? (isResidentRequired ? .required : .discouraged),
            userVerification: try selection?.optionalText("userVerification")
                .flatMap(UserVerificationRequirement.init(rawValue:)) ?? .preferred)
        hints = try members.texts("hints")
        attestation =
            try members.optionalText("attestation").flatMap(AttestationPolicy.Conveyance.init(rawValue:))
            ?? .none
        extensions = try members.optionalObject("extensions")?.json.objectValue ?? [:]
    }

    /// The JSON form.
    public var json: JSONValue {
        var user: [String: JSONValue] = ["id": .string(Base64URL.encode(self.user.id))]
        user.add("name", self.user.name)
        user.add("displayName", self.user.displayName)
        var selection: [String: JSONValue] = [
            "residentKey": .string(authenticatorSelection.residentKey.rawValue),
            "requireResidentKey": .bool(authenticatorSelection.residentKey == .required),
            "userVerification": .string(authenticatorSelection.userVerification.rawValue),
        ]
        selection.add("authenticatorAttachment", authenticatorSelection.attachment)
        var members: [String: JSONValue] = [
            "rp": ["id": .string(rpID), "name": .string(rpName)],
            "user": .object(user),
            "challenge": .string(Base64URL.encode(challenge)),
            "pubKeyCredParams": .array(algorithms.map { ["type": "public-key", "alg": .integer($0)] }),
            "excludeCredentials": .array(excludeCredentials.map(\.json)),
            "authenticatorSelection": .object(selection),
            "attestation": .string(attestation.rawValue),
        ]
        members.add("timeout", timeoutMilliseconds)
        members.add("hints", hints)
        if !extensions.isEmpty { members["extensions"] = .object(extensions) }
        return .object(members)
    }
}
