public import KeyturnBase

/// A secret by which a program, not a person, gets session tokens. Only its digest is kept.
public struct AccessKey: Hashable, Sendable {
    public let id: String
    public var name: String
    public var description: String
    public var isActive: Bool
    /// The user it acts for: their own roles and tenants count, and the key works only while they are active.
    public var boundUser: UserID?
    public var memberships: Memberships
    /// Claims of the operator's own, in every token made from the key.
    public var customClaims: [String: JSONValue]
    public var attributes: [String: JSONValue]
    /// Networks from which it may be used, each the text of an ``IPAddressRange``; empty: anywhere.
    public var permittedNetworks: [String]
    /// Who made it.
    public let createdBy: String
    public let createdAt: UnixTime
    public var updatedAt: UnixTime
    /// `nil`: it does not expire by itself.
    public var expiresAt: UnixTime?

    public init(
        id: String, name: String, description: String = "", isActive: Bool = true, boundUser: UserID? = nil,
        memberships: Memberships = .none, customClaims: [String: JSONValue] = [:],
        attributes: [String: JSONValue] = [:], permittedNetworks: [String] = [], createdBy: String,
        createdAt: UnixTime, updatedAt: UnixTime, expiresAt: UnixTime? = nil
    ) {
        self.id = id
        self.name = name
        self.description = description
        self.isActive = isActive
        self.boundUser = boundUser
        self.memberships = memberships
        self.customClaims = customClaims
        self.attributes = attributes
        self.permittedNetworks = permittedNetworks
        self.createdBy = createdBy
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.expiresAt = expiresAt
    }

    /// Whether it may be used at this moment, as far as the key itself decides.
    public func isGood(at now: UnixTime) -> Bool {
        isActive && expiresAt.map { now < $0 } ?? true
    }

    /// Whether a request from this address may use it. A text in ``permittedNetworks`` that is no range permits nothing.
    public func isPermitted(from address: IPAddress?) -> Bool {
        guard !permittedNetworks.isEmpty else { return true }
        guard let address else { return false }
        return permittedNetworks.contains { (try? IPAddressRange($0))?.contains(address) ?? false }
    }
}
