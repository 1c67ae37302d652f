public import KeyturnBase
internal import KeyturnWire
public import Model
internal import OAuth

/// A sign-in that the user approves on another device, where they are signed in already. The browser that asks shows a
/// number, which the user types there; a wrong one refuses the request.
///
/// It proves that a live session of the user approved, and nothing more: the new session keeps the time at which that
/// session's user was authenticated, so that no chain of approvals is younger than its first sign-in. A session that was
/// opened by an approval cannot approve (``BackchannelAuthentications/isChained(_:)``).
public struct Approvals: Sendable {
    let core: VerificationCore
    let settings: ApprovalSettings?
    let project: Project
    let clients: ClientDirectory

    /// A request that waits.
    public struct Waiting: Sendable {
        /// With which the browser collects the result.
        public let reference: Secret
        /// Two digits, which the browser shows.
        public let number: String
    }

    /// Asks a user. The answer is the same if there is no such user, or they are not to see the request: it expires.
    ///
    /// - Parameters:
    ///   - loginID: as typed.
    ///   - clientID: to which client the sign-in leads.
    ///   - device: the browser that asks, such as “Firefox on Linux”.
    /// - Throws: ``MethodProblem/rateLimited(retryAfterSeconds:)``; ``MethodProblem/invalidArguments`` if the method is
    ///   not offered.
    public func ask(_ loginID: Identifier, clientID: String, device: String?, from address: NetworkAddress?)
        async throws -> Waiting
    {
        guard let settings else { throw MethodProblem.invalidArguments }
        let now = core.ambient.now()
        let keys = GuessingRules.Keys(identifier: loginID, address: address)
        // A network with an earlier sign-in has a limit of its own: strangers cannot use up the user's.
        let charges = [
            RateLimitCharge(
                "approval:\(keys.accountAndNetwork)", max: Limits.approvalsPerNameMax,
                windowSeconds: Limits.sendWindowSeconds),
            RateLimitCharge(
                "approval:\(keys.account)", max: Limits.approvalsPerNameMax, windowSeconds: Limits.sendWindowSeconds,
                unlessKnown: keys.accountAndNetwork),
            RateLimitCharge(
                "approval:\(keys.network)", max: Limits.approvalsPerNetworkMax, windowSeconds: Limits.sendWindowSeconds),
        ]
        if let refilledAt = try await core.stores.rateLimits.spend(charges, at: now) {
            throw MethodProblem.rateLimited(retryAfterSeconds: Int(max(1, refilledAt.seconds(since: now))))
        }
        let (account, hidden) = try await addressee(loginID, keys, at: now)
        let reference = core.digests.makeToken()
        let request = BackchannelAuthentication(
            id: SecretDigest(of: reference), clientID: clientID, userID: hidden == nil ? account?.user.id : nil,
            scope: Scope(names: [Scope.openID]), resources: [], needsSeveralFactors: false, keyThumbprint: nil,
            bindingMessage: nil, number: BackchannelAuthentications.number(core.ambient), network: address?.network,
            device: device, purpose: .session, createdAt: now, expiresAt: now + settings.seconds)
        let isShown = try await core.stores.backchannel.add(request, pendingMax: Limits.approvalsPendingMax)
        core.audit.record(
            AuditEvent(
                .backchannelAsked, at: now, userID: account?.user.id, clientID: clientID, address: address?.text,
                reason: isShown ? nil : hidden ?? "too_many_pending", target: "session"))
        if isShown, let account {
            await core.notices.send(
                .signInRequested(
                    SecurityNotice.SignInRequest(
                        clientName: clients.client(clientID)?.name ?? project.name, bindingMessage: nil,
                        name: request.name, expiresAt: request.expiresAt)), to: account,
                from: SessionOrigin(address: address?.text, device: device), at: now)
        } else {
            try await core.notices.decoy(at: now)
        }
        return Waiting(reference: reference, number: String(request.number))
    }

    /// The user who is asked, and why they are not to see the request; `nil`: they see it.
    private func addressee(_ loginID: Identifier, _ keys: GuessingRules.Keys, at now: UnixTime)
        async throws(StoreError) -> (account: Account?, hidden: String?)
    {
        guard let account = try await core.stores.users.account(loginID) else { return (nil, "unknown_user") }
        let user = account.user.id
        guard account.user.status == .active else { return (account, "inactive") }
        guard try await !core.stores.sessions.sessions(of: user, limit: 1, at: now).isEmpty else {
            return (account, "no_session")
        }
        let block = BackchannelAuthentications.approvalBlock(user, cost: 0)
        guard try await core.stores.rateLimits.spend([block], at: now) == nil else { return (account, "blocked") }
        let charge = RateLimitCharge(
            "approval:user:\(user.rawValue)", max: Limits.approvalsPerUserMax, windowSeconds: Limits.sendWindowSeconds,
            unlessKnown: keys.accountAndNetwork)
        guard try await core.stores.rateLimits.spend([charge], at: now) == nil else { return (account, "too_many") }
        return (account, nil)
    }

    /// Whether nothing was decided yet.
    public func isWaiting(_ reference: Secret) async throws(StoreError) -> Bool {
        guard MagicLinks.isPlausible(reference) else { return false }
        return try await core.stores.backchannel.approval(SecretDigest(of: reference), at: core.ambient.now())
            == .pending
    }

    /// What became of a request.
    public enum Outcome: Sendable {
        case pending
        /// Approved: handed out once.
        case approved(User, AuthenticationFacts)
        /// Refused, expired, or handed out before: the same for all, so that a page that asked in another's name does not
        /// learn whether its user exists.
        case over
    }

    /// Collects the result, once.
    ///
    /// - Parameter since: the approving session's user must have been authenticated at this time or later; `nil`: any.
    public func collect(_ reference: Secret, since: UnixTime?, from address: NetworkAddress?)
        async throws(StoreError) -> Outcome
    {
        guard MagicLinks.isPlausible(reference) else { return .over }
        let now = core.ambient.now()
        let answer = try await core.stores.backchannel.collectApproval(SecretDigest(of: reference), at: now)
        switch answer {
        case .pending: return .pending
        case .approved(let id, let authenticatedAt):
            guard let account = try await core.stores.users.account(id), account.user.status == .active,
                since.map({ authenticatedAt >= $0 }) ?? true
            else { return .over }
            core.audit.record(AuditEvent(.approvalCollected, at: now, userID: id, address: address?.text))
            let method = AuthenticationMethod.approval
            return .approved(
                account.user,
                AuthenticationFacts(time: authenticatedAt, methods: [method.word], contextClass: method.contextClass))
        case .denied, .expired, .unknown: return .over
        }
    }
}

extension Approvals: SignInMethod {
    public static let name = "approval"
    public static let proves: Set<AuthenticationMethod> = [.approval]
    public static let places: Set<SignInPlace> = [.first]
    public var isOffered: Bool { settings != nil }
}
