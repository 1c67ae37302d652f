public import KeyturnBase
public import Model

/// A live session whose refresh token was presented.
public struct PresentedRefresh: Sendable {
    public let account: Account
    public let grant: Grant
    /// The token is the current one's predecessor, and too old for an overlap: it may not get anything new.
    let isLate: Bool
}

/// What a verification showed.
public struct ProvenIdentity: Sendable {
    public let account: Account
    public let method: AuthenticationMethod
    /// Whether this was the user's first sign-in.
    public let isFirst: Bool
    /// Whether this verification counts as two factors: something that the user has, and a PIN or biometric check.
    public let isOfTwoFactors: Bool
    /// The tenant whose connection vouched for the user; `nil`: none did.
    public let tenantID: String?
    /// When the user authenticated at the provider that vouched, which may be earlier; `nil`: now.
    public var authenticatedAt: UnixTime?
    /// The identity at that provider; `nil`: none vouched.
    package var federated: FederatedIdentity.Key?
    /// The address that a code or a link proved, which the account has, verified; `nil`: none was.
    package var provedAddress: String?
    /// What the verification itself found unusual.
    public let signals: Set<RiskSignal>

    public init(
        account: Account, method: AuthenticationMethod, isFirst: Bool, isOfTwoFactors: Bool = false,
        tenantID: String? = nil, signals: Set<RiskSignal> = [], proving address: Identifier? = nil
    ) {
        self.account = account
        self.method = method
        self.isFirst = isFirst
        self.isOfTwoFactors = isOfTwoFactors
        self.tenantID = tenantID
        self.signals = signals
        provedAddress = address.flatMap { account.provedAddresses.contains($0) ? $0.value : nil }
    }
}
