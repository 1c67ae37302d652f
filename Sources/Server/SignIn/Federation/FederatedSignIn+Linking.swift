internal import Authority
internal import KeyturnBase
public import Model

/// Linking by the user's own act: in the settings, or by signing in after the provider's word was not enough.
extension FederatedSignIn {
    /// Keeps an identity until the user has signed in another way.
    ///
    /// - Parameter browser: the digest of the browser's mark: another browser cannot finish it.
    /// - Returns: the handle to finish with.
    public func keepPending(_ profile: FederatedProfile, at connection: Connection, browser: String)
        async throws(StoreError) -> String
    {
        let handle = states.makeHandle()
        try await states.keep(
            FederationState(
                connectionID: connection.id, purpose: .pending(FederatedProfileRecord(profile, at: connection.id)),
                browser: browser, protocolState: "", startedAt: ambient.now()),
            under: handle, seconds: Limits.pendingIdentitySeconds)
        return handle
    }

    /// Links the identity that waits under a handle to the user who has just signed in.
    ///
    /// - Parameters:
    ///   - connection: finds the connection, if it is still there.
    ///   - browser: the digest of the browser's mark.
    ///   - facts: how the user was verified: with the account's strong factor, if it has one.
    /// - Returns: whether the user has the identity now.
    @discardableResult
    public func finishPending(
        _ handle: String, to user: UserID, by facts: AuthenticationFacts, in browser: String,
        connection: (String) -> Connection?, from address: NetworkAddress?
    ) async throws(StoreError) -> Bool {
        guard let state = try await states.peek(handle), state.browser == browser,
            case .pending(let record) = state.purpose,
            let connection = connection(state.connectionID), connection.isEnabled,
            let account = try await stores.users.account(user)
        else { return false }
        let caller = Caller.session(
            facts.standing(.page, at: ambient.now()))
        guard signUp.rulebook.allows(.linkIdentity, to: caller, on: account.subject),
            try await states.take(handle) != nil
        else { return false }
        let linking = try await add(
            identity(of: account, record.profile, connection, isByOwner: true), to: account, by: caller, from: address)
        guard [.linked, .present].contains(linking) else { return false }
        try await appliedRoles(record.profile, connection, to: account)
        return true
    }

    /// Links an identity to the signed-in owner of an account, who asked for it in the settings.
    public func link(_ profile: FederatedProfile, at connection: Connection, to owner: AccountOwner)
        async throws(StoreError) -> IdentityLinking
    {
        try await add(
            identity(of: owner.account, profile, connection, isByOwner: true), to: owner.account,
            by: .session(owner.standing(at: ambient.now())), from: owner.address)
    }

    /// Removes an identity of the signed-in owner.
    ///
    /// - Parameter ways: one of them stays open.
    public func unlink(
        _ key: FederatedIdentity.Key, of owner: AccountOwner, leaving ways: SignInWays
    ) async throws(StoreError) -> IdentityUnlinking {
        let now = ambient.now()
        let allowed = try signUp.rulebook.permission(
            Acts.UnlinkIdentity.self, to: .session(owner.standing(at: now)), on: owner.account.subject)
        let result = try await stores.identities.unlink(key, by: allowed, leaving: ways, at: now)
        guard result == .unlinked else { return result }
        audit.record(
            AuditEvent(
                .identityUnlinked, at: now, userID: owner.userID, address: owner.address?.text,
                target: key.connectionID))
        await notices.send(.identityUnlinked, to: owner.account, from: owner.origin, at: now)
        return result
    }
}
