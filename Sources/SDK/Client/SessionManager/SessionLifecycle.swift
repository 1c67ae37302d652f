public import KeyturnBase
internal import KeyturnWire

/// When a session is renewed, and by whom. Every requirement has a default; the defaults together are
/// ``StandardLifecycle``.
///
/// It is asked, and does nothing by itself. That one renewal runs for all who wait, that it is safe against crashes and
/// other processes, and that a late answer touches no other session, is seen to whatever the lifecycle is.
public protocol SessionLifecycle: Sendable {
    /// How often a manager looks whether its session must be renewed, in seconds; 0: only when a caller asks.
    var periodicRefreshSeconds: Int64 { get }

    /// Whether to renew now. Not asked about a session that nothing can renew.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - remainingSeconds: What is left of the access token by the clock that never goes back, never negative; `nil`:
    ///     unknown.
    func needsRefresh(_ session: ManagedSession, remainingSeconds: Int64?) -> Bool

    /// Renews, for apps whose tokens come another way than from the container's service.
    ///
    /// Everybody who needs a token waits for it, so it must come to an end, and must not ask its own container.
    ///
    /// - Returns: The new tokens; those that it does not name stay. `nil`: the container's service renews.
    /// - Throws: `session.ended` if the session is over for good. Anything else leaves it standing.
    func refresh(_ session: ManagedSession) async throws(AuthError) -> ManagedSession?
}

extension SessionLifecycle {
    /// 30.
    public var periodicRefreshSeconds: Int64 { StandardLifecycle.periodicRefreshSeconds }

    /// In the last minute.
    public func needsRefresh(_ session: ManagedSession, remainingSeconds: Int64?) -> Bool {
        StandardLifecycle().needsRefresh(session, remainingSeconds: remainingSeconds)
    }

    /// By the container's service.
    public func refresh(_ session: ManagedSession) async throws(AuthError) -> ManagedSession? { nil }
}

/// Renews a short while before the end, by the container's service.
public struct StandardLifecycle: SessionLifecycle {
    static let periodicRefreshSeconds: Int64 = 30

    /// With so much or less left an access token is renewed, in seconds. One that never had twice as much is renewed
    /// when half of it is over, or each call would renew it.
    public var refreshTriggerSeconds: Int64
    /// How often a manager looks, in seconds; 0: only when a caller asks.
    public var periodicRefreshSeconds: Int64

    /// - Parameters:
    ///   - refreshTriggerSeconds: 0…86 400.
    ///   - periodicRefreshSeconds: 0…86 400.
    public init(refreshTriggerSeconds: Int64 = 60, periodicRefreshSeconds: Int64 = 30) {
        self.refreshTriggerSeconds = refreshTriggerSeconds
        self.periodicRefreshSeconds = periodicRefreshSeconds
    }

    public func needsRefresh(_ session: ManagedSession, remainingSeconds: Int64?) -> Bool {
        guard let remainingSeconds else { return false }
        var trigger = min(max(0, refreshTriggerSeconds), Limits.minimumSecondsMax)
        if let expiresAt = session.expiresAt, let issuedAt = session.issuedAt {
            trigger = min(trigger, max(0, expiresAt.seconds(since: issuedAt)) / 2)
        }
        return remainingSeconds <= trigger
    }
}

/// A service whose renewals are a lifecycle's.
struct LifecycleRenewer: SessionRenewer {
    let lifecycle: any SessionLifecycle
    let service: any SessionRenewer
    let ambient: Ambient

    /// Nothing: the lifecycle may do without the service.
    func prepare(_ record: SessionRecord) async throws(AuthError) {}

    func renew(_ record: SessionRecord) async throws(AuthError) -> TokenGrant {
        let renewed: ManagedSession?
        do throws(AuthError) {
            renewed = try await lifecycle.refresh(ManagedSession(record))
        } catch {
            guard error.code == .sessionEnded else { throw error }
            let answer = AuthError.ServerAnswer(status: 400, code: OAuthProblem.Code.invalidGrant.rawValue)
            throw AuthError(.refused, "the lifecycle says that the session is over", cause: error, server: answer)
        }
        guard let renewed else { return try await service.renew(record) }
        guard renewed.isPresentable else { throw ManagedSession.unpresentable }
        let lifetime = renewed.expiresAt.map { $0.seconds(since: renewed.issuedAt ?? ambient.now()) }
        return TokenGrant(
            accessToken: renewed.accessToken,
            expiresInSeconds: lifetime.map { min(max(0, $0), Limits.tokenLifetimeMaxSeconds) },
            refreshToken: renewed.refreshToken, idToken: nil, scope: nil)
    }

    func verify(renewedIDToken compact: String, of record: SessionRecord) async throws(AuthError) -> IDToken {
        try await service.verify(renewedIDToken: compact, of: record)
    }

    func renewsIDToken(of record: SessionRecord) -> Bool { service.renewsIDToken(of: record) }

    func renewIDToken(of record: SessionRecord) async throws(AuthError) -> RenewedIDToken {
        try await service.renewIDToken(of: record)
    }

    func proofKey(of record: SessionRecord) async throws(AuthError) -> String? {
        try await service.proofKey(of: record)
    }

    func revoke(_ record: SessionRecord, timeoutSeconds: Int) async throws(AuthError) {
        try await service.revoke(record, timeoutSeconds: timeoutSeconds)
    }
}
