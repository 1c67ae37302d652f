public import KeyturnBase
internal import KeyturnWire

extension SocialMethod {
    /// Signs in with Apple's sheet (`ASAuthorizationAppleIDProvider`), or another provider's own.
    ///
    /// - Parameters:
    ///   - provider: The name of Apple's provider in the project.
    ///   - native: Asks the user; `nil`: Apple's sheet, on Apple's systems.
    ///   - options: With `.stepup` and `.mfa` the container's session goes on.
    /// - Throws: as ``signIn(provider:redirectURL:options:)``; `sign_in.provider_failed`; `service.unsupported` where
    ///   there is no sheet.
    @discardableResult
    public func signInNatively(
        provider: SocialProvider = .apple, with native: (any NativeSignIn)? = nil, options: [SignInOption] = []
    ) async throws(AuthError) -> AuthenticationResponse {
        guard let native = native ?? platformSheet(provider) else {
            throw AuthError(.unsupported, "there is no sheet of this provider here: pass a NativeSignIn")
        }
        let start = try await startNative(provider: provider, options: options)
        return try await finishNative(start, with: native.credential(for: start))
    }

    /// Begins a sign-in with the provider's own library, such as Google's: its request gets `nonce` and `clientID`, the
    /// server's client identifier.
    ///
    /// - Throws: as ``signIn(provider:redirectURL:options:)``.
    public func startNative(
        provider: SocialProvider, options: [SignInOption] = []
    ) async throws(AuthError) -> NativeSocialStart {
        _ = try access.endpoint()
        // The user is not asked for what could not be kept.
        try await access.keeper.checkStore()
        let session = options.refreshJwt
        let request = NativeSocialStartRequest(
            provider: try MethodAccess.checked(provider.rawValue, "provider"), options: LoginOptions(options))
        let answer = try await access.send(
            "/v1/auth/oauth/native/start", request, options: request.options, refreshJwt: session
        ).message(NativeSocialStartAnswer.self)
        return NativeSocialStart(
            provider: provider, clientID: answer.clientID, nonce: answer.nonce, takesIDToken: answer.isImplicit,
            stateID: answer.stateID)
    }

    /// Signs in with what the provider's library brought. Each start counts once.
    ///
    /// - Throws: as ``signIn(provider:redirectURL:options:)``; `argument.invalid` if the credential lacks what the start
    ///   asked for.
    @discardableResult
    public func finishNative(
        _ start: NativeSocialStart, with credential: NativeCredential
    ) async throws(AuthError) -> AuthenticationResponse {
        let wanted = start.takesIDToken ? credential.idToken : credential.code
        guard let wanted, (1...Limits.tokenMaxBytes).contains(wanted.exposed().utf8.count) else {
            throw AuthError(
                .invalidArgument, "the service takes \(start.takesIDToken ? "an ID token" : "a code") here")
        }
        let request = NativeSocialFinishRequest(
            provider: start.provider.rawValue, stateID: start.stateID, name: credential.name,
            code: start.takesIDToken ? nil : wanted, idToken: start.takesIDToken ? wanted : nil)
        return try await access.prove("/v1/auth/oauth/native/finish", request, showsSession: true)
    }
}
