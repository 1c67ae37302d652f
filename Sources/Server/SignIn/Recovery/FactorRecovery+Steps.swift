internal import Authority
public import KeyturnBase
public import Model

/// The steps after both factors were used, to the end of a recovery.
extension FactorRecovery {
    /// Begins a recovery for a user who used both factors, or returns the one that is under way. The messages to every
    /// verified address are queued in the transaction that begins it.
    ///
    /// - Parameter account: as it was when the first factor was used.
    public func begin(_ account: Account, from origin: SessionOrigin) async throws(StoreError) -> RecoveryBeginning {
        guard let settings else { return .overtaken }
        let now = core.ambient.now()
        let user = account.user.id
        let recovery = Recovery(
            userID: user, begunAt: now, readyAt: now + settings.delaySeconds,
            expiresAt: now + settings.delaySeconds + Limits.recoveryOpenSeconds)
        let token = core.digests.makeToken()
        let cancel = Secret("\(core.targets.ownPages)/recovery/cancel?t=\(token.exposed())")
        let outcome = try await core.stores.recoveries.begin(
            recovery, epoch: account.user.epoch, cancelledBy: SecretDigest(of: token),
            charge: RateLimitCharge(
                "recovery:\(user.rawValue)", max: Limits.recoveriesMax, windowSeconds: Limits.recoveryWindowSeconds),
            notices: try sealed(.recoveryBegun(cancel: cancel, readyAt: recovery.readyAt), account, origin, at: now),
            event: AuditEvent(.recoveryBegun, at: now, userID: user, address: origin.address), at: now)
        if case .begun = outcome { messages.wake() }
        return outcome
    }

    /// The recovery of a user that is under way or ready.
    public func recovery(of user: UserID) async throws(StoreError) -> Recovery? {
        try await core.stores.recoveries.recovery(of: user, at: core.ambient.now())
    }

    /// Removes the second factors of a user who used both factors again, if the recovery is ready.
    ///
    /// - Returns: `false` if there is none any more, or it is not ready; nothing changes then.
    public func finish(_ account: Account, from origin: SessionOrigin) async throws(StoreError) -> Bool {
        let now = core.ambient.now()
        let isFinished = try await core.stores.recoveries.finish(
            by: try core.rulebook.permission(Acts.RemoveAuthenticator.self, to: .recovery, on: account.subject),
            epoch: account.user.epoch,
            notices: try sealed(.recoveryFinished, account, origin, at: now),
            event: AuditEvent(.recoveryFinished, at: now, userID: account.user.id, address: origin.address), at: now)
        if isFinished { messages.wake() }
        return isFinished
    }

    /// The recovery that the link of a message belongs to. Changes nothing.
    ///
    /// - Returns: `nil` for a link that is unknown, or whose recovery is over.
    public func describe(_ token: Secret) async throws(StoreError) -> RecoveryLink? {
        guard MagicLinks.isPlausible(token) else { return nil }
        return try await core.stores.recoveries.describe(SecretDigest(of: token), at: core.ambient.now())
    }

    /// Cancels the recovery of a link. No sign-in is needed for that.
    ///
    /// - Returns: whether this call cancelled it.
    public func cancel(_ token: Secret, from network: NetworkAddress?) async throws(StoreError) -> Bool {
        guard MagicLinks.isPlausible(token) else { return false }
        return try await core.stores.recoveries.cancel(
            SecretDigest(of: token), from: network?.text, at: core.ambient.now())
    }

    private func sealed(
        _ notice: SecurityNotice, _ account: Account, _ origin: SessionOrigin, at now: UnixTime
    ) throws(StoreError) -> [WaitingMessage] {
        var waiting: [WaitingMessage] = []
        for message in core.notices.messages(notice, to: account, from: origin, at: now) {
            waiting.append(try messages.sealed(message, at: now))
        }
        return waiting
    }
}

extension LinkTargets {
    /// Where this server's own pages begin, without a slash at the end.
    var ownPages: String { issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer }
}
