public import KeyturnBase
internal import KeyturnWire
public import Model
internal import OAuth

/// A sign-in that the user approves on another device, where they are signed in already. The browser that asks shows a
/// number, which the user types there; a wrong one refuses the request.
///
/// It proves that a live session of the user approved, and nothing more: the new session keeps the time at which that
/// session's user was authenticated, so that no chain of approvals is younger than its first sign-in. A session that was
/// opened by an approval cannot approve, nor change how its user signs in (``AuthenticationFacts/isOfApproval``).
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
        // The network first: what is refused to it costs the user nothing. A network with an earlier sign-in has a limit
        // of its own: strangers cannot use up the user's.
        let charges = [
            RateLimitCharge(
                "approval:\(keys.network)", max: Limits.approvalsPerNetworkMax, windowSeconds: Limits.sendWindowSeconds),
            RateLimitCharge(
                "approval:\(keys.accountAndNetwork)", max: Limits.approvalsPerNameMax,
                windowSeconds: Limits.sendWindowSeconds),
            RateLimitCharge(
                "approval:\(keys.account)", max: Limits.approvalsPerNameMax, windowSeconds: Limits.sendWindowSeconds,
                unlessKnown: keys.accountAndNetwork),
        ]
        if let refilledAt = try await core.stores.rateLimits.spend(charges, at: now) {
            throw MethodProblem.rateLimited(retryAfterSeconds: Int(max(1, refilledAt.seconds(since: now))))
        }
        let (account, user, hidden) = try await addressee(loginID, keys, at: now)
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
        let notice = SecurityNotice.SignInRequest(
            clientName: clients.client(clientID)?.name ?? project.name, bindingMessage: nil, name: request.name,
            expiresAt: request.expiresAt)
        await core.notices.signInRequested(
            notice, to: isShown ? account : nil, countedAs: user.rawValue,
            from: SessionOrigin(address: address?.text, device: device), at: now)
        return Waiting(reference: reference, number: String(request.number))
    }

    /// The user who is asked, and why they are not to see the request; `nil`: they see it. For an unknown user, with an
    /// identifier that stands for them, the work is the same: the time of the answer does not tell who exists.
    private func addressee(_ loginID: Identifier, _ keys: GuessingRules.Keys, at now: UnixTime)
        async throws(StoreError) -> (account: Account?, user: UserID, hidden: String?)
    {
        let account = try await core.stores.users.account(loginID)
        let user = account?.user.id ?? UserID(rawValue: "unknown:\(keys.account)")
        let hasSession = try await !core.stores.sessions.sessions(of: user, limit: 1, at: now).isEmpty
        let block = BackchannelAuthentications.approvalBlock(user.rawValue, cost: 0)
        let isBlocked = try await core.stores.rateLimits.spend([block], at: now) != nil
        let charge = RateLimitCharge(
            "approval:user:\(user.rawValue)", max: Limits.approvalsPerUserMax, windowSeconds: Limits.sendWindowSeconds,
            unlessKnown: keys.accountAndNetwork)
        let areTooMany = try await core.stores.rateLimits.spend([charge], at: now) != nil
        guard let account else { return (nil, user, "unknown_user") }
        guard account.user.status == .active else { return (account, user, "inactive") }
        guard hasSession else { return (account, user, "no_session") }
        return (account, user, isBlocked ? "blocked" : areTooMany ? "too_many" : nil)
    }

    /// Whether the page is to wait: a refusal looks like no answer, until the request expires.
    public func isWaiting(_ reference: Secret) async throws(StoreError) -> Bool {
        guard MagicLinks.isPlausible(reference) else { return false }
        let answer = try await core.stores.backchannel.approval(SecretDigest(of: reference), at: core.ambient.now())
        return [.pending, .denied].contains(answer)
    }

    /// What became of a request.
    public enum Outcome: Sendable {
        /// Not approved yet, or refused: a page that asked in another's name does not learn whether its user is there.
        case pending
        /// Approved: handed out once.
        case approved(User, AuthenticationFacts)
        /// Expired, or handed out before.
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
        var account: Account?
        if case .approved(let id, _, _) = answer { account = try await core.stores.users.account(id) }
        let outcome = Self.outcome(of: answer, account, since: since)
        if case .approved(let user, _) = outcome {
            core.audit.record(AuditEvent(.approvalCollected, at: now, userID: user.id, address: address?.text))
        }
        return outcome
    }

    /// - Parameter account: the account of an approval, read after it was collected.
    static func outcome(of answer: ApprovalAnswer, _ account: Account?, since: UnixTime?) -> Outcome {
        switch answer {
        case .pending, .denied: return .pending
        case .approved(_, let epoch, let authenticatedAt):
            // Since the collection, the user may have been signed out everywhere.
            guard let account, account.user.epoch == epoch, account.user.status == .active,
                since.map({ authenticatedAt >= $0 }) ?? true
            else { return .over }
            let method = AuthenticationMethod.approval
            return .approved(
                account.user,
                AuthenticationFacts(time: authenticatedAt, methods: [], contextClass: method.contextClass).letIn)
        case .expired, .unknown: return .over
        }
    }
}

extension Approvals: SignInMethod {
    public static let name = "approval"
    public static let proves: Set<AuthenticationMethod> = [.approval]
    public static let places: Set<SignInPlace> = [.first]
    public var isOffered: Bool { settings != nil }
}
