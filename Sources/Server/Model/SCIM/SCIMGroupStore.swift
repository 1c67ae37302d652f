public import Authority
public import KeyturnBase

/// Provisioned groups, their members, and the role that members get. What writes takes the permission for the tenant.
public protocol SCIMGroupStore: Sendable {
    /// Adds a group with members, in one transaction. It gives no role.
    ///
    /// - Throws: `conflict` if the tenant has another group of this name or external identifier; `missing` if there is no
    ///   such tenant.
    func createGroup(
        _ id: String, by permission: borrowing Allowed<Acts.Provision>, _ content: SCIMContent,
        members: [String], at now: UnixTime
    ) async throws(StoreError) -> Result<SCIMRecord, SCIMProblem>

    /// Reads the group, lets `rule` say what changes, and writes it: one transaction. Members are changed one by one, so
    /// that of two changes at once neither is lost. Roles follow in the same transaction.
    ///
    /// - Throws: as ``createGroup(_:by:_:members:at:)``; `missing` if there is no such group in the tenant.
    func changeGroup(
        _ id: String, by permission: borrowing Allowed<Acts.Provision>, at now: UnixTime,
        _ rule: @escaping SCIMGroupRule
    ) async throws(StoreError) -> Result<SCIMRecord, SCIMProblem>

    /// Removes a group; its members lose its role.
    ///
    /// - Parameter version: the group must have; `nil`: any.
    func deleteGroup(
        _ id: String, by permission: borrowing Allowed<Acts.Provision>, version: Int64?, at now: UnixTime
    ) async throws(StoreError) -> SCIMDeletion

    /// Says which role the members of a group have, and gives or takes it in the same transaction.
    ///
    /// - Parameter role: of the tenant; `nil`: none.
    /// - Throws: `missing` if there is no such group or role in the tenant.
    func map(
        _ id: String, to role: String?, by permission: borrowing Allowed<Acts.ChangeTenants>, at now: UnixTime
    ) async throws(StoreError)
}

/// Says what becomes of a group. A refusal changes nothing.
public typealias SCIMGroupRule = @Sendable (SCIMRecord) -> Result<SCIMGroupChange, SCIMProblem>

/// What becomes of a group.
public struct SCIMGroupChange: Hashable, Sendable {
    /// One step; the steps run in order.
    public enum Members: Hashable, Sendable {
        case add([String])
        /// Those that are no members change nothing.
        case remove([String])
        case replace([String])
    }

    /// `nil`: only members change.
    public var content: SCIMContent?
    public var members: [Members]

    public init(content: SCIMContent? = nil, members: [Members] = []) {
        self.content = content
        self.members = members
    }
}
