internal import KeyturnBase

extension SessionKeeper {
    /// See ``Keyturn/logout(force:)``.
    func logout(force: Bool) async throws(AuthError) {
        timesGivenUp += 1
        guard force else {
            try await retireTakeover(force: false)
            _ = try await run(SignOut()).get()
            await endTakeover()
            await forgetEnd()
            abandonRenewal()
            publish()
            leaveSeparateStore()
            return
        }
        try await giveUp(ForcedSignOut())
    }

    /// Forgets the session on this machine, and tells no server.
    func forget() async throws(AuthError) {
        timesGivenUp += 1
        try await giveUp(SessionForgetting())
    }

    /// Runs a procedure that gives the session up in any case.
    private func giveUp<Procedure: SessionProcedure>(
        _ procedure: Procedure
    ) async throws(AuthError) where Procedure.Outcome == AuthError? {
        var failure: AuthError?
        do throws(AuthError) {
            try await retireTakeover(force: true)
        } catch {
            failure = error
        }
        abandonRenewal()
        failure = await run(procedure) ?? failure
        await endTakeover()
        await forgetEnd()
        leaveSeparateStore()
        if let failure { throw failure }
    }
}
