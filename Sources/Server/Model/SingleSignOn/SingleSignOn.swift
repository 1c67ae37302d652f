public import KeyturnBase

/// Users of an organisation sign in at its own connections alone, if the organisation wants that.
///
/// Whatever signs a user in asks ``judge(_:_:from:notes:)`` before it opens a session: one rule for every method and
/// every wire. It is asked after the user has proven who they are, so that a refusal tells strangers nothing.
public struct SingleSignOn: Sendable {
    private let stores: Stores
    private let directory: AccessDirectory
    private let connections: ConnectionDirectory
    private let audit: any AuditLog
    private let ambient: Ambient

    public init(
        stores: Stores, directory: AccessDirectory, connections: ConnectionDirectory, audit: any AuditLog,
        ambient: Ambient
    ) {
        self.stores = stores
        self.directory = directory
        self.connections = connections
        self.audit = audit
        self.ambient = ambient
    }

    /// Whether a sign-in may open a session.
    public enum Verdict: Hashable, Sendable {
        /// The session may lack tenants: ``AccessDirectory/memberships(_:of:vouchedBy:)``.
        case allowed
        /// The user must sign in at a connection of this tenant.
        case refused(tenant: String)
    }

    /// Judges a sign-in.
    ///
    /// Refused are users who belong to nothing but tenants that want their own sign-in. A user with another tenant, with
    /// a role in the whole project or in the console, or with an account that its owner connected to the tenant, goes on without the
    /// tenant: the tenant decides about itself, not about the rest of an account.
    ///
    /// - Parameters:
    ///   - user: who was verified.
    ///   - facts: how.
    ///   - address: the client's, for the audit log.
    ///   - notes: whether the sign-in ends here, and the use of an exclusion is recorded.
    public func judge(
        _ user: UserID, _ facts: AuthenticationFacts, from address: NetworkAddress? = nil, notes: Bool
    ) async throws(StoreError) -> Verdict {
        guard directory.requiresSingleSignOn, let account = try await stores.users.account(user) else {
            return .allowed
        }
        let strict = directory.strictTenants(of: account.memberships, vouchedBy: facts.tenantID)
        let withheld = strict.filter { !$0.singleSignOnExclusions.contains(user.rawValue) }
        if notes {
            for tenant in strict where !withheld.contains(tenant) {
                audit.record(
                    AuditEvent(
                        .singleSignOnBypassed, at: ambient.now(), userID: user, address: address?.text,
                        reason: facts.methods.joined(separator: " "), target: tenant.id))
            }
        }
        guard let first = withheld.first, withheld.count == account.memberships.tenants.count,
            account.memberships.roles.isEmpty, account.consoleRole == nil
        else { return .allowed }
        for tenant in withheld {
            let own = connections.connections(of: tenant.id).map(\.id)
            if try await stores.provisionedUsers.isIndependent(user, of: tenant.id, connections: own) {
                return .allowed
            }
        }
        if notes {
            audit.recordOnce(
                AuditEvent(
                    .signInFailed, at: ambient.now(), userID: user, address: address?.text, reason: "single_sign_on",
                    target: first.id))
        }
        return .refused(tenant: first.id)
    }

    /// Whether a sign-in answers a request that names a connection. That of an organisation wants a user of the
    /// organisation: one for whom it vouched, or a member who signed in in another way.
    ///
    /// - Parameter connection: its identifier; one that is not known or switched off asks for nothing.
    public func answers(_ user: UserID, _ facts: AuthenticationFacts, connection: String) async throws(StoreError)
        -> Bool
    {
        guard let asked = connections.connection(connection), asked.isEnabled, let tenant = asked.tenantID else {
            return true
        }
        if let vouching = facts.tenantID { return vouching == tenant }
        return try await counts(tenant, for: user, facts)
    }

    /// Whether a tenant counts in a session: the user is a member, and it is content with how they signed in.
    public func counts(_ tenant: String, for user: UserID, _ facts: AuthenticationFacts) async throws(StoreError)
        -> Bool
    {
        guard directory.tenant(tenant) != nil, let account = try await stores.users.account(user) else { return false }
        return directory.memberships(account.memberships, of: user, vouchedBy: facts.tenantID).tenants[tenant] != nil
    }

    /// The connection at which the users of a tenant sign in; `nil`: none is enabled.
    public func connection(of tenant: String) -> Connection? {
        connections.connections(of: tenant).first(where: \.isEnabled)
    }
}
