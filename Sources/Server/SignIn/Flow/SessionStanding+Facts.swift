internal import Authority
internal import KeyturnBase
internal import KeyturnWire
internal import Model

extension SignInProgress.Proven {
    /// What the sign-in that is under way is worth to its own user; `nil`: it is another user's. What was shown was shown a
    /// moment ago.
    func standing(of account: Account) -> SessionStanding? {
        userID == account.user.id.rawValue ? facts.standing(.page, at: at) : nil
    }
}

extension PresentedRefresh {
    /// What the session is worth to the rulebook. A session that is bound to a key is an app's: nobody shows its token
    /// without the device.
    func standing(at now: UnixTime) -> SessionStanding {
        grant.authentication.standing(
            grant.keyThumbprint == nil ? .wire : .app, at: now,
            isImpersonated: grant.sessionClaims.actor != nil)
    }

    /// What the session may do to its own user, for the store that does it.
    ///
    /// - Parameter begunAt: when the act began, for one of two calls: the sign-in was recent then.
    /// - Throws: as ``require(_:_:showing:at:)``.
    func permit<A: SingleAct>(
        _ act: A.Type, _ rulebook: Rulebook, showing evidence: Evidence = .none, at begunAt: UnixTime
    ) throws(MethodProblem) -> Allowed<A> {
        try requireCurrent()
        do throws(Denial) {
            return try rulebook.permit(
                act, to: .session(standing(at: begunAt)), on: account.subject, showing: evidence)
        } catch {
            throw MethodProblem(error)
        }
    }

    /// Checks what the session may do to its own user.
    ///
    /// - Parameter begunAt: when the act began, for one of two calls: the sign-in was recent then.
    /// - Throws: ``MethodProblem/tokenRevoked`` for a token that was replaced long ago; the rulebook's denial.
    func require(
        _ act: Act, _ rulebook: Rulebook, showing evidence: Evidence = .none, at begunAt: UnixTime
    ) throws(MethodProblem) {
        try requireCurrent()
        do throws(Denial) {
            try rulebook.require(
                act, to: .session(standing(at: begunAt)), on: account.subject, showing: evidence)
        } catch {
            throw MethodProblem(error)
        }
    }
}
