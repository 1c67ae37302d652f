public import KeyturnBase
public import KeyturnWire

/// A client's request that a user signs in on another device (OpenID Connect CIBA Core §7): one row, from the request to
/// an hour after its end.
public struct BackchannelAuthentication: Hashable, Sendable {
    /// What the user's approval leads to.
    public enum Purpose: String, Hashable, Sendable, CaseIterable {
        /// Tokens for the client that asked (OpenID Connect CIBA Core).
        case tokens
        /// A session in the browser that asked on the sign-in page.
        case session
    }

    /// The digest of `auth_req_id`.
    public let id: SecretDigest
    public let clientID: String
    /// The user who is asked; `nil`: no user sees the request, and it expires.
    public let userID: UserID?
    public let scope: Scope
    /// Where its access tokens will be used (RFC 8707); empty: at this server.
    public let resources: [String]
    /// Whether the client requires that the user has verified two factors.
    public let needsSeveralFactors: Bool
    /// The key that the client proved when it asked, and proves with each poll; `nil`: none.
    public let keyThumbprint: String?
    /// `binding_message`: what both devices show.
    public let bindingMessage: String?
    /// The number that the consumption device shows, 10 to 99.
    public let number: Int64
    /// The network that the request came from, shown to the user; `nil`: not known.
    public let network: String?
    /// The device that asked, such as “Firefox on Linux”; `nil`: not known.
    public let device: String?
    public let purpose: Purpose
    /// What a client in ping mode is told of the decision, sealed; `nil`: it polls.
    public let sealedPing: [UInt8]?
    public let createdAt: UnixTime
    /// After this it can be neither allowed nor denied.
    public let expiresAt: UnixTime

    public init(
        id: SecretDigest, clientID: String, userID: UserID?, scope: Scope, resources: [String],
        needsSeveralFactors: Bool, keyThumbprint: String?, bindingMessage: String?, number: Int64, network: String?,
        device: String? = nil, purpose: Purpose = .tokens, sealedPing: [UInt8]? = nil, createdAt: UnixTime,
        expiresAt: UnixTime
    ) {
        self.id = id
        self.clientID = clientID
        self.userID = userID
        self.scope = scope
        self.resources = resources
        self.needsSeveralFactors = needsSeveralFactors
        self.keyThumbprint = keyThumbprint
        self.bindingMessage = bindingMessage
        self.number = number
        self.network = network
        self.device = device
        self.purpose = purpose
        self.sealedPing = sealedPing
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}

/// What a waiting browser learns of its request for an approval.
public enum ApprovalAnswer: Hashable, Sendable {
    case pending
    /// Approved by this user, who was authenticated at this time in the sign-in that approved.
    ///
    /// - Parameter epoch: the user's ``User/epoch`` in the same statement: a session may be opened as long as it is the
    ///   same.
    case approved(UserID, epoch: Int64, authenticatedAt: UnixTime)
    /// Denied, or approved in a sign-in that is over.
    case denied
    case expired
    /// Spent before, or unknown.
    case unknown
}
