public import KeyturnBase
internal import KeyturnWire

/// Sign-in at the identity provider of an organisation (a tenant), by OpenID Connect or SAML.
public struct SSOMethod: Sendable {
    let access: MethodAccess
    let browser: any BrowserAgent

    /// What a sign-in asks of the organisation's provider.
    public struct Request: Hashable, Sendable {
        /// What the provider must or must not ask (`prompt` of OpenID Connect); `nil`: it decides.
        public var prompt: String?
        /// Which of the tenant's configurations; `nil`: the default one.
        public var ssoID: String?
        /// The name to fill in at the provider.
        public var loginHint: String?
        /// Whether the provider must ask the user again.
        public var forcesAuthentication: Bool

        /// A request; what is left out is not asked for.
        public init(
            prompt: String? = nil, ssoID: String? = nil, loginHint: String? = nil, forcesAuthentication: Bool = false
        ) {
            self.prompt = prompt
            self.ssoID = ssoID
            self.loginHint = loginHint
            self.forcesAuthentication = forcesAuthentication
        }
    }

    /// Signs in with the browser: shows the provider's page, waits for its end, and takes the session.
    ///
    /// - Parameters:
    ///   - tenant: The user's email address, or the tenant's identifier or name.
    ///   - redirectURL: See ``SocialMethod/signIn(provider:redirectURL:options:)``.
    ///   - request: What is asked of the provider.
    ///   - options: With `.stepup` and `.mfa` the container's session goes on.
    /// - Throws: as ``SocialMethod/signIn(provider:redirectURL:options:)``.
    @discardableResult
    public func signIn(
        tenant: String, redirectURL: String, request: Request = Request(), options: [SignInOption] = []
    ) async throws(AuthError) -> AuthenticationResponse {
        try await ProviderSignIn(access: access, browser: browser).run(
            "/v1/auth/sso/exchange", redirectURI: redirectURL
        ) { (address: String) async throws(AuthError) in
            try await start(tenant: tenant, redirectURL: address, request: request, options: options)
        }
    }

    /// The first half of ``signIn(tenant:redirectURL:request:options:)``, for apps that show the page by themselves:
    /// what ``SocialMethod/start(provider:redirectURL:options:)`` says of `redirectURL` counts here, too.
    ///
    /// - Returns: The page to open in the system's browser.
    /// - Throws: as ``SocialMethod/start(provider:redirectURL:options:)``.
    public func start(
        tenant: String, redirectURL: String? = nil, request: Request = Request(), options: [SignInOption] = []
    ) async throws(AuthError) -> String {
        let session = options.refreshJwt
        let message = SSOStartRequest(
            tenant: try MethodAccess.checked(tenant, "tenant"), redirectURL: redirectURL, prompt: request.prompt,
            ssoID: request.ssoID, loginHint: request.loginHint, forcesAuthentication: request.forcesAuthentication,
            options: LoginOptions(options))
        return try ProviderSignIn.page(
            await access.send(
                "/v1/auth/sso/authorize", message.options, query: message.query, options: message.options,
                refreshJwt: session))
    }

    /// The second half: signs in with the code that the browser came back with. It counts once, for a minute.
    ///
    /// - Throws: as ``SocialMethod/exchange(code:)``.
    @discardableResult
    public func exchange(code: String) async throws(AuthError) -> AuthenticationResponse {
        let request = ExchangeCodeRequest(code: try MethodAccess.secret(code, "code"))
        return try await access.prove("/v1/auth/sso/exchange", request, showsSession: true)
    }
}
