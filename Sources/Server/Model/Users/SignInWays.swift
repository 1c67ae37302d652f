/// The ways to sign in that a server offers. Whatever a user removes, one of them stays open.
public struct SignInWays: Hashable, Sendable {
    /// Whether passwords are offered.
    public let passwords: Bool
    /// Whether passkeys are.
    public let passkeys: Bool
    /// The kinds of addresses that messages reach.
    public let reached: Set<Identifier.Kind>
    /// The connections that are switched on.
    public let connections: Set<String>

    public init(passwords: Bool, passkeys: Bool, reached: Set<Identifier.Kind>, connections: Set<String>) {
        self.passwords = passwords
        self.passkeys = passkeys
        self.reached = reached
        self.connections = connections
    }

    /// Whether a user can sign in. A password needs a name to enter with it.
    ///
    /// - Parameter linked: the connections that have an identity of the user.
    public func areOpen(to account: Account, linked: Set<String>) -> Bool {
        passkeys && account.hasPasskey
            || passwords && account.passwordHash != nil && !account.identifiers.isEmpty
            || !connections.isDisjoint(with: linked)
            || account.identifiers.contains { $0.value == .verified && reached.contains($0.key.kind) }
    }
}
