public import KeyturnBase

extension WebAuthnPolicy {
    /// What to send to a client that is to make a credential under this policy.
    ///
    /// - Parameters:
    ///   - challenge: 16 random bytes at least, for this one ceremony.
    ///   - excluding: The user's credentials, so that no authenticator gets a second one.
    ///   - attachment: `platform` or `cross-platform`; `nil`: either.
    public func creationOptions(
        challenge: [UInt8], user: PublicKeyCredentialCreationOptions.User, excluding: [CredentialDescriptor] = [],
        attachment: String? = nil, hints: [String] = [], userVerification: UserVerificationRequirement? = nil
    ) -> PublicKeyCredentialCreationOptions {
        PublicKeyCredentialCreationOptions(
            rpID: rpID, rpName: rpName, user: user, challenge: challenge, algorithms: algorithms.map(\.rawValue),
            timeoutMilliseconds: timeoutMilliseconds, excludeCredentials: excluding,
            authenticatorSelection: .init(
                attachment: attachment, residentKey: residentKey,
                userVerification: userVerification ?? self.userVerification),
            hints: hints, attestation: attestation.conveyance, extensions: ["credProps": true])
    }

    /// What to send to a client that is to sign in under this policy.
    ///
    /// - Parameters:
    ///   - challenge: 16 random bytes at least, for this one ceremony.
    ///   - allowing: The user's credentials; empty: whatever the authenticator finds.
    public func requestOptions(
        challenge: [UInt8], allowing: [CredentialDescriptor] = [], hints: [String] = [],
        userVerification: UserVerificationRequirement? = nil
    ) -> PublicKeyCredentialRequestOptions {
        PublicKeyCredentialRequestOptions(
            challenge: challenge, rpID: rpID, timeoutMilliseconds: timeoutMilliseconds, allowCredentials: allowing,
            userVerification: userVerification ?? self.userVerification, hints: hints)
    }

    /// What `https://rpID/.well-known/webauthn` answers (WebAuthn Level 3 §5.11); `nil` if no other domain may use the
    /// credentials, and there is nothing to publish.
    public var relatedOriginsDocument: JSONValue? {
        relatedOrigins.isEmpty ? nil : ["origins": .array(relatedOrigins.sorted().map(JSONValue.string))]
    }
}
