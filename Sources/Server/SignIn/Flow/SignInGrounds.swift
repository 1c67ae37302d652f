package import KeyturnBase
package import Model

/// What a sign-in that is under way rests on, beside its user and a session: pages and the methods' wire ask before each
/// further step whether all of it still stands.
package struct SignInGrounds: Hashable, Sendable {
    /// The addresses that codes and links have proved.
    private let addresses: [String]
    /// The identity at the provider that vouched; `nil`: none did, or an earlier release did not keep it.
    private let identity: FederatedIdentity.Key?
    /// When that provider's answer came.
    private let since: UnixTime
    /// The request that another device approved; `nil`: none did, or an earlier release did not keep it.
    private let approval: SecretDigest?

    /// - Parameter approval: the reference of the request that another device approved.
    package init(
        addresses: [String], identity: FederatedIdentity.Key?, since: UnixTime, approval: String? = nil
    ) {
        self.addresses = addresses
        self.identity = identity
        self.since = since
        self.approval = approval.map { SecretDigest(of: Secret($0)) }
    }

    /// Whether the account still has every address, verified, the identity still opens it, and the session that
    /// approved is alive.
    package func stand(
        for account: Account, in stores: Stores, _ connections: ConnectionDirectory, at now: UnixTime
    ) async throws(StoreError) -> Bool {
        guard Self.holds(addresses, account) else { return false }
        if let approval, try await !stores.backchannel.isApproverAlive(approval, at: now) { return false }
        guard let identity else { return true }
        return try await stores.identities.opens(
            account.user.id, by: identity, since: since, at: connections.connection(identity.connectionID))
    }

    /// Whether an account has addresses, verified, to sign in with or to get messages at.
    static func holds(_ addresses: [String], _ account: Account) -> Bool {
        Set(account.provedAddresses.map(\.value)).isSuperset(of: addresses)
    }
}
