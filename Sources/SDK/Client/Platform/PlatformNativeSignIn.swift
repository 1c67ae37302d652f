/// The sheet of a provider that this platform has.
enum PlatformNativeSignIn {
    /// `nil`: there is none.
    static func make(for provider: SocialProvider) -> (any NativeSignIn)? {
        #if os(macOS)
            guard provider == .apple, AppleProgram.isApp else { return nil }
            return AppleIDSignIn { MacAnchor.find() }
        #elseif os(iOS) || os(tvOS) || os(visionOS)
            provider == .apple ? AppleIDSignIn { AppleAnchor.find() } : nil
        #else
            nil
        #endif
    }
}
