public import KeyturnBase

extension Keyturn {
    /// Signs out: revokes the session at the service and removes it from this machine, with the key that it was bound
    /// to unless other sessions of this container need that. The key of a user without an account goes with it
    /// (``AnonymousMethods``).
    ///
    /// - Parameter force: `false`: if the service cannot be reached, throws and changes nothing. `true`: removes the
    ///   local session first and at once, then tells the service if it can be reached.
    /// - Throws: `transport.unavailable` and `server.refused` unless forced; `store.unavailable` if the stored
    ///   session could not be removed. Signing out when no user is signed in is no error.
    public func logout(force: Bool = false) async throws(AuthError) {
        let separateStore = await keeper.separateStore
        var endsSession = force || separateStore != nil
        if !endsSession, let keyRelease { endsSession = await keyRelease.hasSession() }
        try await keeper.logout(force: force)
        try await separateStore?.signedOut()
        if endsSession { await keyRelease?.run() }
        await afterSignOut()
    }
}
