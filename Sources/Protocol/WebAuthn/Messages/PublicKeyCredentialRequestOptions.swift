public import KeyturnBase

/// What a client is asked for when a user signs in (WebAuthn Level 3 §5.5), in the form of
/// `parseRequestOptionsFromJSON` (§5.1.9).
public struct PublicKeyCredentialRequestOptions: Hashable, Sendable {
    /// Random bytes that the answer must contain.
    public var challenge: [UInt8]
    /// The relying party's domain.
    public var rpID: String
    /// How long the client may take, in milliseconds; `nil`: as it sees fit.
    public var timeoutMilliseconds: Int64?
    /// Empty: whatever the authenticator finds. The member is then left out: some clients take an empty list for a
    /// list.
    public var allowCredentials: [CredentialDescriptor]
    /// Whether the user must be verified.
    public var userVerification: UserVerificationRequirement
    /// `security-key`, `client-device`, `hybrid`, the preferred ones first.
    public var hints: [String]
    /// Inputs of extensions, by name (§9).
    public var extensions: [String: JSONValue]

    /// Options; what is left out is not in the message.
    public init(
        challenge: [UInt8], rpID: String, timeoutMilliseconds: Int64? = nil,
        allowCredentials: [CredentialDescriptor] = [], userVerification: UserVerificationRequirement = .preferred,
        hints: [String] = [], extensions: [String: JSONValue] = [:]
    ) {
        self.challenge = challenge
        self.rpID = rpID
        self.timeoutMilliseconds = timeoutMilliseconds
        self.allowCredentials = allowCredentials
        self.userVerification = userVerification
        self.hints = hints
        self.extensions = extensions
    }
}

extension PublicKeyCredentialRequestOptions {
    /// Reads what a service sent.
    ///
    /// - Throws: `responseMalformed`.
    public init(json: JSONValue) throws(WebAuthnProblem) {
        let members = try MessageMembers(json)
        challenge = try members.bytes("challenge", max: WebAuthnLimits.challengeBytes.upperBound)
        rpID = try members.text("rpId")
        timeoutMilliseconds = try members.integer("timeout")
        allowCredentials = try members.descriptors("allowCredentials")
        userVerification =
            try members.optionalText("userVerification")
            .flatMap(UserVerificationRequirement.init(rawValue:)) ?? .preferred
        hints = try members.texts("hints")
        extensions = try members.optionalObject("extensions")?.json.objectValue ?? [:]
    }

    /// The JSON form.
    public var json: JSONValue {
        var members: [String: JSONValue] = [
            "challenge": .string(Base64URL.encode(challenge)), "rpId": .string(rpID),
            "userVerification": .string(userVerification.rawValue),
        ]
        members.add("timeout", timeoutMilliseconds)
        if !allowCredentials.isEmpty { members["allowCredentials"] = .array(allowCredentials.map(\.json)) }
        members.add("hints", hints)
        if !extensions.isEmpty { members["extensions"] = .object(extensions) }
        return .object(members)
    }
}
