public import KeyturnBase

extension Keyturn {
    /// Signs out: revokes the session at the service and removes it from this machine.
    ///
    /// - Parameter force: `false`: if the service cannot be reached, throws and changes nothing. `true`: removes the
    ///   local session first and at once, then tells the service if it can be reached.
    /// - Throws: `transport.unavailable` and `server.refused` unless forced; `store.unavailable` if the stored
    ///   session could not be removed. Signing out when no user is signed in is no error.
    public func logout(force: Bool = false) async throws(AuthError) {
        let separateStore = await keeper.separateStore
        try await keeper.logout(force: force)
        try await separateStore?.signedOut()
    }
}
