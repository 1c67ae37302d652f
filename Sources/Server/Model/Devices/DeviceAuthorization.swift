public import KeyturnBase
public import KeyturnWire

/// A device that waits for a user's decision (RFC 8628): one row, from the first request to an hour after its end.
public struct DeviceAuthorization: Hashable, Sendable {
    /// The digest of the device code.
    public let id: SecretDigest
    public let clientID: String
    public let scope: Scope
    /// Where its access tokens will be used (RFC 8707); empty: at this server.
    public let resources: [String]
    /// Whether the client requires that the user who allows it has verified two factors.
    public let needsSeveralFactors: Bool
    /// The key that the device proved when it asked, and proves with each poll; `nil`: none.
    public let keyThumbprint: String?
    /// The network that it asked from, shown to the user; `nil`: not known.
    public let network: String?
    public let createdAt: UnixTime
    /// After this it can be neither allowed nor denied.
    public let expiresAt: UnixTime
    public let decision: Decision

    /// The user's decision.
    public enum Decision: Hashable, Sendable {
        case pending, allowed, denied
    }

    public init(
        id: SecretDigest, clientID: String, scope: Scope, resources: [String], needsSeveralFactors: Bool,
        keyThumbprint: String?, network: String?, createdAt: UnixTime, expiresAt: UnixTime,
        decision: Decision = .pending
    ) {
        self.id = id
        self.clientID = clientID
        self.scope = scope
        self.resources = resources
        self.needsSeveralFactors = needsSeveralFactors
        self.keyThumbprint = keyThumbprint
        self.network = network
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.decision = decision
    }
}
