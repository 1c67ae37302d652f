public import Model

/// Somebody who presented the refresh token of a session that lives.
public struct PresentedRefresh: Sendable {
    public let account: Account
    public let grant: Grant
    /// The token was the current one's predecessor, later than an overlap explains: good for what gives nothing new.
    let isLate: Bool
}

/// What a proof showed.
public struct ProvenIdentity: Sendable {
    public let account: Account
    public let method: AuthenticationMethod
    /// Whether this was the user's first sign-in.
    public let isFirst: Bool
    /// Whether the proof was of two factors by itself: something that the person has, and what it asked of them.
    public let isOfTwoFactors: Bool

    public init(account: Account, method: AuthenticationMethod, isFirst: Bool, isOfTwoFactors: Bool = false) {
        self.account = account
        self.method = method
        self.isFirst = isFirst
        self.isOfTwoFactors = isOfTwoFactors
    }
}
