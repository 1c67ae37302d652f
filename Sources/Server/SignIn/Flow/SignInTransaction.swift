public import KeyturnBase
public import Model
public import OAuth

/// The sealed state of a sign-in: its target and its progress. No row is stored before its end.
public struct SignInTransaction: Codable, Hashable, Sendable {
    /// The authorization request; `nil` for a link that was opened in a browser without a transaction.
    public var authorization: AuthorizationTransaction?
    public var progress: SignInProgress
    public let startedAt: UnixTime
    /// The identity at a provider that it began with; `nil`: none.
    public var federated: Federated?
    /// Where a sign-in without an authorization request leads, an address that the operator listed; `nil`: the settings.
    public var landing: String?

    /// An identity at a provider, and the provider's session.
    public struct Federated: Codable, Hashable, Sendable {
        public let key: FederatedIdentity.Key
        public let session: String?
        /// What messages of single logout call the user: see ``FederatedOrigin/providerName``.
        public let name: String?
        /// When the provider's session ends: the session here ends no later.
        public let endsAt: UnixTime?
        /// When the user authenticated there; `nil`: it does not say.
        public let authenticatedAt: UnixTime?

        public init(
            key: FederatedIdentity.Key, session: String?, name: String? = nil, endsAt: UnixTime?,
            authenticatedAt: UnixTime? = nil
        ) {
            self.key = key
            self.session = session
            self.name = name
            self.endsAt = endsAt
            self.authenticatedAt = authenticatedAt
        }
    }

    /// The session that the sign-in goes on from, because the journey wants more; `nil`: none.
    public var resumed: String?
    /// What was unusual at the first verification; `nil`: no user is verified.
    public var risk: SignInRisk?

    public init(authorization: AuthorizationTransaction?, progress: SignInProgress, startedAt: UnixTime) {
        self.authorization = authorization
        self.progress = progress
        self.startedAt = startedAt
    }

    /// When the sign-in began: with the authorization request, if there is one.
    public var begunAt: UnixTime { authorization?.startedAt ?? startedAt }

    /// Whether the transaction has timed out.
    public func isExpired(at now: UnixTime) -> Bool {
        if let authorization { return authorization.isExpired(at: now) }
        return now >= startedAt + Limits.transactionSeconds
    }

    public var needsSeveralFactors: Bool { authorization?.needsSeveralFactors == true }
}
