/// Reads what tenants' provisioning clients made. Nothing of another tenant is ever found.
public protocol SCIMResourceStore: Sendable {
    /// The resource of this identifier in this tenant.
    func resource(_ id: String, _ kind: SCIMRecord.Kind, in tenant: String) async throws(StoreError) -> SCIMRecord?

    /// One page of the resources that a query describes, in its order. One statement.
    func search(_ query: SCIMQuery) async throws(StoreError) -> [SCIMRecord]

    /// How many resources a query describes, whatever its page. One statement.
    func count(_ query: SCIMQuery) async throws(StoreError) -> Int

    /// The members of groups, or the groups of users, by the identifier of the resource that was asked about.
    ///
    /// - Parameter limit: of all together; in the order of creation.
    func links(of ids: [String], _ kind: SCIMRecord.Kind, in tenant: String, limit: Int)
        async throws(StoreError) -> [String: [SCIMLink]]
}

/// A group's member, or a user's group.
public struct SCIMLink: Hashable, Sendable {
    public let id: String
    /// `displayName`, else `userName`.
    public let display: String?

    public init(id: String, display: String?) {
        self.id = id
        self.display = display
    }
}
