internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import SignIn

/// `/login/lost`: a user with a verified first factor has lost the second one.
extension SignInRoutes {
    private var recovery: FactorRecovery { services.recovery }

    /// `GET` of one of its steps.
    func showLost(_ signIn: OpenedSignIn) async throws -> Response {
        guard let account = try await provenAccount(signIn), recovery.isOffered else {
            throw PageProblem.expired
        }
        switch signIn.progress.step {
        case .lostCode: return lostCodePage(signIn)
        case .lostRemoval:
            guard try await way(signIn, account) != nil else { return lostPage(signIn, .unavailable, nil) }
            return respond(LostFactorStepPage(form: form(signIn), state: .removal), signIn)
        case .lostWaiting:
            // It may have ended meanwhile, and the user verified both factors a moment ago.
            guard let recovery = try await recovery.recovery(of: account.user.id) else {
                return try move(signIn, .factorFound)
            }
            return waitingPage(signIn, recovery)
        default: return try await lostPage(signIn, account)
        }
    }

    /// `POST` of one of its steps.
    func submitLost(_ signIn: OpenedSignIn, _ action: String?, _ form: SameSiteForm) async throws -> Response {
        guard let account = try await provenAccount(signIn), recovery.isOffered else {
            throw PageProblem.expired
        }
        if action == "other" { return try move(signIn, .factorFound) }
        switch signIn.progress.step {
        case .lost: return try await giveProof(signIn, account, form)
        case .lostCode where action == "resend": return try await resendLostCode(signIn, account)
        case .lostCode: return try await checkLostCode(signIn, account, form)
        case .lostRemoval where action == "remove": return try await removeLost(signIn, account)
        default: return .seeOther(location(signIn.transaction))
        }
    }

    private func way(_ signIn: OpenedSignIn, _ account: Account) async throws(StoreError) -> FactorRecovery.Way? {
        guard let proven = signIn.progress.proven else { return nil }
        return try await recovery.way(for: account, after: proven) { reach.channel(to: $0) != nil }
    }

    /// The page that explains the recovery, and asks for another factor.
    private func lostPage(
        _ signIn: OpenedSignIn, _ account: Account, _ problem: LostFactorPage.Problem? = nil, _ refusal: Refusal? = nil
    ) async throws -> Response {
        let state: LostFactorPage.State =
            switch try await way(signIn, account) {
            case .code(let addresses):
                .code(
                    addresses.map { ($0.kind == .phone ? .sms : .email, FactorRecovery.masked($0)) }, problem)
            case .password: .password(problem)
            case nil: .unavailable
            }
        return lostPage(signIn, state, refusal)
    }

    private func lostPage(_ signIn: OpenedSignIn, _ state: LostFactorPage.State, _ refusal: Refusal?) -> Response {
        respond(
            LostFactorPage(
                form: form(signIn), state: state, delaySeconds: Int(recovery.delaySeconds),
                projectName: services.project.name, userName: signIn.progress.loginID), signIn, refusal)
    }

    private func giveProof(_ signIn: OpenedSignIn, _ account: Account, _ form: SameSiteForm) async throws -> Response {
        switch try await way(signIn, account) {
        case .code(let addresses):
            guard let index = try form.one("address").flatMap({ Int($0) }), addresses.indices.contains(index) else {
                return try await lostPage(signIn, account)
            }
            return try await sendLostCode(signIn, account, to: addresses[index])
        case .password:
            return try await checkLostPassword(signIn, account, Secret(try form.one("password") ?? ""))
        case nil:
            return try await lostPage(signIn, account)
        }
    }

    private func checkLostPassword(_ signIn: OpenedSignIn, _ account: Account, _ password: Secret) async throws
        -> Response
    {
        let name = account.identifiers.keys.map(\.value).min() ?? ""
        let outcome = try await services.signIn.check(
            loginID: name, password: password, from: addresses.address(of: signIn.request, signIn.context),
            admitsNewUsers: false)
        var refusal = Refusal()
        switch outcome {
        case .recognised(let user, _) where user.id == account.user.id,
            .mustReplace(let user, _, isTemporary: false) where user.id == account.user.id:
            return try await begin(signIn, account, by: .password)
        case .recognised, .mustReplace, .directory, .wrong:
            return try await lostPage(signIn, account, .wrongPassword, refusal)
        case .throttled(let seconds):
            (refusal.status, refusal.retryAfterSeconds) = (.tooManyRequests, Int(seconds))
            return try await lostPage(signIn, account, .tooManyAttempts(retryAfterSeconds: Int(seconds)), refusal)
        case .busy:
            (refusal.status, refusal.retryAfterSeconds) = (.serviceUnavailable, 2)
            return try await lostPage(signIn, account, .busy, refusal)
        }
    }

    private func sendLostCode(
        _ signIn: OpenedSignIn, _ account: Account, to address: Identifier, isRepeated: Bool = false
    ) async throws -> Response {
        do {
            try await recovery.sendCode(
                to: address, of: account, locale: look(signIn).language.code,
                from: addresses.address(of: signIn.request, signIn.context))
        } catch let problem as MethodProblem {
            let refusal = Refusal(problem)
            guard !isRepeated else { return lostCodePage(signIn, refusal) }
            let shown = LostFactorPage.Problem.tooManyAttempts(retryAfterSeconds: refusal.retryAfterSeconds ?? 1)
            return try await lostPage(signIn, account, shown, refusal)
        }
        let sent = SignInProgress.Sent(
            at: services.ambient.now(), destination: FactorRecovery.masked(address), isRepeated: isRepeated)
        return try move(signIn, .lostCodeSent(sent, to: address.value))
    }

    private func resendLostCode(_ signIn: OpenedSignIn, _ account: Account) async throws -> Response {
        let wait = Int(signIn.progress.resendWaitSeconds(at: services.ambient.now()))
        guard wait == 0 else {
            var refusal = Refusal()
            (refusal.status, refusal.retryAfterSeconds) = (.tooManyRequests, wait)
            refusal.code = .tooManyAttempts(retryAfterSeconds: wait)
            return lostCodePage(signIn, refusal)
        }
        guard let address = try await lostCodeAddress(signIn, account) else { return try move(signIn, .factorFound) }
        return try await sendLostCode(signIn, account, to: address, isRepeated: true)
    }

    /// The address that the code went to, if it is still allowed.
    private func lostCodeAddress(_ signIn: OpenedSignIn, _ account: Account) async throws(StoreError) -> Identifier? {
        guard let address = signIn.progress.lostCodeAddress.flatMap(Identifier.init(loginID:)),
            case .code(let addresses) = try await way(signIn, account), addresses.contains(address)
        else { return nil }
        return address
    }

    private func checkLostCode(_ signIn: OpenedSignIn, _ account: Account, _ form: SameSiteForm) async throws
        -> Response
    {
        guard let address = try await lostCodeAddress(signIn, account) else { return try move(signIn, .factorFound) }
        let outcome = try await recovery.check(
            Secret(try form.one("code") ?? ""), sentTo: address, of: account,
            from: addresses.address(of: signIn.request, signIn.context))
        var refusal = Refusal()
        switch outcome {
        case .right(let method): return try await begin(signIn, account, by: method)
        case .wrong: break
        case .expired: refusal.code = .expired
        case .exhausted(let seconds):
            (refusal.status, refusal.retryAfterSeconds) = (.tooManyRequests, seconds)
            refusal.code = .tooManyCodes(retryAfterSeconds: seconds)
        }
        return lostCodePage(signIn, refusal)
    }

    private func lostCodePage(_ signIn: OpenedSignIn, _ refusal: Refusal? = nil) -> Response {
        let progress = signIn.progress
        let wait = Int(progress.resendWaitSeconds(at: services.ambient.now()))
        return respond(
            CodePage(
                form: form(signIn), channel: progress.lostCodeAddress?.hasPrefix("+") == true ? .sms : .email,
                destination: progress.sent?.destination, problem: refusal?.code,
                wasSentAgain: progress.sent?.isRepeated ?? false,
                resending: wait > 0 ? .after(seconds: wait) : .now, hasOtherWays: true), signIn, refusal)
    }

    /// Both factors are verified.
    private func begin(_ signIn: OpenedSignIn, _ account: Account, by method: AuthenticationMethod) async throws
        -> Response
    {
        switch try await recovery.begin(account, from: origin(signIn)) {
        case .begun(let recovery), .underWay(let recovery):
            let isReady = recovery.isReady(at: services.ambient.now())
            return try move(signIn, .lossProved(by: method.word, isReady: isReady))
        case .paused(let until), .tooMany(let until):
            var refusal = Refusal()
            let seconds = Int(max(1, until.seconds(since: services.ambient.now())))
            (refusal.status, refusal.retryAfterSeconds) = (.tooManyRequests, seconds)
            return lostPage(signIn, .later(seconds: seconds), refusal)
        case .overtaken:
            throw PageProblem.expired
        }
    }

    /// Removes the second factors; the sign-in continues with the verified ones.
    private func removeLost(_ signIn: OpenedSignIn, _ account: Account) async throws -> Response {
        // The password may have to be replaced since, or an address may be new.
        guard try await way(signIn, account) != nil else { return lostPage(signIn, .unavailable, nil) }
        guard let method = signIn.progress.lossProof.flatMap(AuthenticationMethod.init(word:)),
            let facts = try? SecondFactor.combine(
                method, with: signIn.progress.proven?.facts, mustCombine: true, at: services.ambient.now()),
            try await recovery.finish(account, from: origin(signIn))
        else { throw PageProblem.expired }
        // The removal has ended the session that this sign-in went on from, with all others.
        var signIn = signIn
        signIn.transaction.resumed = nil
        // It has begun the next epoch. Whatever was revoked after it has begun another one, and ends this sign-in.
        try signIn.transaction.progress.apply(.factorsRemoved(epoch: account.user.epoch + 1))
        guard let changed = try await provenAccount(signIn) else { throw PageProblem.expired }
        return try await proved(signIn, changed.user, facts)
    }

    private func waitingPage(_ signIn: OpenedSignIn, _ recovery: Recovery) -> Response {
        let seconds = max(0, recovery.readyAt.seconds(since: services.ambient.now()))
        return respond(
            LostFactorStepPage(
                form: form(signIn),
                state: .waiting(
                    seconds: Int(seconds), from: recovery.readyAt.minuteText, until: recovery.expiresAt.minuteText)),
            signIn)
    }

    private func origin(_ signIn: OpenedSignIn) -> SessionOrigin {
        SessionOrigin(signIn.request, addresses.address(of: signIn.request, signIn.context))
    }
}
