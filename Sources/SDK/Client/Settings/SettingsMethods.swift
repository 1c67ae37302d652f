public import KeyturnBase
internal import KeyturnWire

/// What people change about their own accounts, on the service's pages. Reached as ``Keyturn/settings``.
public struct SettingsMethods: Sendable {
    let container: Keyturn

    /// A page of the settings. An open set.
    public struct Page: RawRepresentable, Hashable, Sendable {
        /// The page's path, below the issuer.
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Everything at a glance.
        public static let overview = Self(rawValue: "/settings")
        /// Names to sign in with.
        public static let identifiers = Self(rawValue: "/settings/identifiers")
        /// Browsers, apps and devices that are signed in.
        public static let sessions = Self(rawValue: "/settings/sessions")
        /// Passkeys.
        public static let passkeys = Self(rawValue: "/settings/passkeys")
    }

    /// Shows a page of the settings. The browser's own session at the service says who it is; if there is none, the
    /// person signs in there.
    ///
    /// Returns when the person has closed the page, where the browser tells (a sheet of the system does); otherwise at
    /// once. Closing it is what people do with such a page, and no error.
    ///
    /// - Parameters:
    ///   - page: The page to begin with.
    ///   - uiLocales: Languages of the pages, best first, as BCP 47 tags. Empty: as the account or the browser says.
    ///   - colorScheme: Light or dark pages; `nil`: as the browser prefers.
    /// - Throws: `session.signed_out` if no user is signed in here; `service.unsupported`; otherwise as the browser.
    public func open(
        _ page: Page = .overview, uiLocales: [String] = [], colorScheme: SignInOptions.ColorScheme? = nil
    ) async throws(AuthError) {
        guard container.service.wire.hasSettings else {
            throw AuthError(.unsupported, "the service \(container.service.kind.rawValue) has no settings pages")
        }
        guard try await container.keeper.start().isSignedIn else { throw AuthError(.signedOut, "no user is signed in") }
        let issuer = container.service.issuer
        let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        var wishes = FormParameters()
        wishes.append("ui_locales", uiLocales.isEmpty ? nil : uiLocales.joined(separator: " "))
        if let name = container.service.wire.colorSchemeParameter { wishes.append(name, colorScheme?.rawValue) }
        try await container.browser.show(URLText.adding(wishes, to: base + page.rawValue))
    }

    /// Has the person choose another password, or a first one.
    ///
    /// - Parameters:
    ///   - redirectURI: See ``SignInOptions/redirectURI``.
    ///   - uiLocales: Languages of the pages, best first, as BCP 47 tags.
    ///   - colorScheme: How the pages look; `nil`: as the browser prefers.
    /// - Throws: `sign_in.cancelled` if the person gives up or closes the page; `session.signed_out`;
    ///   `service.unsupported`; otherwise as ``Keyturn/authorize(_:)``.
    public func changePassword(
        redirectURI: String, uiLocales: [String] = [], colorScheme: SignInOptions.ColorScheme? = nil
    ) async throws(AuthError) {
        try await perform(.changePassword, redirectURI, uiLocales, colorScheme)
    }

    /// Has the person delete their account. Afterwards no user is signed in here.
    ///
    /// - Parameters:
    ///   - redirectURI: See ``SignInOptions/redirectURI``.
    ///   - uiLocales: Languages of the pages, best first, as BCP 47 tags.
    ///   - colorScheme: How the pages look; `nil`: as the browser prefers.
    /// - Throws: As ``changePassword(redirectURI:uiLocales:colorScheme:)``; `store.unavailable` if the account is gone
    ///   and the session could not be removed from this machine.
    public func deleteAccount(
        redirectURI: String, uiLocales: [String] = [], colorScheme: SignInOptions.ColorScheme? = nil
    ) async throws(AuthError) {
        try await perform(.deleteAccount, redirectURI, uiLocales, colorScheme)
        try await container.keeper.forget()
    }

    private func perform(
        _ action: SettingsAction, _ redirectURI: String, _ uiLocales: [String],
        _ colorScheme: SignInOptions.ColorScheme?
    ) async throws(AuthError) {
        guard container.service.wire.hasSettings else {
            throw AuthError(.unsupported, "the service \(container.service.kind.rawValue) has no settings pages")
        }
        let token = try await container.keeper.requireIDToken()
        let webSession = try await container.browser.prepare(redirectURI: redirectURI)
        do throws(AuthError) {
            var options = SignInOptions(redirectURI: redirectURI)
            options.uiLocales = uiLocales
            options.colorScheme = colorScheme
            let pending = try PendingAuthorization(
                options, redirectURI: webSession.redirectURI, purpose: .settings(action, token),
                service: container.service,
                metadata: try await container.provider.metadata(), keyThumbprint: nil, ambient: container.ambient)
            let callbackURL = try await webSession.open(pending.url, state: pending.state)
            await webSession.close()
            let code = try pending.code(from: callbackURL)
            try await container.provider.redeem(action: code, of: pending)
        } catch {
            await webSession.close()
            throw error
        }
    }
}

extension Keyturn {
    /// The pages on which people change their own accounts.
    public var settings: SettingsMethods { SettingsMethods(container: self) }
}

extension OpenIDProvider {
    /// Hands in the code that proves that an action was done. Nothing comes of it.
    func redeem(action code: Secret, of pending: PendingAuthorization) async throws(AuthError) {
        let metadata = try await metadata()
        guard let endpoint = metadata.tokenEndpoint else {
            throw AuthError(.protocolViolation, "the discovery document names no token endpoint")
        }
        let form = FormParameters([
            "grant_type": GrantType.settingsAction.rawValue, "code": code.exposed(),
            "redirect_uri": pending.redirectURI, "code_verifier": pending.proofKey.codeVerifier.exposed(),
        ])
        _ = try await post(form, to: endpoint, metadata, timeoutSeconds: Limits.requestSeconds)
    }
}
