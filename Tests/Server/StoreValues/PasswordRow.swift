public import Model

/// A user's password, and what is kept of earlier ones.
public struct PasswordRow: Hashable, Sendable {
    /// `nil`: the user has none.
    public var hash: String?
    public var state = PasswordState()
}
