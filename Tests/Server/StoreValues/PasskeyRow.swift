public import Model

/// A passkey of a user.
public struct PasskeyRow: Hashable, Sendable {
    public var passkey: StoredPasskey
    public let userID: UserID
}
