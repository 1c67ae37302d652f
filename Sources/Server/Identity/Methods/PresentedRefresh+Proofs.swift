internal import KeyturnWire

/// What methods of proof ask of a session that is presented.
extension PresentedRefresh {
    /// - Throws: ``MethodProblem/tokenRevoked`` for a token that was replaced long ago: it gives nothing new.
    func requireCurrent() throws(MethodProblem) {
        guard !isLate else { throw .tokenRevoked }
    }

    /// Whether the session was proved by more than a mailbox, a telephone or a password.
    var holdsStrongFactor: Bool {
        grant.authentication.methods.contains { word in
            word == AuthenticationMethod.severalFactors
                || AuthenticationMethod(word: word).map { [.authenticator, .passkey].contains($0.factor) } ?? false
        }
    }
}
