public import KeyturnBase
public import KeyturnWire

/// A device that waits for somebody to let it in (RFC 8628): one row, from the first request to an hour after its end.
public struct DeviceAuthorization: Hashable, Sendable {
    /// The digest of the device code.
    public let id: SecretDigest
    public let clientID: String
    public let scope: Scope
    /// Where its access tokens are meant to be used (RFC 8707); empty: at this server.
    public let resources: [String]
    /// Whether the client wants whoever lets it in to have shown two factors.
    public let needsSeveralFactors: Bool
    /// The key that the device proved when it asked, and proves with each poll; `nil`: none.
    public let keyThumbprint: String?
    /// The network that it asked from, for the person to compare; `nil`: not known.
    public let network: String?
    public let createdAt: UnixTime
    /// Nobody can decide any more.
    public let expiresAt: UnixTime
    public let decision: Decision

    /// What a person said.
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
