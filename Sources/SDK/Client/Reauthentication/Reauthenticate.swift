public import KeyturnBase
internal import KeyturnWire

extension Keyturn {
    /// Whether the signed-in person has anything to prove again who they are with. Restored at start.
    ///
    /// `false` without a session, when the service says so of this person, and when a method without a page made the
    /// session at another service than a Keyturn server; call ``refreshIDToken()`` first for the newest answer. A service that never says so is asked when it
    /// comes to it.
    public var canReauthenticate: Bool {
        get async {
            guard let token = await idToken else {
                guard service.wire.takesAppSessions, let user = try? await keeper.methodUser() else { return false }
                return !user.subject.isEmpty
            }
            guard let claim = service.wire.canReauthenticateClaim else { return true }
            return token.claims[claim]?.boolValue ?? true
        }
    }

    /// Makes the signed-in person prove again who they are, unless they did within `maxAge` seconds.
    ///
    /// - Parameters:
    ///   - redirectURI: See ``SignInOptions/redirectURI``.
    ///   - maxAge: Seconds; 0 always asks.
    ///   - state: Comes back in ``SignInResult/state``.
    ///   - uiLocales: Languages of the pages, best first, as BCP 47 tags.
    ///   - prompt: How to ask for a touch; see ``reauthenticate(_:biometrics:)``.
    /// - Throws: as ``reauthenticate(_:biometrics:)``.
    @discardableResult
    public func reauthenticate(
        redirectURI: String, maxAge: Int64 = 0, state: String? = nil, uiLocales: [String] = [],
        biometrics prompt: BiometricPrompt? = nil
    ) async throws(AuthError) -> SignInResult {
        var options = SignInOptions(redirectURI: redirectURI)
        options.maxAgeSeconds = maxAge
        options.state = state
        options.uiLocales = uiLocales
        return try await reauthenticate(options, biometrics: prompt)
    }

    /// Has the user sign in again, with all options. ``SignInOptions/maxAgeSeconds`` counts as 0 when missing.
    ///
    /// The session goes on; its ID token, and with it ``authTime``, is replaced. A touch replaces its other tokens too.
    /// At a Keyturn server the session of a method (``otp``, ``password`` and their relatives) becomes that of an
    /// authorization, with which the methods work as well.
    ///
    /// - Parameters:
    ///   - options: What else is asked of the sign-in.
    ///   - prompt: How to ask for a touch, if this container has a key for that (``BiometricMethods``); then nothing of
    ///     `options` counts but age, scope and state. Without a key, and without a prompt, the page is shown.
    /// - Throws: `session.signed_out`; `sign_in.cannot_reauthenticate` if the service says so, and elsewhere for sessions
    ///   of ``otp``, ``password`` and their relatives, which prove it again by signing in again;
    ///   `sign_in.different_person` if another user signed in on the page, or touched, in which case the session stays
    ///   as it was; otherwise as ``authorize(_:)``, and as ``BiometricMethods/authenticate(_:scope:)``.
    @discardableResult
    public func reauthenticate(
        _ options: SignInOptions, biometrics prompt: BiometricPrompt? = nil
    ) async throws(AuthError) -> SignInResult {
        guard service.issuesIDTokens else {
            throw AuthError(.unsupported, "the service issues no ID tokens: have the person sign in anew")
        }
        if service.wire.takesAppSessions, let user = try await keeper.methodUser() {
            var asked = options
            asked.maxAgeSeconds = max(0, options.maxAgeSeconds ?? 0)
            if asked.prompt.isEmpty { asked.prompt = [.login] }
            if asked.loginHint == nil { asked.loginHint = user.loginID }
            return try await authorizeInBrowser(asked, purpose: .signInAgain(subject: user.subject))
        }
        let token = try await keeper.requireIDToken()
        let touch: BiometricPrompt? = if let prompt, try await biometrics.isEnabled() { prompt } else { nil }
        let canReauthenticate = await canReauthenticate
        guard touch != nil || canReauthenticate else {
            throw AuthError(.cannotReauthenticate, "the service says that this person cannot reauthenticate")
        }
        let maxAgeSeconds = max(0, options.maxAgeSeconds ?? 0)
        let now = ambient.now()
        if maxAgeSeconds > 0, let authTime = token.authTime, authTime <= now,
            now.seconds(since: authTime) <= maxAgeSeconds
        {
            return SignInResult(
                idToken: token, userInfo: UserInfo(subject: token.subject, claims: token.claims),
                state: options.state, scope: await keeper.scope)
        }
        if let touch { return try await biometrics.reauthenticate(options, maxAgeSeconds, touch, token) }
        var asked = options
        asked.maxAgeSeconds = maxAgeSeconds
        guard service.wire.authgear == nil else {
            return try await authorizeInBrowser(asked, purpose: .reauthenticate(try await recentHint(token)))
        }
        if asked.prompt.isEmpty { asked.prompt = [.login] }
        return try await authorizeInBrowser(asked, purpose: .reauthenticate(token))
    }

    /// An ID token that the service takes for the session's. Authgear shows an ordinary sign-in page once it has expired,
    /// five minutes after it was issued.
    ///
    /// - Throws: `sign_in.cannot_reauthenticate` if the newest one says so; otherwise as ``refreshIDToken()``.
    private func recentHint(_ token: IDToken) async throws(AuthError) -> IDToken {
        guard !(0..<Limits.hintSeconds).contains(provider.clock.now().seconds(since: token.issuedAt)) else {
            return token
        }
        let renewed = try await refreshIDToken()
        guard await canReauthenticate else {
            throw AuthError(.cannotReauthenticate, "the service says that this person cannot reauthenticate")
        }
        return renewed
    }
}
