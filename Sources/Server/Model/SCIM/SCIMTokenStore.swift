public import Authority
public import KeyturnBase

/// A token of a tenant's provisioning client. Only its digest is kept.
public struct SCIMToken: Hashable, Sendable {
    public let id: String
    public let tenantID: String
    public let name: String
    public let createdAt: UnixTime
    /// `nil`: it does not expire by itself.
    public let expiresAt: UnixTime?
    /// To the minute; `nil`: never.
    public let usedAt: UnixTime?

    public init(
        id: String, tenantID: String, name: String, createdAt: UnixTime, expiresAt: UnixTime? = nil,
        usedAt: UnixTime? = nil
    ) {
        self.id = id
        self.tenantID = tenantID
        self.name = name
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.usedAt = usedAt
    }
}

/// The tokens of provisioning clients, found by their digest. What writes takes the permission for the tenant.
public protocol SCIMTokenStore: Sendable {
    /// Adds a token.
    ///
    /// - Returns: whether the tenant had fewer than ``Limits/scimTokensMax``.
    /// - Throws: `missing` if there is no such tenant.
    func create(
        _ token: SCIMToken, digest: SecretDigest, by permission: borrowing Allowed<Acts.MakeProvisioningToken>
    ) async throws(StoreError) -> Bool

    /// The token of this digest, if it has not expired. Its use is noted, once in ``Limits/scimUseSeconds``.
    func use(_ digest: SecretDigest, at now: UnixTime) async throws(StoreError) -> SCIMToken?

    /// The tokens of a tenant, in the order of their creation.
    func tokens(of tenant: String) async throws(StoreError) -> [SCIMToken]

    /// Removes a token of the permission's tenant.
    ///
    /// - Returns: whether the tenant had it.
    func revoke(_ id: String, by permission: borrowing Allowed<Acts.MakeProvisioningToken>)
        async throws(StoreError) -> Bool
}
