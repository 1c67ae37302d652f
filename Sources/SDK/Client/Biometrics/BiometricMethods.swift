public import KeyturnBase
public import KeyturnWire

extension Keyturn {
    /// Signing in by a finger or a face, with a key on this device.
    public var biometrics: BiometricMethods { BiometricMethods(auth: self) }
}

/// Signing in by a finger or a face, at a service with Authgear's biometric grant.
///
/// A key pair is made on the device, and the service is told its public half; from then on the key signs in the user
/// whom the device recognises. One key a container. It outlives the session: after a sign-out it signs the same person
/// in again. Any other sign-in removes it, so that no user unlocks another's account.
public struct BiometricMethods: Sendable {
    let auth: Keyturn

    /// Whether this device could do it, without asking the user.
    ///
    /// - Throws: what is missing: `biometric.unsupported`, `biometric.no_enrollment`, `biometric.no_passcode` or
    ///   `biometric.lockout`.
    public func checkSupported(_ policy: BiometricPolicy = .currentBiometry) async throws(AuthError) {
        try await auth.biometricDevice.checkSupport(policy)
    }

    /// Whether there is a key that signs in. Asks neither the person nor the service, which may have removed its half.
    ///
    /// - Throws: `store.unavailable` if it cannot be known now.
    public func isEnabled() async throws(AuthError) -> Bool {
        try await auth.biometricMemory.usableKey(of: auth.knownSubject()) != nil
    }

    /// Makes a key and sets it up for the signed-in person, who is asked once. A key that there was before is replaced.
    ///
    /// When this returns the key is durable. Whatever goes wrong before that leaves things as they were: the new key is
    /// removed, and an older one goes on.
    ///
    /// - Throws: `session.signed_out`; `session.ended`; as ``BiometricDevice/recognise(_:)``; `service.unsupported`;
    ///   `server.refused`; `transport.unavailable`; `store.unavailable`; `configuration.invalid` if the storage ends
    ///   with the process and the key does not: give a lasting `vaultStorage`.
    public func enable(_ prompt: BiometricPrompt) async throws(AuthError) {
        try await BiometricEnrolment(auth: auth, prompt: prompt).run()
    }

    /// Removes the key from this device. The service is not told: its half is of no use alone.
    ///
    /// - Throws: `store.unavailable`; the key may then still be there. Disabling what is not enabled is no error.
    public func disable() async throws(AuthError) {
        try await auth.biometricMemory.forget()
    }

    /// Signs in the person whose key it is, once the device has recognised them.
    ///
    /// A new session begins, in the place of the one there was. When this returns, it is durable.
    ///
    /// - Parameters:
    ///   - prompt: How the user is asked for a finger or a face.
    ///   - scope: What to ask for; `nil`: the service's ``Service/defaultScope``.
    /// - Throws: `biometric.key_not_found` if there is no key, or no use in it any more: it is then removed, and the
    ///   way back is another sign-in. As ``BiometricDevice/recognise(_:)``; `server.refused`; `transport.unavailable`;
    ///   a `token.*` code if the ID token is not acceptable; `store.unavailable`. The key stays in all of these cases.
    @discardableResult
    public func authenticate(_ prompt: BiometricPrompt, scope: Scope? = nil) async throws(AuthError) -> SignInResult {
        try await auth.keeper.checkStore()
        let signIn = BiometricSignIn(auth: auth, prompt: prompt, maxAgeSeconds: nil)
        return try await auth.pendingSignIns.during { () async throws(AuthError) in
            let (grant, idToken, asked) = try await signIn.run(scope: scope)
            let record = try await auth.keeper.establish(grant, idToken: idToken, asked: asked, isSilent: true)
            return try await auth.result(of: record, idToken: idToken, state: nil, begins: true)
        }
    }
}

extension Keyturn {
    /// Who is signed in, if that is known now.
    func knownSubject() async -> String? {
        _ = try? await keeper.start()
        return await keeper.idToken?.subject
    }
}
