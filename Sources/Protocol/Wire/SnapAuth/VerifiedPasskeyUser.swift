public import KeyturnBase

/// Who authenticated: what an authentication's token was redeemed for.
public struct VerifiedPasskeyUser: Hashable, Sendable {
    /// The relying party's own identifier, exactly as it was given when the credential was attached.
    public var userID: String
    /// Which credential it was; our addition, as all that follows. `nil`: the service does not say.
    public var credentialID: String?
    /// The kind of its authenticator, with hyphens and in lower case.
    public var aaguid: String?
    /// Whether the person was verified, by a PIN or a finger.
    public var isUserVerified: Bool?
    /// Whether the credential is backed up; `nil`: the service does not say.
    public var isBackedUp: Bool?
    /// When the authenticator answered.
    public var authTime: UnixTime?

    /// The user of a token that was redeemed.
    public init(
        userID: String, credentialID: String? = nil, aaguid: String? = nil, isUserVerified: Bool? = nil,
        isBackedUp: Bool? = nil, authTime: UnixTime? = nil
    ) {
        self.userID = userID
        self.credentialID = credentialID
        self.aaguid = aaguid
        self.isUserVerified = isUserVerified
        self.isBackedUp = isBackedUp
        self.authTime = authTime
    }
}

extension VerifiedPasskeyUser: PasskeyMessage {
    public init(json: JSONValue) throws(PasskeyMessageProblem) {
        let members = try PasskeyMembers(json)
        userID = try members.object("user").text("id", bounds: PasskeyLimits.userCharacters)
        credentialID = try members.optionalText("credentialId", bounds: PasskeyLimits.tokenCharacters)
        aaguid = try members.optionalText("aaguid", bounds: 36...36)
        isUserVerified = try members.optionalFlag("uv")
        isBackedUp = try members.optionalFlag("backedUp")
        authTime = try members.optionalTime("authTime")
    }

    public var json: JSONValue {
        var members: [String: JSONValue] = ["user": ["id": .string(userID)]]
        members.add("credentialId", credentialID)
        members.add("aaguid", aaguid)
        members.add("uv", isUserVerified)
        members.add("backedUp", isBackedUp)
        members.add("authTime", authTime?.rawValue)
        return .object(members)
    }
}
