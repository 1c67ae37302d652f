public import KeyturnBase
public import KeyturnWire

/// A client's request that a user signs in on another device (OpenID Connect CIBA Core §7): one row, from the request to
/// an hour after its end.
public struct BackchannelAuthentication: Hashable, Sendable {
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
    public let createdAt: UnixTime
    /// After this it can be neither allowed nor denied.
    public let expiresAt: UnixTime

    public init(
        id: SecretDigest, clientID: String, userID: UserID?, scope: Scope, resources: [String],
        needsSeveralFactors: Bool, keyThumbprint: String?, bindingMessage: String?, number: Int64, network: String?,
        createdAt: UnixTime, expiresAt: UnixTime
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
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}
