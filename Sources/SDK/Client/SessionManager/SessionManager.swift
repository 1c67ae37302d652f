public import KeyturnBase

extension Keyturn {
    /// The manager of this container's session: for apps that keep it in mind as a value, ask for it without waiting,
    /// and let it be renewed in the background.
    ///
    /// Made at the first use and the same ever after. It works on the very session that
    /// ``accessToken(minimumSeconds:)`` and ``fetch(_:)`` use; both ways may be mixed.
    public var sessionManager: SessionManager {
        if let made = managed.withLock({ $0 }) { return made }
        let new = SessionManager(self)
        return managed.withLock { made in
            // Another task may have been first.
            let manager = made ?? new
            made = manager
            return manager
        }
    }
}

/// Keeps a session at hand, stored and renewed.
///
/// ```swift
/// let manager = auth.sessionManager
/// manager.manageSession(session)
/// try await request.setAuthorizationHTTPHeaderField(from: manager)
/// ```
///
/// Safe to use from anywhere. What is asked for is done in the order in which it was asked; ``session`` shows it at
/// once. Nothing here keeps the manager alive: it goes with its container, and its periodic refresh goes with it.
public final class SessionManager: Sendable {
    /// What was asked for and is not done yet.
    struct Intents: Sendable {
        var open: [(id: Int, session: ManagedSession?)] = []
        var next = 0
    }

    let keeper: SessionKeeper
    let provider: OpenIDProvider
    let periodic: PeriodicRefresh
    let tasks: SessionTaskQueue
    let intents = Locked(Intents())
    let policy: Locked<any SessionLifecycle>
    let delegates = Locked(WeakDelegates())
    /// The refresh token that was refused for good.
    let refused = Locked<String?>(nil)
    let bell: AsyncStream<SessionSnapshot.Notice>.Continuation

    /// A manager of a container's session; ``Keyturn/sessionManager`` is the usual one.
    ///
    /// - Parameters:
    ///   - container: Whose session it is. Managers of one container share it.
    ///   - lifecycle: When and how the session is renewed.
    ///   - sleep: Waits so many seconds, and throws when the task is cancelled.
    public init(
        _ container: Keyturn, lifecycle: any SessionLifecycle = StandardLifecycle(),
        sleep: @escaping @Sendable (_ seconds: Int64) async throws -> Void = {
            try await Task.sleep(for: .seconds($0))
        }
    ) {
        keeper = container.keeper
        provider = container.provider
        periodic = PeriodicRefresh(sleep)
        tasks = SessionTaskQueue(container.keeper)
        policy = Locked(lifecycle)
        let (notices, bell) = AsyncStream.makeStream(
            of: SessionSnapshot.Notice.self, bufferingPolicy: .bufferingNewest(Limits.changesBuffered))
        self.bell = bell
        keeper.lookNow()
        keeper.snapshot.watch(bell)
        // Unstructured on purpose: it serves no call. It keeps nothing alive, and ends with the manager.
        Task { [weak self] in
            for await notice in notices { await self?.pass(on: notice) }
        }
        if !(lifecycle is StandardLifecycle) { tasks.add { await $0.follow(lifecycle) } }
        tasks.add { [weak self] keeper in
            _ = try? await keeper.start()
            self?.adjustPeriodicRefresh()
        }
    }

    deinit {
        bell.finish()
    }

    /// The session at hand; `nil` if there is none. What other processes did to it shows after the next call that
    /// renews, or the next look of the periodic refresh.
    ///
    /// Right from the start it is what an earlier run stored, where the store can be read without waiting
    /// (``ImmediateStore``), as all of this library's can. `nil` before ``isLoaded`` does not mean signed out: with
    /// another store, or one that is locked or slow, ``loadSession()`` waits for it and says.
    public var session: ManagedSession? {
        if let intent = intents.withLock({ $0.open.last }) { return intent.session }
        return keeper.snapshot.session
    }

    /// Whether ``session`` is the answer: there is one, or it is known that none is stored. While `false`, show neither
    /// the sign-in page nor the app, and wait for ``loadSession()``.
    public var isLoaded: Bool {
        if intents.withLock({ !$0.open.isEmpty }) { return true }
        return keeper.snapshot.isKnown || keeper.snapshot.session != nil
    }

    /// When and how the session is renewed. Another one counts from the next renewal on.
    public var lifecycle: any SessionLifecycle {
        get { policy.withLock { $0 } }
        set {
            policy.withLock { $0 = newValue }
            tasks.add { await $0.follow(newValue) }
            adjustPeriodicRefresh()
        }
    }

    /// Waits until it is known what is stored, and returns that.
    ///
    /// - Throws: `store.unavailable` if the store cannot be read now. The user has not been signed out, and the next
    ///   call tries again.
    @discardableResult
    public func loadSession() async throws(AuthError) -> ManagedSession? {
        await tasks.finish()
        _ = try await keeper.start()
        return session
    }

    /// Tells `delegate` what becomes of the session, from the next change on. Does not keep it alive.
    public func addDelegate(_ delegate: any SessionManagerDelegate) {
        delegates.withLock { $0.add(delegate) }
    }

    /// Tells `delegate` nothing more.
    public func removeDelegate(_ delegate: any SessionManagerDelegate) {
        delegates.withLock { $0.remove(delegate) }
    }
}

extension SessionManager {
    /// Tells the delegates what has happened.
    private func pass(on notice: SessionSnapshot.Notice) async {
        adjustPeriodicRefresh()
        for delegate in delegates.withLock({ $0.all }) {
            switch notice {
            case .failed(let error): await delegate.sessionManagerDidFail(self, error: error)
            case .changed(let before?, let after?, _):
                if before.accessToken != after.accessToken || before.refreshToken != after.refreshToken {
                    await delegate.sessionManagerDidUpdateTokens(self, session: after)
                }
                if before.userClaims != after.userClaims {
                    await delegate.sessionManagerDidUpdateUser(self, session: after)
                }
            case .changed(_, nil, let end?): await delegate.sessionManagerDidFail(self, error: end)
            case .changed: break
            }
        }
    }
}
