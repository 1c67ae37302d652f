internal import KeyturnBase
internal import KeyturnWire

/// One sign-in with the container's key, up to the tokens.
struct BiometricSignIn {
    let auth: Keyturn
    let prompt: BiometricPrompt
    /// Oldest acceptable authentication, in seconds; `nil`: any.
    let maxAgeSeconds: Int64?

    /// The tokens, whose they are, and what was asked for.
    ///
    /// - Throws: `biometric.key_not_found` where the key turns out to be of no use; it is then removed.
    func run(scope: Scope?) async throws(AuthError) -> (TokenGrant, IDToken, Scope) {
        let subject = await auth.knownSubject()
        guard let (remembered, key) = try await auth.biometricMemory.usableKey(of: subject) else {
            throw AuthError(.biometricKeyNotFound, "no key is set up in this container, or it is gone")
        }
        let asked = try PendingAuthorization.scope(scope, auth.service, try await auth.provider.metadata())
        for isLast in [false, true] {
            let request: SignedKeyRequest
            do throws(AuthError) {
                request = try await SignedKeyRequest(
                    .authenticate, key, id: remembered.id, isNew: false, prompt: prompt,
                    deviceInfo: auth.deviceInfo(), at: auth.provider)
            } catch {
                if error.code == .biometricKeyNotFound { try await auth.biometricMemory.forget(only: remembered.id) }
                throw error
            }
            do throws(AuthError) {
                let (grant, idToken) = try await auth.provider.redeem(
                    biometricRequest: request.jwt, scope: asked, maxAgeSeconds: maxAgeSeconds)
                return (grant, idToken, asked)
            } catch {
                guard error.saysInvalidCredentials else { throw error }
                guard request.wasInTime(by: auth.provider.clock, auth.ambient) else {
                    // Late, or dated by a clock that is wrong. What the service's is, is known now if it says.
                    guard auth.provider.clock.isKnown, !isLast else { throw error }
                    continue
                }
                try await auth.biometricMemory.forget(only: remembered.id)
                throw AuthError(
                    .biometricKeyNotFound, "the service does not know the key any more", cause: error,
                    server: error.server)
            }
        }
        throw AuthError(.protocolViolation, "the service never took a request that was in time")
    }
}

extension AuthError {
    /// The service's word for a key that is of no use, and for a request that is none. Any other text is about something
    /// else.
    var saysInvalidCredentials: Bool {
        code == .refused && server?.code == OAuthProblem.Code.invalidGrant.rawValue
            && server?.description == BiometricNames.invalidCredentials
    }
}
