internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// A right password: whose it is, and where it was checked.
struct CheckedPassword: Sendable {
    enum Place: Hashable, Sendable {
        case here(Passwords.Verdict)
        case directory(isNew: Bool, tenant: String?)
    }

    let account: Account
    let place: Place
    /// What is unusual about it.
    var signals: Set<RiskSignal> = []
    /// The identity at the directory that accepted it; `nil`: it was checked here.
    var federated: FederatedIdentity.Key?
}

extension PasswordMethods {
    /// Asks the directory of a name; `nil`: there is none, or the password is wrong.
    ///
    /// - Throws: ``MethodProblem``.
    func checkAtDirectory(_ name: Identifier, _ password: Secret, from address: NetworkAddress?)
        async throws -> CheckedPassword?
    {
        switch try await directories.check(name, password, from: address) {
        case .user(let account, let person, let isNew):
            return CheckedPassword(
                account: account, place: .directory(isNew: isNew, tenant: person.connection.tenantID),
                federated: person.profile.key(at: person.connection.id))
        case .wrong, nil: return nil
        case .throttled(let seconds): throw MethodProblem.rateLimited(retryAfterSeconds: Int(seconds))
        case .ask:
            throw MethodProblem.providerRefused.saying(
                "The directory accepts the password, and its word is not enough for an account with this address: sign in another way, and link it in the settings"
            )
        case .refused:
            throw MethodProblem.providerRefused.saying(
                "The directory accepts the password, and there is no account for it")
        case .failed(let problem, _):
            throw MethodProblem.providerRefused.saying(
                problem.kind == .unavailable
                    ? "The directory does not answer: try again later" : "The directory is not set up correctly")
        }
    }

    /// - Parameter tenant: whose directory accepted the password; `nil`: the project's.
    func completedAtDirectory(
        _ checked: CheckedPassword, isFirst: Bool, tenant: String?, _ options: LoginOptions,
        _ presented: PresentedRefresh?
    ) -> CompletedVerification {
        var identity = ProvenIdentity(
            account: checked.account, method: .directoryPassword, isFirst: isFirst, tenantID: tenant,
            signals: checked.signals)
        identity.federated = checked.federated
        return CompletedVerification(
            identity: identity, options: options, presented: options.needsSession ? presented : nil)
    }
}
