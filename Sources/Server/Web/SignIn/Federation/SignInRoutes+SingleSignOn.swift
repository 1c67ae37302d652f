internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

/// Users whose organisation wants a sign-in at its own provider.
extension SignInRoutes {
    /// The first page again, which names the organisation's provider; `nil`: the sign-in may go on. Asked after the user
    /// has proven who they are.
    func sentToOrganisation(_ signIn: OpenedSignIn, _ user: User, _ facts: AuthenticationFacts) async throws
        -> Response?
    {
        let address = addresses.address(of: signIn.request, signIn.context)
        // The use of an exclusion is recorded when the session opens.
        guard case .refused(let tenant) = try await services.singleSignOn.judge(user.id, facts, notes: false) else {
            return nil
        }
        services.auditLog.recordOnce(
            AuditEvent(
                .signInFailed, at: services.ambient.now(), userID: user.id, address: address?.text,
                reason: FederationRefusal.singleSignOn.rawValue, target: tenant))
        let connection = services.singleSignOn.connection(of: tenant)
        guard let transaction = signIn.transaction.authorization else {
            return .seeOther(Routes.settings)
        }
        let word = FederationProblem.refusal(.singleSignOn).word
        return .seeOther(
            "\(Routes.login)?transaction=\(checks.sealed(transaction))&problem=\(word)&connection=\(connection?.id ?? "")"
        )
    }
}
