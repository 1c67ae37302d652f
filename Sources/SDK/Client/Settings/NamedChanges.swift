public import KeyturnBase

/// The usual changes, by their names.
extension SettingsMethods {
    /// Has the user choose another password, or a first one.
    ///
    /// - Parameters:
    ///   - redirectURI: See ``SignInOptions/redirectURI``.
    ///   - uiLocales: Languages of the pages, best first, as BCP 47 tags.
    ///   - colorScheme: How the pages look; `nil`: as the browser prefers.
    /// - Throws: As ``perform(_:redirectURI:uiLocales:colorScheme:)``.
    public func changePassword(
        redirectURI: String, uiLocales: [String] = [], colorScheme: SignInOptions.ColorScheme? = nil
    ) async throws(AuthError) {
        try await perform(
            .changePassword, redirectURI: redirectURI, uiLocales: uiLocales, colorScheme: colorScheme)
    }

    /// The first half of ``changePassword(redirectURI:uiLocales:colorScheme:)``, for apps that show the page by
    /// themselves: the URL to open.
    ///
    /// - Parameters:
    ///   - redirectURI: See ``SignInOptions/redirectURI``.
    ///   - uiLocales: Languages of the pages, best first, as BCP 47 tags.
    ///   - colorScheme: How the pages look; `nil`: as the browser prefers.
    /// - Throws: As ``start(_:redirectURI:uiLocales:colorScheme:)``.
    public func startChangingPassword(
        redirectURI: String, uiLocales: [String] = [], colorScheme: SignInOptions.ColorScheme? = nil
    ) async throws(AuthError) -> String {
        try await start(.changePassword, redirectURI: redirectURI, uiLocales: uiLocales, colorScheme: colorScheme)
    }

    /// The second half of ``startChangingPassword(redirectURI:uiLocales:colorScheme:)``.
    ///
    /// - Throws: As ``finish(_:callbackURL:)``.
    public func finishChangingPassword(callbackURL: String) async throws(AuthError) {
        try await finish(.changePassword, callbackURL: callbackURL)
    }

    /// Has the user show with a code that the address of the account is theirs. Without an address to verify the page
    /// lets them add one.
    ///
    /// - Parameters:
    ///   - redirectURI: See ``SignInOptions/redirectURI``.
    ///   - uiLocales: Languages of the pages, best first, as BCP 47 tags.
    ///   - colorScheme: How the pages look; `nil`: as the browser prefers.
    /// - Throws: As ``perform(_:redirectURI:uiLocales:colorScheme:)``.
    public func verifyEmail(
        redirectURI: String, uiLocales: [String] = [], colorScheme: SignInOptions.ColorScheme? = nil
    ) async throws(AuthError) {
        try await perform(.verifyEmail, redirectURI: redirectURI, uiLocales: uiLocales, colorScheme: colorScheme)
    }

    /// The first half of ``verifyEmail(redirectURI:uiLocales:colorScheme:)``, for apps that show the page by themselves:
    /// the URL to open.
    ///
    /// - Parameters:
    ///   - redirectURI: See ``SignInOptions/redirectURI``.
    ///   - uiLocales: Languages of the pages, best first, as BCP 47 tags.
    ///   - colorScheme: How the pages look; `nil`: as the browser prefers.
    /// - Throws: As ``start(_:redirectURI:uiLocales:colorScheme:)``.
    public func startVerifyingEmail(
        redirectURI: String, uiLocales: [String] = [], colorScheme: SignInOptions.ColorScheme? = nil
    ) async throws(AuthError) -> String {
        try await start(.verifyEmail, redirectURI: redirectURI, uiLocales: uiLocales, colorScheme: colorScheme)
    }

    /// The second half of ``startVerifyingEmail(redirectURI:uiLocales:colorScheme:)``.
    ///
    /// - Throws: As ``finish(_:callbackURL:)``.
    public func finishVerifyingEmail(callbackURL: String) async throws(AuthError) {
        try await finish(.verifyEmail, callbackURL: callbackURL)
    }

    /// Has the user delete their account. Afterwards no user is signed in here.
    ///
    /// - Parameters:
    ///   - redirectURI: See ``SignInOptions/redirectURI``.
    ///   - uiLocales: Languages of the pages, best first, as BCP 47 tags.
    ///   - colorScheme: How the pages look; `nil`: as the browser prefers.
    /// - Throws: As ``perform(_:redirectURI:uiLocales:colorScheme:)``.
    public func deleteAccount(
        redirectURI: String, uiLocales: [String] = [], colorScheme: SignInOptions.ColorScheme? = nil
    ) async throws(AuthError) {
        try await perform(
            .deleteAccount, redirectURI: redirectURI, uiLocales: uiLocales, colorScheme: colorScheme)
    }

    /// The first half of ``deleteAccount(redirectURI:uiLocales:colorScheme:)``, for apps that show the page by themselves:
    /// the URL to open.
    ///
    /// - Parameters:
    ///   - redirectURI: See ``SignInOptions/redirectURI``.
    ///   - uiLocales: Languages of the pages, best first, as BCP 47 tags.
    ///   - colorScheme: How the pages look; `nil`: as the browser prefers.
    /// - Throws: As ``start(_:redirectURI:uiLocales:colorScheme:)``.
    public func startDeletingAccount(
        redirectURI: String, uiLocales: [String] = [], colorScheme: SignInOptions.ColorScheme? = nil
    ) async throws(AuthError) -> String {
        try await start(.deleteAccount, redirectURI: redirectURI, uiLocales: uiLocales, colorScheme: colorScheme)
    }

    /// The second half of ``startDeletingAccount(redirectURI:uiLocales:colorScheme:)``. Afterwards no user is signed in
    /// here.
    ///
    /// - Throws: As ``finish(_:callbackURL:)``.
    public func finishDeletingAccount(callbackURL: String) async throws(AuthError) {
        try await finish(.deleteAccount, callbackURL: callbackURL)
    }
}
