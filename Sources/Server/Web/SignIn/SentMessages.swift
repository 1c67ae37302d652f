internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import SignIn

/// Messages with a code or with links: send, send again.
extension SignInRoutes {
    /// Sends the code or link that the transaction needs, and goes to the page that waits for it.
    ///
    /// - Throws: ``MethodProblem``, but never because an account does not exist.
    func sent(_ signIn: OpenedSignIn, asLink: Bool = false, isRepeated: Bool = false) async throws -> Response {
        var transaction = signIn.transaction
        let progress = transaction.progress
        let method = DeliveryMethod(rawValue: progress.channel) ?? .email
        let intent: VerificationRequest.Intent =
            switch progress.goal {
            case .signIn: .signIn
            case .passwordReset: .passwordReset
            case .signUp: .signUp(SignUpDetails(name: progress.name))
            }
        var ask = VerificationRequest(
            intent, loginID: progress.loginID, method: method,
            options: LoginOptions(locale: look(signIn).language.code),
            from: addresses.address(of: signIn.request, signIn.context))
        ask.device = DeviceName.of(signIn.request.headers[.userAgent])
        let now = services.ambient.now()
        var cookies: [String] = []
        if asLink {
            let links = try await services.methods.sendLinks(ask)
            try transaction.progress.apply(
                .linkSent(
                    SignInProgress.Sent(
                        at: now, destination: links.masked.address ?? "", isRepeated: isRepeated, number: links.linkID,
                        reference: links.pendingRef.exposed())))
            cookies = self.cookies.setWaiting(close(transaction)).map { [$0] } ?? []
        } else {
            let (masked, hasLink) = try await sendCode(ask)
            try transaction.progress.apply(
                .codeSent(
                    SignInProgress.Sent(
                        at: now, destination: masked.address ?? "", isRepeated: isRepeated,
                        hasLink: hasLink ? true : nil)))
            if hasLink { cookies = self.cookies.setWaiting(close(transaction)).map { [$0] } ?? [] }
        }
        return .seeOther(location(transaction), cookies: cookies)
    }

    /// Sends a code. A mail also holds a link, except at sign-up, where the link would work without the chosen
    /// password; a text message for a sign-in holds only the code.
    private func sendCode(_ ask: VerificationRequest) async throws -> (masked: MaskedAnswer, hasLink: Bool) {
        switch ask.intent {
        case .passwordReset: (try await services.methods.sendReset(ask), true)
        case .signIn where ask.method == .email: (try await services.methods.sendCodeAndLink(ask), true)
        default: (try await services.methods.codes.send(ask), false)
        }
    }

    /// Sends again, but not at once.
    func sendAgain(_ signIn: OpenedSignIn) async throws -> Response {
        let isLink = signIn.progress.step == .link
        var refusal = Refusal()
        let wait = signIn.progress.resendWaitSeconds(at: services.ambient.now())
        if wait > 0 {
            // A page that reloads itself must be the answer to a GET; it shows how long to wait.
            guard !isLink else { return .seeOther(location(signIn.transaction)) }
            refusal.status = .tooManyRequests
            refusal.retryAfterSeconds = Int(wait)
            refusal.code = .tooManyAttempts(retryAfterSeconds: Int(wait))
        } else {
            do {
                return try await sent(signIn, asLink: isLink, isRepeated: true)
            } catch let problem as MethodProblem {
                refusal = Refusal(problem)
            }
        }
        return try await show(signIn, StepProblem(refusal: refusal))
    }

    /// Sends a code or links to a user who chose that on the page of other methods.
    func sentInstead(_ signIn: OpenedSignIn, asLink: Bool) async throws -> Response {
        guard signIn.progress.proven == nil else { return try await waysPage(signIn) }
        do {
            return try await sent(signIn, asLink: asLink)
        } catch let problem as MethodProblem {
            return try await waysPage(signIn, StepProblem(refusal: Refusal(problem)))
        }
    }

    func channel(_ progress: SignInProgress) -> CodeChannel {
        progress.channel == DeliveryMethod.sms.rawValue ? .sms : .email
    }
}
