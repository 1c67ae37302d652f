/// Where other libraries keep their items on this platform when the app says nothing.
enum PlatformLegacyItems {
    /// `nil`: nowhere.
    static func make() -> (any LegacySessionItems)? {
        #if canImport(Security)
            // Tools are seldom signed for the keychain, and have no earlier release with another library's session.
            AppleProgram.isApp ? LegacySessionKeychain() : nil
        #else
            nil
        #endif
    }
}
