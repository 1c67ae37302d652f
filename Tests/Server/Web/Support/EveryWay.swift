import Model

extension SignInWays {
    /// Of a server that offers everything but connections.
    static let every = SignInWays(passwords: true, passkeys: true, reached: [.email, .phone], connections: [])
}
