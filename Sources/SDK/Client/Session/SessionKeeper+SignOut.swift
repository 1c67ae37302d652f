internal import KeyturnBase

extension SessionKeeper {
    /// See ``Keyturn/logout(force:)``.
    func logout(force: Bool) async throws(AuthError) {
        timesGivenUp += 1
        guard force else {
            _ = try await run(SignOut()).get()
            abandonRenewal()
            publish()
            leaveSeparateStore()
            return
        }
        abandonRenewal()
        let failure = await run(ForcedSignOut())
        leaveSeparateStore()
        if let failure { throw failure }
    }

    /// Forgets the session on this machine, and tells no server.
    func forget() async throws(AuthError) {
        timesGivenUp += 1
        abandonRenewal()
        if let failure = await run(SessionForgetting()) { throw failure }
        leaveSeparateStore()
    }
}
