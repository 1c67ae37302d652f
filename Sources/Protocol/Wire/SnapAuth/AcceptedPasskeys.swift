public import KeyturnBase

/// Which passkeys of one user a relying party still accepts: the argument of
/// `PublicKeyCredential.signalAllAcceptedCredentials` (WebAuthn Level 3 §5.1.10).
public struct AcceptedPasskeys: Hashable, Sendable {
    /// The relying party's identifier, a domain.
    public var relyingPartyID: String
    /// The user handle, in base64url.
    public var userHandle: String
    /// The credential IDs, in base64url. Devices forget all others of this user.
    public var credentialIDs: [String]

    /// - Parameters:
    ///   - relyingPartyID: A domain.
    ///   - userHandle: In base64url.
    ///   - credentialIDs: In base64url; empty if the user has no passkey left.
    public init(relyingPartyID: String, userHandle: String, credentialIDs: [String]) {
        self.relyingPartyID = relyingPartyID
        self.userHandle = userHandle
        self.credentialIDs = credentialIDs
    }
}

extension AcceptedPasskeys: PasskeyMessage {
    public init(json: JSONValue) throws(PasskeyMessageProblem) {
        let members = try PasskeyMembers(json)
        relyingPartyID = try members.text("rpId", bounds: PasskeyLimits.userCharacters)
        userHandle = try members.text("userId", bounds: PasskeyLimits.userCharacters)
        credentialIDs = try members.texts("allAcceptedCredentialIds", max: PasskeyLimits.credentials)
    }

    public var json: JSONValue {
        [
            "rpId": .string(relyingPartyID), "userId": .string(userHandle),
            "allAcceptedCredentialIds": .array(credentialIDs.map { .string($0) }),
        ]
    }
}
