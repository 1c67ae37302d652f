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

    /// Shows a page of the settings, in the session of this container.
    ///
    /// At a Keyturn server that does not know the app as the operator's own, the browser's own session says who the user
    /// is; if there is none, the user signs in there.
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
            let hint = try await container.appSessionHint()
            return try await container.settingsBrowser.show(try await container.settingsURL(page, wishes, hint))
        }
        guard try await container.keeper.start().isSignedIn else { throw AuthError(.signedOut, "no user is signed in") }
        var url = URLText.adding(wishes, to: container.settingsAddress(page))
        if let hint = try await container.ownAppSessionHint() {
            url = try await container.settingsURL(page, wishes, hint)
        }
        try await container.settingsBrowser.show(url)
    }
}

extension Keyturn {
    /// The pages on which people change their own accounts.
    public var settings: SettingsMethods { SettingsMethods(container: self) }
}
