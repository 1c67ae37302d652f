internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import Model
internal import OAuth
internal import SignIn

/// Passwords of the first page that a directory was asked about.
extension SignInRoutes {
    func atDirectory(_ outcome: DirectoryPasswords.Outcome, _ posted: TransactionForm, _ name: String) async throws
        -> Response
    {
        switch outcome {
        case .user(let account, let person, _): return try await arrived(account, person, posted, name)
        case .ask(let person):
            var transaction = posted.transaction
            transaction.pendingIdentity = try await services.federation.keepPending(
                person.profile, at: person.connection, browser: Cookies.digest(of: posted.browser))
            transaction.pendingConnection = person.connection.id
            return .seeOther(authorize.location(Routes.login, of: transaction))
        case .refused(let refusal, let person):
            return try await loginAgain(
                posted, .federation(.refusal(refusal), provider: person.connection.name), .unprocessableContent)
        case .wrong: return try await loginAgain(posted, .wrongCredentials, .unprocessableContent)
        case .throttled(let seconds): return try await throttled(seconds, posted)
        case .failed(let problem, let connection):
            // The other ways of the page stay: they need no directory.
            return try await loginAgain(
                posted, .federation(.connection(problem.kind), provider: connection.name), .serviceUnavailable)
        }
    }

    /// The password is one factor, and the directory's word; the session is remembered as one of the directory's.
    private func arrived(
        _ account: Account, _ person: DirectoryPerson, _ posted: TransactionForm, _ name: String
    ) async throws -> Response {
        if let required = posted.transaction.requiredSubject, required != account.user.id.rawValue {
            return try await loginAgain(
                posted, .federation(.otherUser, provider: person.connection.name), .unprocessableContent)
        }
        var signIn = beginning(posted.opened, in: posted.browser, .signIn, name, passkeys: support(posted.form.fields))
        signIn.transaction.federated = SignInTransaction.Federated(
            key: person.profile.key(at: person.connection.id), session: nil, endsAt: nil)
        return try await proved(signIn, account.user, by: .directoryPassword, tenant: person.connection.tenantID)
    }
}
