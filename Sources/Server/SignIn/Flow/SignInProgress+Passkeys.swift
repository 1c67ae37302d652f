extension SignInProgress {
    /// The browser's passkey support, as its page reported it when the sign-in began.
    public struct PasskeySupport: Codable, Hashable, Sendable {
        /// The browser can create a passkey without asking, after it filled in a password.
        public let isQuiet: Bool
        /// The device has a built-in authenticator.
        public let isPlatform: Bool

        public init(isQuiet: Bool, isPlatform: Bool) {
            self.isQuiet = isQuiet
            self.isPlatform = isPlatform
        }
    }
}
