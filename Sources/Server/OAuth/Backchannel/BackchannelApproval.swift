internal import Authority
internal import KeyturnBase
internal import KeyturnWire
public import Model

/// A user's decisions about requests from other devices, in the settings.
extension BackchannelAuthentications {
    /// The requests that wait for a user.
    public func waiting(for user: UserID) async throws(StoreError) -> [WaitingApproval] {
        let requests = try await stores.backchannel.waiting(
            for: user, limit: Limits.approvalsShownMax, at: ambient.now())
        return requests.compactMap { request in
            let client = clients.client(request.clientID)
            // A sign-in to this server's own pages has no client.
            guard client != nil || request.purpose == .session else { return nil }
            return WaitingApproval(
                request: request, client: client, name: client?.name ?? project.name,
                resources: project.othersResources(request.resources))
        }
    }

    /// One request that waits for a user; `nil`: none of the user's waits with this identifier.
    public func waiting(_ id: String, for user: UserID) async throws(StoreError) -> WaitingApproval? {
        try await waiting(for: user).first { $0.request.name == id }
    }

    /// Whether the user must show more before they can allow a request: the factors that it wants, and what the rulebook
    /// asks for.
    public func needsFactor(_ request: BackchannelAuthentication, _ approver: Approver) async throws(StoreError) -> Bool
    {
        let facts = approver.authentication
        guard !request.needsSeveralFactors || facts.methods.contains(AuthenticationMethod.severalFactors),
            let account = try await stores.users.account(approver.userID)
        else { return true }
        guard try await reuse.missing(account.user.id, facts) == nil else { return true }
        let standing = facts.standing(approver.grantID == nil ? .page : .app, at: ambient.now())
        return !project.rulebook.allows(.approveSignIn, to: .session(standing), on: account.subject)
    }

    /// The user allows a request: the client gets tokens at its next poll. A wrong number denies it.
    ///
    /// - Parameters:
    ///   - number: as the user read it on the other device.
    ///   - shown: the claims that the page named; `nil`: those of the request.
    /// - Throws: `forbidden` where ``needsFactor(_:_:)``.
    public func allow(
        _ waiting: WaitingApproval, number: Int64, shown: Set<String>? = nil, by approver: Approver,
        from address: NetworkAddress?
    ) async throws(StoreError) -> BackchannelDecision {
        let (request, client, now) = (waiting.request, waiting.client, ambient.now())
        guard try await !needsFactor(request, approver) else { throw StoreError(.forbidden) }
        guard request.purpose == .tokens else {
            let decision = try await stores.backchannel.approve(request.id, number: number, by: approver, at: now)
            record(decision, request, approver, address)
            return decision
        }
        let grant = Grant(
            id: .make(ambient), clientID: request.clientID, userID: approver.userID, sessionID: approver.sessionID,
            scope: request.scope, resources: request.resources, authentication: approver.authentication.onOtherDevice,
            nonce: nil, claimsRequest: nil, createdAt: now, idleExpiresAt: now + Limits.deviceCodeSeconds,
            absoluteExpiresAt: now + project.absoluteSeconds)
        let decision = try await stores.backchannel.allow(request.id, number: number, grant, by: approver, at: now)
        record(decision, request, approver, address)
        pings.wake()
        if decision == .made, let client, !client.isFirstParty {
            try await stores.consents.remember(
                Consent(
                    scope: request.scope, claims: shown.map(waiting.claims.intersection) ?? waiting.claims,
                    resources: waiting.resources),
                redirectURI: nil, of: approver.userID,
                to: client.id, at: now)
            record(.consentGiven, request, approver, nil, nil)
        }
        return decision
    }

    /// The user denies a request.
    ///
    /// - Parameter isUnknown: the user did not begin it. All requests of the client, or of all sign-in pages, that wait are
    ///   denied, and further ones are not shown to the user for ``Limits/backchannelBlockSeconds``.
    public func deny(
        _ request: BackchannelAuthentication, isUnknown: Bool, by approver: Approver, from address: NetworkAddress?
    ) async throws(StoreError) -> BackchannelDecision {
        let now = ambient.now()
        if isUnknown {
            let block =
                request.purpose == .tokens
                ? Self.block(request.clientID, approver.userID.rawValue)
                : Self.approvalBlock(approver.userID.rawValue)
            _ = try await stores.rateLimits.spend([block], at: now)
        }
        let decision = try await stores.backchannel.deny(
            request.id, of: approver.userID, withOthers: isUnknown, at: now)
        pings.wake()
        if decision == .made {
            record(.backchannelDenied, request, approver, address, isUnknown ? "not_begun_by_user" : nil)
        }
        return decision
    }

    private func record(
        _ decision: BackchannelDecision, _ request: BackchannelAuthentication, _ approver: Approver,
        _ address: NetworkAddress?
    ) {
        switch decision {
        case .made: record(.backchannelAllowed, request, approver, address, nil)
        case .wrongNumber: record(.backchannelDenied, request, approver, address, "wrong_number")
        case .tooLate, .signedOut: return
        }
    }

    private func record(
        _ kind: AuditEvent.Kind, _ request: BackchannelAuthentication, _ approver: Approver,
        _ address: NetworkAddress?, _ reason: String?
    ) {
        audit.record(
            AuditEvent(
                kind, at: ambient.now(), userID: approver.userID, clientID: request.clientID,
                sessionID: approver.sessionID, address: address?.text, reason: reason))
    }
}

/// A request that waits for a user's approval.
public struct WaitingApproval: Sendable {
    public let request: BackchannelAuthentication
    /// `nil`: a sign-in to this server's own pages.
    public let client: Client?
    /// What the request is called on pages.
    public let name: String
    /// The services that the client's tokens would be for, beside this server.
    public let resources: Set<String>

    /// Claims that the client would hear by name, beside those of the scope.
    public var claims: Set<String> {
        guard let client, !client.isFirstParty, request.purpose == .tokens else { return [] }
        return ClaimRules(client: client).toConsent(nil, scope: request.scope)
    }
}

extension BackchannelAuthentication {
    /// Its name in a form of the user it waits for. It is a digest: the client's identifier cannot be computed from it.
    public var name: String { Base64URL.encode(id.bytes) }
}
