public import KeyturnBase
public import KeyturnWire
public import Model

/// Introspection (RFC 7662) and revocation (RFC 7009).
public struct TokenInspector: Sendable {
    private let stores: Stores
    private let issuer: TokenIssuer
    private let accessTokens: AccessTokenReader
    private let clients: ClientDirectory
    private let permissions: CurrentPermissions
    private let notices: LogoutNotices
    private let audit: any AuditLog
    private let ambient: Ambient

    public init(
        stores: Stores, issuer: TokenIssuer, accessTokens: AccessTokenReader, clients: ClientDirectory,
        notices: LogoutNotices, audit: any AuditLog, ambient: Ambient
    ) {
        self.notices = notices
        self.clients = clients
        permissions = CurrentPermissions(project: issuer.project, clients: clients)
        self.stores = stores
        self.issuer = issuer
        self.accessTokens = accessTokens
        self.audit = audit
        self.ambient = ambient
    }

    /// The answer about a token. An inactive one has only `active`.
    public enum Answer: Hashable, Sendable {
        case inactive
        case accessToken(PresentedAccessToken)
        /// With the scope that it allows now.
        case refreshToken(Grant, Scope)
    }

    /// What a genuine access token allows now; `nil`: nothing. The operator may have changed its client or the project
    /// since.
    private func read(_ token: Secret, at now: UnixTime) -> PresentedAccessToken? {
        accessTokens.read(token, at: now).flatMap { try? permissions.current($0) }
    }

    /// One statement for a token of a grant or a user, none for garbage; one more for an exchanged token, and for each
    /// sign-in of an actor.
    public func introspect(_ token: Secret, by asking: AuthenticatedClient) async throws(StoreError) -> Answer {
        let client = asking.client
        let now = ambient.now()
        if accessTokens.read(token, at: now) != nil {
            guard let presented = read(token, at: now), mayKnow(presented, client) else { return .inactive }
            return try await isAlive(presented, at: now) ? .accessToken(presented) : .inactive
        }
        guard let refreshToken = issuer.refreshToken(presented: token, at: now)?.token(of: client),
            let live = try await stores.grants.live(refreshToken.grantID, at: now), live.grant.clientID == client.id,
            live.grant.counter == refreshToken.counter,
            let current = try? permissions.current(GrantedAccess(live.grant), of: client)
        else { return .inactive }
        return .refreshToken(live.grant, current.scope)
    }

    /// A user's access token for this server, and its grant; `nil` if it is not valid any more. Statements as for
    /// ``introspect(_:by:)``. A token restricted to objects must be refused here: the caller does so.
    public func personal(_ token: Secret) async throws(StoreError) -> (PresentedAccessToken, LiveGrant)? {
        let now = ambient.now()
        guard let presented = read(token, at: now), let grantID = presented.grantID,
            presented.audience.contains(issuer.project.issuer),
            let live = try await stores.grants.live(grantID, forTokenOf: presented.issuedAt, at: now),
            try await stands(presented, at: now)
        else { return nil }
        return (presented, live)
    }

    /// The client that a genuine access token was issued to, whether or not its session goes on; `nil` if it is not
    /// from this server, or too old. No statement.
    public func issued(_ token: Secret) -> Client? {
        accessTokens.read(token, at: ambient.now()).flatMap { clients.client($0.clientID) }
    }

    /// Any access token for this server; `nil` if it is not valid any more. As ``personal(_:)``, restricted ones
    /// included.
    public func accepted(_ token: Secret) async throws(StoreError) -> PresentedAccessToken? {
        let now = ambient.now()
        guard let presented = read(token, at: now), presented.audience.contains(issuer.project.issuer),
            try await isAlive(presented, at: now)
        else { return nil }
        return presented
    }

    /// A token to be exchanged, as it counts now; `nil` if it is not valid any more.
    ///
    /// - Throws: `invalid_scope` or `invalid_target` if nothing of it is allowed any more; ``StoreError``.
    func exchangeable(_ token: Secret, at now: UnixTime) async throws -> PresentedAccessToken? {
        guard let presented = accessTokens.read(token, at: now), try await isAlive(presented, at: now) else {
            return nil
        }
        return try permissions.current(presented)
    }

    /// Ends the token's grant, with everything that was issued for it, or the token (RFC 7009 §2.1). A token that is
    /// unknown, over, or another client's changes nothing.
    public func revoke(_ token: Secret, by client: Client) async throws(StoreError) {
        let now = ambient.now()
        if let refreshToken = issuer.refreshToken(presented: token, at: nil) {
            try await end(refreshToken.grantID, client: client, at: now)
        } else if let presented = accessTokens.read(token, at: now), presented.clientID == client.id {
            // Revoking an exchanged token ends only that token.
            if let grantID = presented.grantID, presented.ancestors.isEmpty {
                try await end(grantID, client: client, at: now)
            } else {
                try await stores.revokedTokens.revoke(tokenID: presented.tokenID, expiresAt: presented.expiresAt)
            }
        }
    }

    /// Ends the grant of a token that came without a client, or the token, if its client may do that. A token that is
    /// unknown or over changes nothing (RFC 7009 §2.2).
    ///
    /// - Throws: `invalid_client` if the client must be named: the token's own, or every one of this server.
    public func revoke(_ token: Secret) async throws {
        let unnamed = OAuthProblem(.invalidClient, "no client is named")
        guard clients.hasClient(of: .authgear) else { throw unnamed }
        let now = ambient.now()
        let owner: String?
        if let refreshToken = issuer.refreshToken(presented: token, at: nil) {
            owner = try await stores.grants.live(refreshToken.grantID, at: now)?.grant.clientID
        } else {
            owner = accessTokens.read(token, at: now)?.clientID
        }
        guard let client = owner.flatMap(clients.client) else { return }
        guard client.revokesByTokenAlone else { throw unnamed }
        try await revoke(token, by: client)
    }

    private func end(_ grantID: GrantID, client: Client, at now: UnixTime) async throws(StoreError) {
        // Read for the log alone: the statement that ends it decides.
        let grant = try await stores.grants.live(grantID, at: now)?.grant
        guard try await stores.grants.end(grantID, clientID: client.id, reason: .revoked, at: now) else { return }
        audit.record(
            AuditEvent(
                .grantEnded, at: now, userID: grant?.userID, clientID: client.id, sessionID: grant?.tokenSessionID,
                reason: Grant.EndReason.revoked.rawValue))
        notices.wake()
    }

    /// The client itself, and the token's audience; to any other client a token does not exist (§4).
    private func mayKnow(_ token: PresentedAccessToken, _ client: Client) -> Bool {
        token.clientID == client.id || token.audience.contains(client.id)
            || token.audience.contains(where: client.resources.contains)
    }

    /// One statement for a token of a grant or of a user, and one more for an exchanged one.
    ///
    /// A token without a grant depends on what the operator allows its client at this moment: to exist, to act in a
    /// tenant, to act for a user.
    private func isAlive(_ token: PresentedAccessToken, at now: UnixTime) async throws(StoreError) -> Bool {
        guard try await stands(token, at: now), let first = clients.client(token.firstClientID) else { return false }
        if let grantID = token.grantID {
            return try await stores.grants.isLive(grantID, forTokenOf: token.issuedAt, at: now)
        }
        if let tenant = token.tenantID { return first.mayActIn(tenant: tenant) }
        guard let epoch = token.userEpoch else { return true }
        guard let account = try await stores.users.account(UserID(rawValue: token.subject)) else { return false }
        // A user who was deleted and created again is another one.
        return account.user.status == .active && account.user.epoch == epoch
            && account.user.createdAt <= token.issuedAt && first.mayActFor(account)
    }

    /// Whether everything beside its own grant or user is valid: its clients, the tokens that it was made from, and the
    /// sign-ins of actors.
    private func stands(_ token: PresentedAccessToken, at now: UnixTime) async throws(StoreError) -> Bool {
        guard [token.clientID, token.firstClientID].allSatisfy({ isOfClient($0, token) }),
            try await isUnrevoked(token)
        else { return false }
        for grant in token.actorGrants {
            guard try await stores.grants.isLive(grant, forTokenOf: token.issuedAt, at: now) else { return false }
        }
        return true
    }

    /// Whether there is the client, and was when the token was issued: one that was removed and made again is another one.
    private func isOfClient(_ id: String, _ token: PresentedAccessToken) -> Bool {
        guard let client = clients.client(id) else { return false }
        return client.createdAt.map { $0 <= token.issuedAt } ?? true
    }

    /// A grant's own token ends with the grant, and has no entry of its own.
    private func isUnrevoked(_ token: PresentedAccessToken) async throws(StoreError) -> Bool {
        guard token.grantID == nil || !token.ancestors.isEmpty else { return true }
        return try await !stores.revokedTokens.isRevoked(anyOf: token.ancestors + [token.tokenID])
    }
}
