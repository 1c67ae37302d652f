internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

/// Sign-ins that the user approves on another device: the browser that asked waits.
extension SignInRoutes {
    static let approvalStatusPath = "/login/approval-status"

    /// `action=approval` on the first page, with a typed name.
    func askForApproval(_ posted: TransactionForm) async throws -> Response {
        let name = try posted.form.one("username") ?? ""
        guard Identifier(loginID: name) != nil else {
            return try await loginAgain(posted, .nameMissing, .unprocessableContent)
        }
        let signIn = beginning(
            posted.opened, in: posted.browser, .signIn, name, passkeys: support(posted.form.fields))
        do {
            return try await askedForApproval(signIn)
        } catch let problem as MethodProblem {
            let seconds = Refusal(problem).retryAfterSeconds ?? 1
            return try await throttled(Int64(seconds), posted)
        }
    }

    /// On the page of other methods, or again after a request that is over.
    func approvalInstead(_ signIn: OpenedSignIn) async throws -> Response {
        do {
            return try await askedForApproval(signIn)
        } catch let problem as MethodProblem {
            var signIn = signIn
            if signIn.progress.step == .approval { try signIn.transaction.progress.apply(.otherWaysWanted) }
            return try await waysPage(signIn, StepProblem(refusal: Refusal(problem)))
        }
    }

    /// - Throws: ``MethodProblem``, but never because an account does not exist.
    private func askedForApproval(_ signIn: OpenedSignIn) async throws -> Response {
        guard let loginID = Identifier(loginID: signIn.progress.loginID) else { throw PageProblem.expired }
        let waiting = try await services.methods.approvals.ask(
            loginID, clientID: signIn.transaction.authorization?.clientID ?? "",
            device: DeviceName.of(signIn.request.headers[.userAgent]),
            from: addresses.address(of: signIn.request, signIn.context))
        return try move(
            signIn,
            .approvalAsked(
                SignInProgress.Sent(
                    at: services.ambient.now(), destination: "", number: waiting.number,
                    reference: waiting.reference.exposed())))
    }

    /// `GET /login/approval-status`: 204 while nothing is decided. The reloaded page finds out what was.
    @Sendable func approvalStatus(_ page: SignInPage) async throws -> Response {
        guard page.signIn.progress.step == .approval, let reference = page.signIn.progress.sent?.reference else {
            return .text(.gone, Self.over)
        }
        return try await services.methods.approvals.isWaiting(Secret(reference))
            ? Response(status: .noContent, headers: [.cacheControl: "no-store"]) : .text(.ok, "go on")
    }

    /// The page that waits; continues once the user has approved.
    func waitForApproval(_ signIn: OpenedSignIn) async throws -> Response {
        guard let reference = signIn.progress.sent?.reference else { return approvalPage(signIn, isOver: true) }
        let transaction = signIn.transaction.authorization
        // The session that approves may be older than what the client asked for.
        let since = transaction.flatMap { asked in asked.maxAge.map { asked.startedAt - $0 } }
        let outcome = try await services.methods.approvals.collect(
            Secret(reference), since: since, from: addresses.address(of: signIn.request, signIn.context))
        switch outcome {
        case .pending: return approvalPage(signIn, isOver: false)
        case .over: return approvalPage(signIn, isOver: true)
        case .approved(let user, let facts):
            var signIn = signIn
            signIn.transaction.progress.resumedAt = services.ambient.now()
            return try await proved(signIn, user, facts)
        }
    }

    func approvalPage(_ signIn: OpenedSignIn, isOver: Bool) -> Response {
        respond(
            ApprovalPage(
                form: form(signIn), number: isOver ? nil : signIn.progress.sent?.number,
                pollURI: "\(Self.approvalStatusPath)?transaction=\(signIn.sealed)",
                settingsURI: services.project.issuer + Routes.settingsApprovals), signIn)
    }
}
