public import KeyturnBase
public import KeyturnWire

extension Keyturn {
    /// Signs a person in with the browser (RFC 8252, OpenID Connect Core §3.1).
    ///
    /// State, nonce, PKCE and the issuer are always sent and checked. When this returns, the session is durable.
    ///
    /// - Parameters:
    ///   - redirectURI: See ``SignInOptions/redirectURI``.
    ///   - prompt: `.login` asks even a signed-in person; `nil`: the service decides.
    ///   - state: Comes back in ``SignInResult/state``.
    ///   - uiLocales: Languages of the pages, best first, as BCP 47 tags.
    ///   - page: The page to begin with.
    ///   - colorScheme: Light or dark pages.
    /// - Throws: as ``authorize(_:)``.
    @discardableResult
    public func authorize(
        redirectURI: String, prompt: Prompt? = nil, state: String? = nil, uiLocales: [String] = [],
        page: SignInOptions.Page? = nil, colorScheme: SignInOptions.ColorScheme? = nil
    ) async throws(AuthError) -> SignInResult {
        var options = SignInOptions(redirectURI: redirectURI)
        options.prompt = prompt.map { [$0] } ?? []
        options.state = state
        options.uiLocales = uiLocales
        options.page = page
        options.colorScheme = colorScheme
        return try await authorize(options)
    }

    /// Signs a user in with the browser, with all options.
    ///
    /// A sign-in that fails after the service has granted it gives the grant back (RFC 7009), if the service has a
    /// place for that; not while this container holds a session that may be the same user's, which some providers
    /// would end as well.
    ///
    /// - Throws: `sign_in.cancelled` if the person gives up or refuses; `sign_in.interaction_required` when a
    ///   sign-in without questions was asked for and is impossible; `sign_in.callback_mismatch`; `server.refused`;
    ///   `transport.unavailable`; `protocol.violation`, which names what the provider's metadata or answer lacks; a
    ///   `token.*` code if the ID token is not acceptable; `userinfo.subject_mismatch` if UserInfo is about another
    ///   `sub`, and then no session begins; `store.unavailable` if the session cannot be stored, and then no session
    ///   begins; `configuration.invalid`.
    @discardableResult
    public func authorize(_ options: SignInOptions) async throws(AuthError) -> SignInResult {
        try await keeper.checkStore()
        return try await authorizeInBrowser(options, purpose: .signIn)
    }

    /// The first half of ``authorize(_:)``, for apps that show the page by themselves: the URL to open.
    ///
    /// The second half is ``finishAuthorization(callbackURL:)``, in the same container and within ten minutes. Up to
    /// eight may be under way; starting another forgets the oldest.
    ///
    /// - Throws: `transport.unavailable`, `protocol.violation` if the service cannot be discovered;
    ///   `configuration.invalid`.
    public func startAuthorization(_ options: SignInOptions) async throws(AuthError) -> String {
        try await pendingSignIns.during { () async throws(AuthError) in
            try await begin(options, redirectURI: options.redirectURI, purpose: .signIn).url
        }
    }

    /// The second half of ``authorize(_:)``: takes the URL that the browser was sent to.
    ///
    /// Each callback counts once.
    ///
    /// - Throws: `sign_in.callback_mismatch` if it answers none of the sign-ins under way; otherwise as
    ///   ``authorize(_:)``.
    @discardableResult
    public func finishAuthorization(callbackURL: String) async throws(AuthError) -> SignInResult {
        try await pendingSignIns.during { () async throws(AuthError) in
            let pending = try await pendingSignIns.claim(callbackURL, at: ambient.now())
            return try await finish(pending, callbackURL: callbackURL)
        }
    }
}
