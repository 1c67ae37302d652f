internal import Authority
internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// Two accounts of one user become one.
extension VerificationCompletion {
    /// Who asks for a merge. The session is of the one account, and stands for neither the second factor nor the console
    /// role of the other.
    private func mergingCaller(_ facts: VerificationFacts) async throws -> Caller {
        guard let presented = try await presentedSession(facts) else { throw MethodProblem.tokenRevoked }
        return .session(presented.standing(at: presented.grant.authentication.time))
    }

    /// - Throws: ``MethodProblem/userExists`` for any denial: an account that may not be merged is, to this caller, one
    ///   that exists, and nothing is told about it.
    private func mergePermission<A: SingleAct>(
        _ act: A.Type, _ caller: Caller, _ account: Account
    ) throws(MethodProblem) -> Allowed<A> {
        do throws(Denial) {
            return try rulebook.permit(act, to: caller, on: account.subject, showing: .addressProof)
        } catch {
            throw .userExists
        }
    }

    /// Merges two users of the same person: one has a session, the other one has the address.
    ///
    /// - Throws: ``MethodProblem/userExists`` if one of the two has a password, a factor or a role that neither the session
    ///   nor the address replaces.
    func merge(
        _ account: Account, _ other: Account, _ address: Identifier, _ facts: VerificationFacts, byLink: Bool
    ) async throws -> Account {
        let now = ambient.now()
        let caller = try await mergingCaller(facts)
        let asks = try mergePermission(Acts.MergeAccounts.self, caller, account)
        let isTrusted = other.identifiers[address] == .verified
        // What there is beside an address that is only claimed goes with the claim.
        var given = other.standing
        if !isTrusted { (given.hasPassword, given.wasDisputed) = (false, false) }
        guard rulebook.allows(.giveUpAccount, to: caller, on: .user(given), showing: .addressProof) else {
            throw MethodProblem.userExists
        }
        if facts.mergesIntoExisting,
            !rulebook.allows(.mergeIntoExisting, to: caller, on: other.subject, showing: .addressProof)
        {
            throw MethodProblem.userExists
        }
        // A click is not enough to give an account away: the user of both enters the code in the session of the one.
        guard !isTrusted || !byLink else { throw MethodProblem.userExists }
        // A disabled user does not come back by merging, nor do their rights.
        guard account.user.status == .active, [.active, .invited].contains(other.user.status) else {
            throw MethodProblem.userExists
        }
        if !isTrusted {
            try await stores.passwords.void(
                by: try rulebook.permission(
                    Acts.VoidCredentials.self, to: .anonymous, on: other.subject, showing: .addressProof),
                keeping: nil, at: now)
        }
        // As it is without what a stranger had set up.
        let rest = isTrusted ? other : try await stores.users.account(other.user.id)
        guard let rest else { throw MethodProblem.userExists }
        let gives = try mergePermission(Acts.GiveUpAccount.self, caller, rest)
        let merged: Account
        do {
            merged = try await stores.users.merge(
                by: asks, with: gives, proved: address, keeping: facts.mergesIntoExisting ? .existing : .asking,
                at: now)
        } catch {
            throw error.code == .conflict ? MethodProblem.userExists : error
        }
        // Both accounts' mailboxes: the user of either may not be the one who asked.
        for former in [account, other] {
            await notices.send(
                .accountsMerged, to: former, from: SessionOrigin(address: nil, device: facts.device), at: now)
        }
        return merged
    }
}
