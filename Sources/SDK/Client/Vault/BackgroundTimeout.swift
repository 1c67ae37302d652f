internal import KeyturnBase

/// Locking after a time in the background.
extension Vault {
    /// Locks when the app comes back after more than `seconds` in the background, and calls `handler` then.
    ///
    /// Time is that of a clock which cannot be set and which counts sleep. Nothing happens while the app is away: the
    /// key is forgotten on return. Who is not signed in is left alone. A session that lives in memory alone is
    /// forgotten, too; one that is stored without a password stays. Takes the place of an earlier wish, and holds until
    /// ``disableBackgroundTimeout()`` or until the container is released.
    ///
    /// On Apple's systems the app has nothing else to do: it is away when it is in the background, on the Mac when it is
    /// hidden or the Mac sleeps. Elsewhere it says so: ``didEnterBackground()``, ``didBecomeActive()``. Saying it in
    /// addition does no harm.
    ///
    /// - Parameters:
    ///   - seconds: 0…604 800.
    ///   - handler: Called after the lock, on no particular thread.
    public func enableBackgroundTimeout(seconds: Int64, handler: @escaping @Sendable () async -> Void = {}) {
        enableBackgroundTimeout(seconds: seconds, handler: handler, notices: access.notices)
    }

    func enableBackgroundTimeout(
        seconds: Int64, handler: @escaping @Sendable () async -> Void, notices: any AppNotices
    ) {
        access.background.enable(seconds: min(max(0, seconds), Limits.backgroundSecondsMax), handler)
        access.background.listen(
            notices.listen { [self] notice in
                switch notice {
                case .away(let absence): access.background.enter(absence, at: access.ambient.uptime())
                case .back(let absence):
                    guard let handler = access.background.leave(absence, at: access.ambient.uptime()) else { return }
                    Task { await end(handler) }
                case .protectedDataAvailable: break
                }
            })
    }

    /// Locks no more by itself.
    public func disableBackgroundTimeout() {
        access.background.disable()
    }

    /// The app is in the background from now on.
    public func didEnterBackground() {
        access.background.enter(.background, at: access.ambient.uptime())
    }

    /// The app is in front again. Does what ``enableBackgroundTimeout(seconds:handler:)`` promised.
    public func didBecomeActive() async {
        guard let handler = access.background.leave(.background, at: access.ambient.uptime()) else { return }
        await end(handler)
    }

    private func end(_ handler: BackgroundWatch.Handler) async {
        let keeper = access.keeper
        if await keeper.opened != nil {
            try? await lock()
        } else if access.isPlainInMemory, await keeper.machine.record != nil {
            try? await keeper.forget()
        } else {
            return
        }
        await handler()
    }
}

/// How long the app has been away.
final class BackgroundWatch: Sendable {
    typealias Handler = @Sendable () async -> Void

    private struct State: Sendable {
        var seconds: Int64?
        var handler: Handler?
        /// Since when, in uptime seconds.
        var absences: [AppNotice.Absence: Int64] = [:]
        var registration: NoticeRegistration?
    }

    private let state = Locked(State())

    func enable(seconds: Int64, _ handler: @escaping Handler) {
        state.withLock { state in
            state.seconds = seconds
            state.handler = handler
        }
    }

    /// What hears of coming and going; `nil`: nothing does.
    func listen(_ registration: NoticeRegistration?) {
        // Ended outside of the lock.
        let before = state.withLock { state in
            defer { state.registration = registration }
            return state.registration
        }
        withExtendedLifetime(before) {}
    }

    func disable() {
        let before = state.withLock { state in
            defer { state = State() }
            return state.registration
        }
        withExtendedLifetime(before) {}
    }

    /// Told twice, it counts from the first time.
    func enter(_ absence: AppNotice.Absence, at uptime: Int64) {
        state.withLock { state in
            guard state.seconds != nil, state.absences[absence] == nil else { return }
            state.absences[absence] = uptime
        }
    }

    /// - Returns: what to call if it was too long. The mark is used up either way.
    func leave(_ absence: AppNotice.Absence, at uptime: Int64) -> Handler? {
        state.withLock { state in
            guard let since = state.absences.removeValue(forKey: absence), let seconds = state.seconds else {
                return nil
            }
            return uptime - since > seconds ? state.handler : nil
        }
    }
}
