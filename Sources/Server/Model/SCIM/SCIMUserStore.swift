public import Authority
public import KeyturnBase

/// Provisioned users: a resource, the tenant's membership, and the account behind them, kept in step.
///
/// Each writing call takes a permission for a tenant: the tenant's own directory has it. What a call does to an account
/// is asked for besides, in its transaction: an account that the caller may not change stays as it is.
public protocol SCIMUserStore: Sendable {
    /// Adds a user in one transaction. An account that has verified the address in a proven domain joins the tenant and
    /// is not changed otherwise; else a new account is made. The address is its login ID, unless another account has it
    /// as one, or has proved it as a contact.
    ///
    /// - Throws: `conflict` if the tenant has another user of this name, external identifier or account, or if another
    ///   caller than the directory disabled a user with one of the names or addresses; `missing` if there is no such
    ///   tenant.
    func createUser(_ user: NewSCIMUser, by allowed: consuming Allowed<Acts.Provision>, at now: UnixTime)
        async throws(StoreError) -> SCIMRecord

    /// Reads the user, lets `rule` say what changes, and writes it: one transaction, so that no change is lost.
    ///
    /// A user that becomes inactive loses the membership, and the sessions and grants that the tenant vouched for or was
    /// selected in end in the same transaction. If the directory made the account, no other tenant has the user, and
    /// the user was a member or has made nothing of the account, all sessions, grants, codes and links end; if nothing else holds it
    /// (``deleteUser(_:by:version:connections:provenDomains:at:)``), it is disabled. A user that becomes active joins again with the tenant's default roles and those of its groups.
    ///
    /// - Parameters:
    ///   - connections: the tenant's own.
    ///   - provenDomains: of the tenant. By them is told what the directory gave of a resource from before that was
    ///     recorded. Any other proved address is the user's own, whatever the directory says.
    ///   - rule: `nil` in the result: nothing changes.
    /// - Throws: as ``createUser(_:by:at:)``; `missing` if there is no such user in the tenant.
    func changeUser(
        _ id: String, by allowed: consuming Allowed<Acts.Provision>, connections: [String],
        provenDomains: Set<String>, at now: UnixTime, _ rule: @escaping SCIMUserRule
    ) async throws(StoreError) -> Result<SCIMRecord, SCIMProblem>

    /// Takes a user out of the tenant: membership and groups end, and what is open as in
    /// ``changeUser(_:by:connections:provenDomains:at:_:)``. The account is removed if
    /// provisioning made it and nothing else holds it: no other tenant, no credential of its own, no proved address but
    /// the one that the directory gave, no identity at a provider beside `connections`.
    ///
    /// - Parameters:
    ///   - version: the user must have; `nil`: any.
    ///   - connections: the tenant's own.
    ///   - provenDomains: of the tenant.
    func deleteUser(
        _ id: String, by allowed: consuming Allowed<Acts.Provision>, version: Int64?, connections: [String],
        provenDomains: Set<String>, at now: UnixTime
    ) async throws(StoreError) -> SCIMDeletion

    /// The user of the tenant that the names stand for. One whom another caller than the directory disabled comes first,
    /// by whichever of the names; else the one user by `externalId`, else by `userName`, else by an address; `nil`: there
    /// is none, or there are several.
    ///
    /// - Parameters:
    ///   - connections: the tenant's own.
    ///   - provenDomains: of the tenant.
    func match(
        _ names: ProvisionedNames, in tenant: String, connections: [String], provenDomains: Set<String>
    ) async throws(StoreError) -> ProvisionedMatch?

    /// Looks again at who a user is. An account that was made for want of a proven domain, and that no one can sign in to,
    /// gives way to the person's own account, by which the tenant then has them; or it gets the login ID that the domain
    /// allows by now. Not an account that another caller than the directory disabled: its person would be let in by the
    /// other one.
    ///
    /// - Parameters:
    ///   - profile: of the user, by the domains that are proven now.
    ///   - connections: the tenant's own.
    /// - Returns: the account that the user has from now on; `nil`: nothing changed.
    func rejoin(
        _ id: String, by allowed: consuming Allowed<Acts.Provision>, _ profile: SCIMProfile, connections: [String],
        at now: UnixTime
    ) async throws(StoreError) -> UserID?

    /// Whether the tenant's directory took the account in, which others had made: its owner did not join the tenant.
    func hasAdopted(_ user: UserID, in tenant: String) async throws(StoreError) -> Bool

    /// Whether an account in a tenant is its owner's own: the tenant's directory took it in, or the owner connected it to
    /// the tenant, and neither the directory nor a provider made it. So is that of a user who was taken out
    /// (``FederatedIdentityStore/formerTenants(of:)``).
    ///
    /// - Parameter connections: the tenant's own.
    func isIndependent(_ user: UserID, of tenant: String, connections: [String]) async throws(StoreError) -> Bool
}

/// A user to be added.
public struct NewSCIMUser: Hashable, Sendable {
    /// Of the resource.
    public var id: String
    /// Of the account, if one is made.
    public var userID: UserID
    public var content: SCIMContent
    public var profile: SCIMProfile
    /// The tenant's own connections: an account that one of them knows by the external identifier is the person's.
    public var connections: [String] = []

    public init(id: String, userID: UserID, content: SCIMContent, profile: SCIMProfile) {
        self.id = id
        self.userID = userID
        self.content = content
        self.profile = profile
    }
}

/// Says what becomes of a user; `nil`: nothing changes. A refusal changes nothing.
public typealias SCIMUserRule = @Sendable (SCIMRecord) -> Result<SCIMUserChange?, SCIMProblem>

/// What becomes of a user.
public struct SCIMUserChange: Hashable, Sendable {
    public var content: SCIMContent
    public var profile: SCIMProfile

    public init(content: SCIMContent, profile: SCIMProfile) {
        self.content = content
        self.profile = profile
    }
}

/// What came of a removal.
public enum SCIMDeletion: Hashable, Sendable {
    /// - Parameter account: the removed account, or the one that stays.
    case deleted(account: UserID?, isAccountRemoved: Bool)
    case missing
    /// It has another version.
    case changed
}
