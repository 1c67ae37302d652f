internal import KeyturnBase

/// Locking after a time in the background.
extension Vault {
    /// Locks when the app comes back after more than `seconds` in the background, and calls `handler` then.
    ///
    /// Time is that of a clock which cannot be set and which counts sleep. Nothing happens while the app is away: the
    /// key is forgotten on return. Who is not signed in is left alone. A session that lives in memory alone is
    /// forgotten, too; one that is stored without a password stays. Takes the place of an earlier wish, and holds until
    /// ``disableBackgroundTimeout()``.
    ///
    /// The app says when it goes and comes: ``didEnterBackground()``, ``didBecomeActive()``.
    ///
    /// - Parameters:
    ///   - seconds: 0…604 800.
    ///   - handler: Called after the lock, on no particular thread.
    public func enableBackgroundTimeout(seconds: Int64, handler: @escaping @Sendable () async -> Void = {}) {
        access.background.enable(seconds: min(max(0, seconds), Limits.backgroundSecondsMax), handler)
    }

    /// Locks no more by itself.
    public func disableBackgroundTimeout() {
        access.background.disable()
    }

    /// The app is in the background from now on.
    public func didEnterBackground() {
        access.background.enter(at: access.ambient.uptime())
    }

    /// The app is in front again. Does what ``enableBackgroundTimeout(seconds:handler:)`` promised.
    public func didBecomeActive() async {
        guard let handler = access.background.leave(at: access.ambient.uptime()) else { return }
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
        var enteredAt: Int64?
    }

    private let state = Locked(State())

    func enable(seconds: Int64, _ handler: @escaping Handler) {
        state.withLock { state in
            state.seconds = seconds
            state.handler = handler
        }
    }

    func disable() {
        state.withLock { $0 = State() }
    }

    func enter(at uptime: Int64) {
        state.withLock { state in
            guard state.seconds != nil else { return }
            state.enteredAt = uptime
        }
    }

    /// - Returns: what to call if it was too long. The mark is used up either way.
    func leave(at uptime: Int64) -> Handler? {
        state.withLock { state in
            guard let enteredAt = state.enteredAt, let seconds = state.seconds else { return nil }
            state.enteredAt = nil
            return uptime - enteredAt > seconds ? state.handler : nil
        }
    }
}
