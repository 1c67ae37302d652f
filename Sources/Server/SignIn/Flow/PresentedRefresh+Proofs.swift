package import KeyturnWire
internal import Model

/// What sign-in methods require of a presented session.
extension PresentedRefresh {
    /// - Throws: ``MethodProblem/tokenRevoked`` for a token that was replaced long ago: it may not get anything new.
    func requireCurrent() throws(MethodProblem) {
        guard !isLate else { throw .tokenRevoked }
    }

    /// Only the user may sign in again or open settings: not an impersonator.
    ///
    /// - Throws: ``MethodProblem/invalidRequest`` for a session in which another user acts as its user;
    ///   ``MethodProblem/tokenRevoked`` as ``requireCurrent()`` does.
    package func requireOwner() throws(MethodProblem) {
        try requireCurrent()
        guard grant.sessionClaims.actor == nil else {
            throw .invalidRequest.saying("Whoever acts as another user cannot change how that user signs in")
        }
    }

    /// See ``AuthenticationFacts/holdsStrongFactor``.
    var holdsStrongFactor: Bool { grant.authentication.holdsStrongFactor }
}

extension AuthenticationFacts {
    /// Whether anything beside this method was used.
    func hasMore(than method: AuthenticationMethod) -> Bool {
        !Set(inMethods.methods).isSubset(of: [method.word])
    }

    /// What authorizes a password that is chosen after this sign-in.
    var passwordOrigin: PasswordChange.Origin {
        if holdsStrongFactor { return .strong }
        return methods.contains(AuthenticationMethod.password.word) ? .formerPassword : .address
    }
}
