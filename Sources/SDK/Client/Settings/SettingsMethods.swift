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
    /// person signs in there. Authgear's pages open in the session of this container.
    ///
    /// Returns when the person has closed the page, where the browser tells (a sheet of the system does); otherwise at
    /// once. Closing it is what people do with such a page, and no error.
    ///
    /// - Parameters:
    ///   - page: The page to begin with.
    ///   - uiLocales: Languages of the pages, best first, as BCP 47 tags. Empty: as the account or the browser says.
    ///   - colorScheme: Light or dark pages; `nil`: as the browser prefers.
    /// - Throws: `session.signed_out` if no user is signed in here; `session.ended`; `service.unsupported`; otherwise as
    ///   the browser.
    public func open(
        _ page: Page = .overview, uiLocales: [String] = [], colorScheme: SignInOptions.ColorScheme? = nil
    ) async throws(AuthError) {
        guard container.service.wire.hasSettings else {
            throw AuthError(.unsupported, "the service \(container.service.kind.rawValue) has no settings pages")
        }
        var wishes = FormParameters()
        wishes.append("ui_locales", uiLocales.isEmpty ? nil : uiLocales.joined(separator: " "))
        if let name = container.service.wire.colorSchemeParameter { wishes.append(name, colorScheme?.rawValue) }
        guard container.service.wire.authgear == nil else {
            return try await container.settingsBrowser.show(try await container.authgearSettingsURL(page, wishes))
        }
        guard try await container.keeper.start().isSignedIn else { throw AuthError(.signedOut, "no user is signed in") }
        let issuer = container.service.issuer
        let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        try await container.settingsBrowser.show(URLText.adding(wishes, to: base + page.rawValue))
    }
}

extension Keyturn {
    /// The pages on which people change their own accounts.
    public var settings: SettingsMethods { SettingsMethods(container: self) }
}
