internal import KeyturnBase

extension BiometricMethods {
    /// Makes the signed-in person touch, and puts what that brings into their session.
    ///
    /// - Parameter before: The session's ID token.
    /// - Throws: `sign_in.different_person` if the key is another person's; the session stays as it was.
    func reauthenticate(
        _ options: SignInOptions, _ maxAgeSeconds: Int64, _ prompt: BiometricPrompt, _ before: IDToken
    ) async throws(AuthError) -> SignInResult {
        try await auth.keeper.checkStore()
        let signIn = BiometricSignIn(auth: auth, prompt: prompt, maxAgeSeconds: maxAgeSeconds)
        let (grant, idToken, _) = try await signIn.run(scope: options.scope)
        let old = await auth.keeper.machine.record
        let record: SessionRecord
        do throws(AuthError) {
            guard idToken.subject == before.subject else {
                throw AuthError(.differentPerson, "sub differs from the session's")
            }
            record = try await auth.keeper.strengthen(grant, idToken: idToken, isOfSession: false)
        } catch {
            await giveBack(grant, idToken, instead: old)
            throw error
        }
        // What the session was until now goes on at the service otherwise, unused.
        if let old, let was = old.idToken, grant.refreshToken != nil { await end(old, was, instead: idToken) }
        return try await auth.result(of: record, idToken: idToken, state: options.state, begins: false)
    }

    private func giveBack(_ grant: TokenGrant, _ idToken: IDToken, instead old: SessionRecord?) async {
        guard let old, let kept = old.idToken else { return }
        await end(old.renewed(by: grant, at: auth.ambient.now()), idToken, instead: kept)
    }

    /// Ends one of two sessions at the service, if that can be told, and if they are two: what they share would end
    /// both.
    private func end(_ record: SessionRecord, _ token: IDToken, instead kept: IDToken) async {
        guard let ended = token.sessionID ?? kept.sessionID, token.sessionID != kept.sessionID, !ended.isEmpty else {
            return
        }
        try? await auth.provider.revoke(record, timeoutSeconds: Limits.farewellSeconds)
    }
}
