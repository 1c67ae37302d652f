internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import SignIn

/// Codes: send, send again, check.
extension SignInRoutes {
    /// Sends the code or link that the transaction needs, and goes to the page that waits for it.
    ///
    /// - Throws: ``MethodProblem``, but never because an account does not exist.
    func sent(_ visit: SignInVisit, asLink: Bool = false, isRepeated: Bool = false) async throws -> Response {
        var passage = visit.passage
        let progress = passage.progress
        let method = DeliveryMethod(rawValue: progress.channel) ?? .email
        let intent: VerificationRequest.Intent =
            switch progress.goal {
            case .signIn: .signIn
            case .passwordReset: .passwordReset
            case .signUp: .signUp(SignUpDetails(name: progress.name))
            }
        var ask = VerificationRequest(
            intent, loginID: progress.loginID, method: method,
            options: LoginOptions(locale: look(visit).language.code),
            from: addresses.address(of: visit.request, visit.context))
        ask.device = DeviceName.of(visit.request.headers[.userAgent])
        let now = services.ambient.now()
        var cookies: [String] = []
        if asLink {
            let links = try await services.methods.sendLinks(ask)
            try passage.progress.apply(
                .linkSent(
                    SignInProgress.Sent(
                        at: now, destination: links.masked.address ?? "", isRepeated: isRepeated, number: links.linkID,
                        reference: links.pendingRef.exposed())))
            cookies = self.cookies.setWaiting(close(passage)).map { [$0] } ?? []
        } else {
            let (masked, hasLink) = try await sendCode(ask)
            try passage.progress.apply(
                .codeSent(
                    SignInProgress.Sent(
                        at: now, destination: masked.address ?? "", isRepeated: isRepeated,
                        hasLink: hasLink ? true : nil)))
            if hasLink { cookies = self.cookies.setWaiting(close(passage)).map { [$0] } ?? [] }
        }
        return .seeOther(location(passage), cookies: cookies)
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
    func sendAgain(_ visit: SignInVisit) async throws -> Response {
        let isLink = visit.progress.step == .link
        var refusal = Refusal()
        let wait = visit.progress.resendWaitSeconds(at: services.ambient.now())
        if wait > 0 {
            // A page that reloads itself must be the answer to a GET; it shows how long to wait.
            guard !isLink else { return .seeOther(location(visit.passage)) }
            refusal.status = .tooManyRequests
            refusal.retryAfterSeconds = Int(wait)
            refusal.code = .tooManyAttempts(retryAfterSeconds: Int(wait))
        } else {
            do {
                return try await sent(visit, asLink: isLink, isRepeated: true)
            } catch let problem as MethodProblem {
                refusal = Refusal(problem)
            }
        }
        return isLink ? linkSentPage(visit, isExpired: false, refusal) : try await codePage(visit, refusal)
    }

    /// Checks the code of a message.
    func checkCode(_ visit: SignInVisit, _ form: SameSiteForm) async throws -> Response {
        let progress = visit.progress
        do {
            let proof = try await services.methods.codes.verify(
                loginID: progress.loginID, code: Secret(try form.one("code") ?? ""),
                method: DeliveryMethod(rawValue: progress.channel) ?? .email, isPage: true,
                from: addresses.address(of: visit.request, visit.context))
            var user = proof.identity.account.user
            if proof.identity.isFirst, let hash = progress.chosenHash {
                _ = try await services.stores.passwords.set(
                    PasswordChange(user.id, hash: hash, origin: .strong, historyMax: 0), at: services.ambient.now())
                user = try await services.stores.users.account(user.id)?.user ?? user
            }
            return try await proved(visit, user, by: proof.identity.method)
        } catch let problem as MethodProblem {
            return try await codePage(visit, Refusal(problem))
        }
    }

    /// The page for a code: of a message, of an authenticator app, or a recovery code.
    ///
    /// - Parameter passkey: why a passkey instead of the code was refused.
    func codePage(_ visit: SignInVisit, _ refusal: Refusal?, passkey: PasskeyFailure? = nil) async throws -> Response {
        let progress = visit.progress
        let button = progress.proven == nil ? nil : try await passkeyButton(visit)
        if progress.step == .recoveryCode {
            return respond(
                RecoveryPage(
                    form: form(visit), problem: passkey == nil ? refusal?.code : nil, hasOtherWays: true,
                    passkey: button, passkeyProblem: passkey?.refusal, signals: passkey?.signals ?? [],
                    canBeLost: services.recovery.isOffered), visit, refusal)
        }
        let wait = Int(progress.resendWaitSeconds(at: services.ambient.now()))
        let isMessage = progress.step == .code
        return respond(
            CodePage(
                form: form(visit), channel: isMessage ? channel(progress) : .authenticator,
                destination: progress.sent?.destination, problem: passkey == nil ? refusal?.code : nil,
                wasSentAgain: progress.sent?.isRepeated ?? false, hasLink: progress.sent?.hasLink == true,
                resending: !isMessage ? .never : wait > 0 ? .after(seconds: wait) : .now,
                hasOtherWays: !isMessage || progress.goal == .signIn, passkey: button,
                passkeyProblem: passkey?.refusal, signals: passkey?.signals ?? [],
                canBeLost: !isMessage && services.recovery.isOffered), visit, refusal)
    }

    func channel(_ progress: SignInProgress) -> CodeChannel {
        progress.channel == DeliveryMethod.sms.rawValue ? .sms : .email
    }

    /// The other methods.
    ///
    /// - Parameter passkey: why a passkey was refused.
    func waysPage(_ visit: SignInVisit, _ refusal: Refusal? = nil, passkey: PasskeyFailure? = nil) async throws
        -> Response
    {
        let isSecond = visit.progress.proven != nil
        return respond(
            MethodsPage(
                form: form(visit),
                purpose: !isSecond ? .signIn : visit.progress.needsPasskey == true ? .passkey : .secondFactor,
                appName: appName(visit.passage),
                options: isSecond ? secondWays(visit) : firstWays(visit), passkey: try await passkeyButton(visit),
                problem: passkey?.refusal, signals: passkey?.signals ?? [],
                canBeLost: isSecond && services.recovery.isOffered), visit, refusal)
    }

    private func firstWays(_ visit: SignInVisit) -> [MethodsPage.Option] {
        let isText = channel(visit.progress) == .sms
        let destination = visit.progress.sent?.destination
        return [
            MethodsPage.Option(method: isText ? .sms : .codeOrLink, value: "code", destination: destination),
            MethodsPage.Option(
                method: isText ? .numberedTextLink : .numberedLink, value: "link", destination: destination),
            MethodsPage.Option(method: .password, value: "password", destination: nil),
        ]
    }

    private func secondWays(_ visit: SignInVisit) -> [MethodsPage.Option] {
        guard visit.progress.needsPasskey != true else { return [] }
        return [
            MethodsPage.Option(method: .authenticator, value: "authenticator", destination: nil),
            MethodsPage.Option(method: .recoveryCode, value: "recovery", destination: nil),
        ]
    }

    func chooseWay(_ visit: SignInVisit, _ form: SameSiteForm) async throws -> Response {
        switch try form.one("method") {
        case "authenticator": return try move(visit, .authenticatorChosen)
        case "recovery": return try move(visit, .recoveryChosen)
        case "password":
            guard let journey = visit.passage.journey else { return try await waysPage(visit) }
            return .seeOther(authorize.location(Routes.login, of: journey))
        case let way? where visit.progress.proven == nil && ["code", "link"].contains(way):
            do {
                return try await sent(visit, asLink: way == "link")
            } catch let problem as MethodProblem {
                return try await waysPage(visit, Refusal(problem))
            }
        default: return try await waysPage(visit)
        }
    }
}
