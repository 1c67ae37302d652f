internal import KeyturnBase

extension SessionKeeper {
    /// See ``Keyturn/logout(force:)``.
    func logout(force: Bool) async throws(AuthError) {
        timesGivenUp += 1
        guard force else {
            _ = try await run(SignOut()).get()
            abandonRenewal()
            publish()
            leaveVault()
            return
        }
        abandonRenewal()
        let failure = await run(ForcedSignOut())
        leaveVault()
        if let failure { throw failure }
    }
}
