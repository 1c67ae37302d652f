public import KeyturnBase

extension Keyturn {
    /// The session of the signed-in user, or else that of a sign-in with the browser: for an app's first line.
    ///
    /// Loads what is stored, and opens no page for a user who is signed in, also while the network is down. A session
    /// that has run out and cannot be renewed is none. Nor is one that the service renews only after the user was at
    /// its page (``SessionState/Freshness/interactionRequired``), or one that can never be read again
    /// (`store.key_lost`). What is stored stays until the sign-in has replaced it. Calls at a time open one page each;
    /// make one.
    ///
    /// - Parameter options: For the sign-in, if there is one.
    /// - Throws: `store.unavailable` if it cannot be known whether a user is signed in: no page is opened then, and the
    ///   next call tries again; `vault.locked` if sessions lie in the ``vault`` and none is unlocked: unlock one, or
    ///   call ``authorize(_:)`` for another user; otherwise as ``authorize(_:)``.
    @discardableResult
    public func authorizeIfNeeded(_ options: SignInOptions) async throws(AuthError) -> ManagedSession {
        if let session = try await usableSession() { return session }
        guard try await !isUnderPassword() else {
            throw AuthError(.vaultLocked, "sessions are kept under a password: unlock one, or sign in another user")
        }
        try await authorize(options)
        guard let session = try await keeper.currentSession() else {
            throw AuthError(.signedOut, "the session was given up while it began")
        }
        return session
    }

    /// ``authorizeIfNeeded(_:)`` with nothing but a redirect address.
    ///
    /// - Parameter redirectURI: See ``SignInOptions/redirectURI``.
    /// - Throws: as ``authorizeIfNeeded(_:)``.
    @discardableResult
    public func authorizeIfNeeded(redirectURI: String) async throws(AuthError) -> ManagedSession {
        try await authorizeIfNeeded(SignInOptions(redirectURI: redirectURI))
    }

    private func usableSession() async throws(AuthError) -> ManagedSession? {
        do throws(AuthError) {
            return try await keeper.goodSession(at: provider.clock.now())
        } catch {
            guard error.code == .storeKeyLost else { throw error }
            return nil
        }
    }

    private func isUnderPassword() async throws(AuthError) -> Bool {
        do throws(AuthError) {
            return try await !vaultAccess.records.users().isEmpty
        } catch {
            guard error.code == .storeKeyLost else { throw error }
            return false
        }
    }
}

extension SessionKeeper {
    /// What there is, read from the store if need be.
    func currentSession() async throws(AuthError) -> ManagedSession? {
        _ = try await start()
        return machine.record.map { ManagedSession($0) }
    }

    /// The session, if its access token is good or could be renewed without the user.
    ///
    /// - Parameter now: By the service's clock.
    func goodSession(at now: UnixTime) async throws(AuthError) -> ManagedSession? {
        guard let session = try await currentSession(), machine.record?.needsInteraction == false else { return nil }
        // A lifecycle of the app's own renews in its own way.
        return isUsable || session.isRenewable(at: now) || renewer is LifecycleRenewer ? session : nil
    }
}
