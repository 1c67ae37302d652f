internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWebAuthn
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

/// Passkeys: on the first page, and instead of a second factor.
extension SignInRoutes {
    private var passkeys: UserPasskeys { services.methods.passkeys }

    /// Why a passkey was refused, and what the page tells the device about it.
    struct PasskeyFailure: Sendable {
        let refusal: PasskeyRefusal
        let signals: [PasskeySignal]
    }

    /// The button on the first page, which also offers passkeys in the name's field.
    ///
    /// - Parameters:
    ///   - user: the one who must sign in again; `nil`: any user.
    ///   - isAgain: a passkey was just refused. The next one waits for the button, or a device that answers by itself
    ///     would go on for ever.
    func passkeyButton(for user: User?, in browser: String, isAgain: Bool) async throws(StoreError) -> PasskeyButton? {
        var options = passkeys.beginSignIn(in: browser)
        if let account = try await again(user) { options = try await passkeys.beginProof(of: account, in: browser) }
        return options.map { PasskeyButton(kind: .get, options: $0.json, isAutofilled: !isAgain) }
    }

    /// The button on a later page: any user's passkey as the first factor, the user's own as a further one.
    func passkeyButton(_ signIn: OpenedSignIn) async throws -> PasskeyButton? {
        guard signIn.progress.proven != nil else {
            guard signIn.progress.goal == .signIn else { return nil }
            return passkeys.beginSignIn(in: signIn.browser).map { PasskeyButton(kind: .get, options: $0.json) }
        }
        guard let account = try await provenAccount(signIn) else { return nil }
        return try await passkeys.beginProof(of: account, in: signIn.browser).map {
            PasskeyButton(kind: .get, options: $0.json)
        }
    }

    /// Checks a passkey of the first page.
    func checkPasskey(_ posted: TransactionForm) async throws -> Response {
        let (transaction, browser, request) = (posted.transaction, posted.browser, posted.request)
        guard !transaction.isExpired(at: services.ambient.now()) else { throw PageProblem.expired }
        let answer = try posted.form.passkeyAnswer
        let user = try await reauthenticating(transaction, request)
        let address = addresses.address(of: request, posted.context)
        do {
            let identity =
                if let account = try await again(user) {
                    try await passkeys.finishProof(answer, of: account, in: browser, from: address)
                } else {
                    try await passkeys.finishSignIn(answer, in: browser, from: address)
                }
            let name = identity.account.identifiers.keys.map(\.value).min() ?? ""
            return try await proved(
                beginning(posted.opened, in: browser, .signIn, name), identity.account.user, by: identity.method,
                isOfTwoFactors: identity.isOfTwoFactors)
        } catch let problem as PasskeyProblem {
            let failure = try await failure(problem, answer)
            return try await loginAgain(
                posted, .passkey(failure.refusal), .unprocessableContent, user: user, signals: failure.signals)
        }
    }

    /// Checks a passkey that replaces a code.
    func checkPasskey(_ signIn: OpenedSignIn, _ form: SameSiteForm) async throws -> Response {
        let answer = try form.passkeyAnswer
        let address = addresses.address(of: signIn.request, signIn.context)
        do {
            let identity: ProvenIdentity
            if signIn.progress.proven == nil {
                guard signIn.progress.goal == .signIn else { throw SignInProgress.Misplaced() }
                identity = try await passkeys.finishSignIn(answer, in: signIn.browser, from: address)
            } else {
                guard let account = try await provenAccount(signIn) else {
                    throw PageProblem.expired
                }
                identity = try await passkeys.finishProof(answer, of: account, in: signIn.browser, from: address)
            }
            return try await proved(
                signIn, identity.account.user, by: identity.method, isOfTwoFactors: identity.isOfTwoFactors)
        } catch let problem as PasskeyProblem {
            let failure = try await failure(problem, answer)
            return try await show(signIn, StepProblem(refusal: Refusal(), passkey: failure))
        } catch is MethodProblem {
            // The first factor was verified too long ago.
            throw PageProblem.expired
        }
    }

    /// The browser's passkey support, as the page's script reported it.
    func support(_ form: FormParameters) -> SignInProgress.PasskeySupport? {
        let words = Set((form.values("passkeys").first ?? "").prefix(64).split(separator: " "))
        let support = SignInProgress.PasskeySupport(
            isQuiet: words.contains("conditional"), isPlatform: words.contains("platform"))
        return support.isQuiet || support.isPlatform ? support : nil
    }

    /// The signed-in user who must sign in again.
    private func reauthenticating(_ transaction: AuthorizationTransaction, _ request: Request) async throws -> User? {
        let session = try await checks.person(request)?.asPair
        guard case .signIn(_, let user) = try await services.authorization.next(transaction, session: session) else {
            return nil
        }
        return user
    }

    /// The account of a user who can sign in again with a passkey.
    private func again(_ user: User?) async throws(StoreError) -> Account? {
        guard let user, try await passkeys.hasUsable(user.id) else { return nil }
        return try await services.stores.users.account(user.id)
    }

    private func failure(_ problem: PasskeyProblem, _ answer: JSONValue) async throws(StoreError) -> PasskeyFailure {
        switch problem {
        case .challengeExpired, .challengeSpent, .challengeUnknown:
            return PasskeyFailure(refusal: .expired, signals: [])
        case .deactivated: return PasskeyFailure(refusal: .switchedOff, signals: [])
        case .credentialUnknown:
            let signal = PasskeySignal(.unknown, try await passkeys.unknownCredential(of: answer))
            return PasskeyFailure(refusal: signal == nil ? .refused : .unknown, signals: [signal].compactMap(\.self))
        case .malformed, .refused, .credentialTaken, .tooMany, .overtaken:
            return PasskeyFailure(refusal: .refused, signals: [])
        }
    }
}
