public import KeyturnBase
internal import KeyturnWire

/// Sign-in with an account at another provider, such as Google or Apple.
public struct SocialMethod: Sendable {
    let access: MethodAccess
    let browser: any BrowserAgent
    /// The sheet of a provider that this platform has; `nil`: there is none.
    let platformSheet: @Sendable (SocialProvider) -> (any NativeSignIn)?

    /// Signs in with the browser: shows the provider's page, waits for its end, and takes the session.
    ///
    /// The app's redirect address gets a `state` of this call in its query, and a callback without it is refused.
    ///
    /// - Parameters:
    ///   - provider: Such as ``SocialProvider/google``, or the name that the project gave it.
    ///   - redirectURL: Where the browser returns to. A scheme of the app's own, an associated `https` address, or a
    ///     loopback address whose port may be missing.
    ///   - options: With `.stepup` and `.mfa` the container's session goes on.
    /// - Throws: `sign_in.cancelled` if the user closes the page or declines; `sign_in.callback_mismatch`;
    ///   `service.unsupported`; `server.refused` with the server's code, see ``KeyturnBase/AuthError/methodCode``;
    ///   `transport.unavailable`; `protocol.violation`; `store.unavailable` before the user is asked;
    ///   `session.signed_out` for `.stepup` and `.mfa` without a session, or if it was given up meanwhile;
    ///   `configuration.invalid`.
    @discardableResult
    public func signIn(
        provider: SocialProvider, redirectURL: String, options: [SignInOption] = []
    ) async throws(AuthError) -> AuthenticationResponse {
        try await ProviderSignIn(access: access, browser: browser).run(
            "/v1/auth/oauth/exchange", redirectURI: redirectURL
        ) { (address: String) async throws(AuthError) in
            try await start(provider: provider, redirectURL: address, options: options)
        }
    }

    /// The first half of ``signIn(provider:redirectURL:options:)``, for apps that show the page by themselves.
    ///
    /// Another person can send a user an address with a code of theirs. Put a random value into the query of
    /// `redirectURL`, and exchange no code that comes without it.
    ///
    /// - Parameters:
    ///   - provider: Such as ``SocialProvider/google``.
    ///   - redirectURL: Where the browser returns to; `nil`: where the project says.
    ///   - options: With `.stepup` and `.mfa` the container's session goes on.
    /// - Returns: The page to open in the system's browser.
    /// - Throws: as ``signIn(provider:redirectURL:options:)``; `argument.invalid`.
    public func start(
        provider: SocialProvider, redirectURL: String? = nil, options: [SignInOption] = []
    ) async throws(AuthError) -> String {
        let session = options.refreshJwt
        let request = SocialStartRequest(
            provider: try MethodAccess.checked(provider.rawValue, "provider"), redirectURL: redirectURL,
            options: LoginOptions(options))
        return try ProviderSignIn.page(
            await access.send(
                "/v1/auth/oauth/authorize", request.options, query: request.query, options: request.options,
                refreshJwt: session))
    }

    /// The second half: signs in with the code that the browser came back with. It counts once, for a minute.
    ///
    /// - Parameter code: The parameter `code` of the address.
    /// - Throws: as ``signIn(provider:redirectURL:options:)``; `argument.invalid`.
    @discardableResult
    public func exchange(code: String) async throws(AuthError) -> AuthenticationResponse {
        let request = ExchangeCodeRequest(code: try MethodAccess.secret(code, "code"))
        return try await access.prove("/v1/auth/oauth/exchange", request, showsSession: true)
    }
}
