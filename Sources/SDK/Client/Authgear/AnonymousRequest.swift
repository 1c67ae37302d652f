internal import KeyturnBase
internal import KeyturnJose
internal import KeyturnWire

extension SignedKeyRequest {
    /// Asks for a challenge, and signs with a key that asks the user nothing; dated by the service's clock.
    ///
    /// - Parameters:
    ///   - action: What is asked for.
    ///   - key: Known to the service by its thumbprint (RFC 7638).
    ///   - isNew: Whether the service does not know the key yet.
    ///   - provider: The service.
    init(
        _ action: AnonymousAction, _ key: DPoPProofMaker.Key, isNew: Bool, at provider: OpenIDProvider
    ) async throws(AuthError) {
        let begunAt = provider.ambient.uptime()
        let challenge = try await provider.challenge(.anonymousRequest)
        let issuedAt = provider.clock.now()
        let draft = BiometricRequestDraft(
            type: AnonymousNames.requestType, action: action.rawValue, keyID: key.thumbprint, algorithm: .es256,
            publicKey: isNew ? key.publicKey : nil, challenge: challenge.token, deviceInfo: nil, issuedAt: issuedAt,
            seconds: Limits.anonymousRequestSeconds)
        self.init(
            jwt: draft.request(signature: try await key.key.signature(of: draft.signingInput)), issuedAt: issuedAt,
            begunAt: begunAt, datedAt: provider.ambient.uptime())
    }
}
