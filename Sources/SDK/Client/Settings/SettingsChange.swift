internal import KeyturnBase
internal import KeyturnWire

extension SettingsMethods {
    /// One thing that users change about their own accounts. Which of them a service has, differs.
    public struct Change: Hashable, Sendable {
        let action: SettingsAction
        /// The login identifier as it is now.
        var current: String?
        /// Another provider, by the name that the service gives it.
        var provider: String?

        /// Another password, or the first one.
        public static let changePassword = Change(action: .changePassword)
        /// The end of the account. Afterwards no user is signed in here.
        public static let deleteAccount = Change(action: .deleteAccount)
        /// A code shows that an address of the account is the user's. Keyturn alone.
        public static let verifyEmail = Change(action: .verifyEmail)
        /// A further address to sign in with.
        public static let addEmail = Change(action: .addEmail)
        /// A further number to sign in with.
        public static let addPhone = Change(action: .addPhone)
        /// A further name to sign in with, where the operator lets users choose names.
        public static let addUsername = Change(action: .addUsername)

        /// An authenticator app, and recovery codes for its loss. Keyturn alone, as those below.
        public static let setUpAuthenticator = Change(action: .setupTOTP)
        /// The end of the authenticator app and its recovery codes.
        public static let removeAuthenticator = Change(action: .removeTOTP)
        /// New recovery codes in place of those before.
        public static let renewRecoveryCodes = Change(action: .setupRecoveryCodes)
        /// A further passkey, in the browser.
        public static let addPasskey = Change(action: .addPasskey)
        /// One passkey less.
        public static let removePasskey = Change(action: .removePasskey)

        /// Another address in the place of `current`.
        public static func changeEmail(from current: String) -> Change {
            Change(action: .changeEmail, current: current)
        }

        /// Another number in the place of `current`.
        public static func changePhone(from current: String) -> Change {
            Change(action: .changePhone, current: current)
        }

        /// Another name in the place of `current`.
        public static func changeUsername(from current: String) -> Change {
            Change(action: .changeUsername, current: current)
        }

        /// The account at another provider signs in from now on.
        ///
        /// - Parameter alias: The provider, by the name that the service gives it.
        public static func linkProvider(_ alias: String) -> Change { Change(action: .linkOAuth, provider: alias) }

        /// The account at another provider signs in no more.
        ///
        /// - Parameter alias: The provider, by the name that the service gives it.
        public static func unlinkProvider(_ alias: String) -> Change { Change(action: .unlinkOAuth, provider: alias) }
    }

    /// Has the user change one thing on the service's page, and returns when it was done.
    ///
    /// - Parameters:
    ///   - change: What is changed.
    ///   - redirectURI: See ``SignInOptions/redirectURI``.
    ///   - uiLocales: Languages of the pages, best first, as BCP 47 tags.
    ///   - colorScheme: How the pages look; `nil`: as the browser prefers.
    /// - Throws: `sign_in.cancelled` if the user gives up or closes the page; `session.signed_out`; `session.ended`;
    ///   `service.unsupported` if the service has no such change, or its operator does not offer it;
    ///   `store.unavailable` if the account is gone and the
    ///   session could not be removed from this machine; otherwise as ``Keyturn/authorize(_:)``.
    public func perform(
        _ change: Change, redirectURI: String, uiLocales: [String] = [],
        colorScheme: SignInOptions.ColorScheme? = nil
    ) async throws(AuthError) {
        try check(change)
        let webSession = try await container.settingsBrowser.prepare(redirectURI: redirectURI)
        do throws(AuthError) {
            let pending = try await begin(change, webSession.redirectURI, uiLocales, colorScheme)
            let callbackURL = try await webSession.open(pending.url, state: pending.state)
            await webSession.close()
            try await complete(pending, callbackURL)
        } catch {
            await webSession.close()
            throw error
        }
    }

    /// The first half of ``perform(_:redirectURI:uiLocales:colorScheme:)``, for apps that show the page by themselves.
    ///
    /// The second half is ``finish(_:callbackURL:)``, in the same container and within ten minutes.
    ///
    /// - Parameters:
    ///   - change: What is changed.
    ///   - redirectURI: See ``SignInOptions/redirectURI``.
    ///   - uiLocales: Languages of the pages, best first, as BCP 47 tags.
    ///   - colorScheme: How the pages look; `nil`: as the browser prefers.
    /// - Returns: The URL to open. It is good for one user and a few minutes: keep it out of logs.
    /// - Throws: As ``perform(_:redirectURI:uiLocales:colorScheme:)``.
    public func start(
        _ change: Change, redirectURI: String, uiLocales: [String] = [],
        colorScheme: SignInOptions.ColorScheme? = nil
    ) async throws(AuthError) -> String {
        try check(change)
        let pending = try await begin(change, redirectURI, uiLocales, colorScheme)
        await container.pendingSignIns.add(pending, at: container.ambient.now())
        return pending.url
    }

    /// The second half of ``perform(_:redirectURI:uiLocales:colorScheme:)``: takes the URL that the browser was sent to.
    ///
    /// - Parameters:
    ///   - change: What was begun.
    ///   - callbackURL: The URL with its query.
    /// - Throws: `sign_in.callback_mismatch` if it answers no such change under way; otherwise as
    ///   ``perform(_:redirectURI:uiLocales:colorScheme:)``.
    public func finish(_ change: Change, callbackURL: String) async throws(AuthError) {
        let pending = try await container.pendingSignIns.claim(callbackURL, at: container.ambient.now()) { purpose in
            if case .settings(let action, _, _) = purpose { action == change.action } else { false }
        }
        try await complete(pending, callbackURL)
    }
}

extension SettingsMethods {
    private var service: Service { container.service }

    private func check(_ change: Change) throws(AuthError) {
        guard service.wire.settingsActions.contains(change.action) else {
            throw AuthError(
                .unsupported, "the service \(service.kind.rawValue) has no \(change.action.rawValue) on its pages")
        }
    }

    /// Who is signed in, by an authorization or by a method.
    private func knownSubject() async throws(AuthError) -> String? {
        if let token = await container.keeper.idToken { return token.subject }
        return try await container.keeper.methodUser()?.subject
    }

    private func begin(
        _ change: Change, _ redirectURI: String, _ uiLocales: [String], _ colorScheme: SignInOptions.ColorScheme?
    ) async throws(AuthError) -> PendingAuthorization {
        var options = SignInOptions(redirectURI: redirectURI)
        options.uiLocales = uiLocales
        options.colorScheme = colorScheme
        if let current = change.current {
            options.extra[SettingsAction.queryParameter] = FormParameters([SettingsAction.loginID: current]).encoded
        }
        options.extra[SettingsAction.providerParameter] = change.provider
        var token: IDToken?
        if service.wire.authgear != nil {
            _ = try await container.keeper.requireIDToken()
            // Authgear takes an unexpired token alone, and knows the user by the app's session.
            token = try await container.refreshIDToken()
            options.loginHint = try await container.appSessionHint()
            options.prompt = [.none]
            options.scope = AuthgearWire.settingsScope
        } else if let hint = try await container.ownAppSessionHint() {
            options.loginHint = hint
            token = await container.keeper.idToken
        } else {
            token = try await container.keeper.requireIDToken()
        }
        let subject = try await knownSubject()
        return try PendingAuthorization(
            options, redirectURI: redirectURI, purpose: .settings(change.action, token, subject: subject),
            service: service,
            metadata: try await container.provider.metadata(), keyThumbprint: nil, ambient: container.ambient)
    }

    private func complete(_ pending: PendingAuthorization, _ callbackURL: String) async throws(AuthError) {
        let code = try pending.code(from: callbackURL)
        try await container.provider.redeem(action: code, of: pending)
        // Another user may have signed in meanwhile, whose account is still there.
        guard case .settings(.deleteAccount, _, let subject?) = pending.purpose,
            (try? await knownSubject()) == subject
        else { return }
        try await container.keeper.forget()
    }
}

extension OpenIDProvider {
    /// Hands in the code that proves that an action was done. Nothing comes of it.
    func redeem(action code: Secret, of pending: PendingAuthorization) async throws(AuthError) {
        let form = FormParameters([
            "grant_type": GrantType.settingsAction.rawValue, "code": code.exposed(),
            "redirect_uri": pending.redirectURI, "code_verifier": pending.proofKey.codeVerifier.exposed(),
            AuthgearNames.deviceInfo: deviceInfo,
        ])
        _ = try await post(
            form, to: try await tokenEndpoint(), try await metadata(), timeoutSeconds: Limits.requestSeconds)
    }
}
