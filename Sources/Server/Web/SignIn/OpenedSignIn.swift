internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

/// One request to a page of a sign-in.
struct OpenedSignIn: Sendable {
    var transaction: SignInTransaction
    /// The sealed transaction as it came; empty for a new one.
    let sealed: String
    let request: Request
    let context: WebContext
    /// The mark of the browser.
    let browser: String

    var progress: SignInProgress { transaction.progress }
}

/// A request to a page of a sign-in transaction, in the browser where it began.
struct SignInPage: Sendable {
    let signIn: OpenedSignIn

    fileprivate init(_ signIn: OpenedSignIn) {
        self.signIn = signIn
    }
}

/// A form of such a page.
struct SignInForm: Sendable {
    let signIn: OpenedSignIn
    let form: SameSiteForm

    fileprivate init(_ signIn: OpenedSignIn, _ form: SameSiteForm) {
        self.signIn = signIn
        self.form = form
    }
}

extension SignInRoutes {
    private static let seal = "sign-in"

    var signInPage: Check<SignInPage> {
        Check(Demand(.signInTransaction, PageProblem.expired.refusal)) { request, context in
            guard let signIn = signIn(try request.queryParameters(), request, context) else {
                throw PageProblem.expired
            }
            return SignInPage(signIn)
        }
    }

    var signInForm: Check<SignInForm> {
        checks.anyForm.then(Demand(.signInTransaction, PageProblem.expired.refusal)) { fields, request, context in
            guard let signIn = signIn(fields, request, context) else { throw PageProblem.expired }
            return (fields, signIn)
        }.then(.sameSite) { opened, request, _ in
            SignInForm(opened.1, try checks.sameSite(opened.0, request))
        }
    }

    /// For a page's script: the answer is a status, not a page.
    var signInOfScript: Check<SignInPage> {
        Check(Demand(.signInTransaction, .text(410, Self.over))) { request, context in
            guard let signIn = signIn(try request.queryParameters(), request, context) else {
                throw Refused(.text(.gone, Self.over))
            }
            return SignInPage(signIn)
        }
    }

    static let over = "over"

    /// The transaction of a request; `nil` if it is over, was changed, or belongs to another browser.
    private func signIn(_ fields: FormParameters, _ request: Request, _ context: WebContext) -> OpenedSignIn? {
        fields.values("transaction").first.flatMap { signIn(sealed: $0, request, context) }
    }

    /// The transaction from which the user left for a provider; `nil`: it is over, or another browser's.
    func waitingSignIn(_ sealed: String, _ request: Request, _ context: WebContext) -> OpenedSignIn? {
        signIn(sealed: sealed, request, context)
    }

    /// The transaction that waits in this browser until the user follows a link.
    func waitingSignIn(_ request: Request, _ context: WebContext) -> OpenedSignIn? {
        cookies.waiting(request).flatMap { signIn(sealed: $0, request, context) }
    }

    private func signIn(sealed: String, _ request: Request, _ context: WebContext) -> OpenedSignIn? {
        let now = services.ambient.now()
        guard let browser = cookies.browser(request),
            let transaction = services.transactions.open(sealed, as: SignInTransaction.self, kind: Self.seal),
            !transaction.isExpired(at: now), !transaction.progress.isStale(at: now),
            transaction.progress.browser == Cookies.digest(of: browser)
        else { return nil }
        return OpenedSignIn(
            transaction: transaction, sealed: sealed, request: request, context: context, browser: browser)
    }

    func close(_ transaction: SignInTransaction) -> String { services.transactions.close(transaction, kind: Self.seal) }

    /// Begins a transaction.
    func beginning(
        _ opened: OpenedTransaction, in browser: String, _ goal: SignInProgress.Goal, _ name: String,
        choice: SignInProgress.Choice? = nil, chosenHash: String? = nil, displayName: String? = nil,
        passkeys: SignInProgress.PasskeySupport? = nil
    ) -> OpenedSignIn {
        let channel = Identifier(loginID: name).flatMap(reach.channel) ?? .email
        let progress = SignInProgress(
            goal, loginID: String(name.prefix(Identifier.bytesMax)),
            channel: channel.rawValue, browser: Cookies.digest(of: browser), choice: choice,
            chosenHash: chosenHash, name: displayName, passkeys: passkeys)
        return OpenedSignIn(
            transaction: SignInTransaction(
                authorization: opened.transaction, progress: progress, startedAt: services.ambient.now()),
            sealed: "", request: opened.request, context: opened.context, browser: browser)
    }
}
