public import KeyturnBase

/// Renewing.
extension SessionManager {
    /// Renews the session if it is time to: by default with 60 seconds or less left. Does nothing if there is nothing
    /// to renew: no session, no refresh token, or one that has run out itself.
    ///
    /// However many callers, managers and processes ask, one of them renews.
    ///
    /// - Returns: Whether ``session`` has other tokens now.
    /// - Throws: `transport.unavailable`, `store.unavailable`, `protocol.violation`, `server.refused` and
    ///   `sign_in.interaction_required` leave the session as it was; `session.ended` if the service has ended it;
    ///   `sign_in.cancelled`, caused by a `CancellationError`, if the calling task is cancelled.
    @discardableResult
    public func refreshSessionIfNeeded() async throws(AuthError) -> Bool {
        await tasks.finish()
        return try await keeper.renewIfNeeded(lifecycle, at: provider.clock.now())
    }

    /// The header fields that present the session with one request, renewed first if it is time to; none if there is
    /// no session.
    func authorization(method: String, url: String) async throws(AuthError) -> [(name: String, value: String)] {
        do throws(AuthError) {
            try await refreshSessionIfNeeded()
        } catch {
            // What was renewed early still serves.
            guard !error.isTaskCancelled, await keeper.isUsable else { throw error }
        }
        guard let session else { return [] }
        let thumbprint = try await keeper.keyThumbprint(of: session.accessToken)
        return try await provider.authorization(session.accessToken, boundTo: thumbprint, method: method, url: url)
    }

    /// Starts or ends the periodic refresh, as the session is now.
    func adjustPeriodicRefresh() {
        periodic.adjust {
            isPeriodicRefreshOfUse ? min(max(0, lifecycle.periodicRefreshSeconds), Limits.periodicSecondsMax) : 0
        } look: { [weak self] in
            await self?.lookAfterSession() ?? false
        } ended: { [weak self] in
            self?.adjustPeriodicRefresh()
        }
    }

    /// Also while the store cannot be read: there may be a session in it.
    private var isPeriodicRefreshOfUse: Bool {
        guard let session = keeper.snapshot.session else { return !keeper.snapshot.isKnown }
        return session.isRenewable(at: provider.clock.now()) && refused.withLock { $0 } != session.refreshToken
    }

    private func lookAfterSession() async -> Bool {
        guard isPeriodicRefreshOfUse else { return false }
        let asked = keeper.snapshot.session?.refreshToken
        do throws(AuthError) {
            try await refreshSessionIfNeeded()
        } catch {
            guard error.isDefinite else { return true }
            refused.withLock { $0 = asked }
            return false
        }
        return isPeriodicRefreshOfUse
    }
}

extension AuthError {
    /// Whether asking again brings the same answer, until something else changes.
    fileprivate var isDefinite: Bool {
        switch code {
        case .refused, .interactionRequired, .sessionEnded, .deviceKeyLost, .unsupported, .misconfigured: true
        default: false
        }
    }
}
