internal import KeyturnWire
internal import Model

/// What methods of proof ask of a session that is presented.
extension PresentedRefresh {
    /// - Throws: ``MethodProblem/tokenRevoked`` for a token that was replaced long ago: it gives nothing new.
    func requireCurrent() throws(MethodProblem) {
        guard !isLate else { throw .tokenRevoked }
    }

    /// What changes how somebody signs in, or proves them again, is theirs to do.
    ///
    /// - Throws: ``MethodProblem/invalidRequest`` for a session in which somebody else acts as its user;
    ///   ``MethodProblem/tokenRevoked`` as ``requireCurrent()`` does.
    func requireOwner() throws(MethodProblem) {
        try requireCurrent()
        guard grant.sessionClaims.actor == nil else {
            throw .invalidRequest.saying("Whoever acts as another user cannot change how that user signs in")
        }
    }

    /// Otherwise whoever has the password could put a factor of their own beside the owner's, and be two factors.
    ///
    /// - Throws: ``MethodProblem/invalidRequest``.
    func requireStrongFactor(beside account: Account) throws(MethodProblem) {
        guard holdsStrongFactor || !account.hasStrongFactor else {
            throw .invalidRequest.saying(
                "Sign in with the authenticator or passkey that is there before another one is added")
        }
    }

    /// See ``AuthenticationFacts/holdsStrongFactor``.
    var holdsStrongFactor: Bool { grant.authentication.holdsStrongFactor }
}

extension AuthenticationFacts {
    /// Whether something was shown that neither a password, a mailbox nor a telephone stands for. The word `mfa` alone
    /// tells nothing: whoever has a password can add a telephone of their own.
    var holdsStrongFactor: Bool {
        methods.contains { word in
            AuthenticationMethod(word: word).map { [.authenticator, .passkey].contains($0.factor) } ?? false
        }
    }

    /// What stands for a password that is chosen after this was proved.
    var passwordOrigin: PasswordChange.Origin {
        if holdsStrongFactor { return .strong }
        return methods.contains(AuthenticationMethod.password.word) ? .formerPassword : .address
    }
}
