internal import Hummingbird
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

/// One request to a page of a sign-in.
struct SignInVisit: Sendable {
    var passage: SignInTransaction
    /// The sealed transaction as it came; empty for a new one.
    let sealed: String
    let request: Request
    let context: WebContext
    /// The mark of the browser.
    let browser: String

    var progress: SignInProgress { passage.progress }
}

/// A request to a page of a sign-in transaction, in the browser where it began.
struct PassagePage: Sendable {
    let visit: SignInVisit

    fileprivate init(_ visit: SignInVisit) {
        self.visit = visit
    }
}

/// A form of such a page.
struct PassageForm: Sendable {
    let visit: SignInVisit
    let form: SameSiteForm

    fileprivate init(_ visit: SignInVisit, _ form: SameSiteForm) {
        self.visit = visit
        self.form = form
    }
}

extension SignInRoutes {
    private static let seal = "sign-in"

    var passagePage: Check<PassagePage> {
        Check(Demand(.passage, PageProblem.expired.refusal)) { request, context in
            guard let visit = visit(try request.queryParameters(), request, context) else {
                throw PageProblem.expired
            }
            return PassagePage(visit)
        }
    }

    var passageForm: Check<PassageForm> {
        checks.anyForm.then(Demand(.passage, PageProblem.expired.refusal)) { fields, request, context in
            guard let visit = visit(fields, request, context) else { throw PageProblem.expired }
            return (fields, visit)
        }.then(.sameSite) { opened, request, _ in
            PassageForm(opened.1, try checks.sameSite(opened.0, request))
        }
    }

    /// For a page's script: the answer is a status, not a page.
    var passageOfScript: Check<PassagePage> {
        Check(Demand(.passage, .text(410, Self.over))) { request, context in
            guard let visit = visit(try request.queryParameters(), request, context) else {
                throw Refused(.text(.gone, Self.over))
            }
            return PassagePage(visit)
        }
    }

    static let over = "over"

    /// The transaction of a request; `nil` if it is over, was changed, or belongs to another browser.
    private func visit(_ fields: FormParameters, _ request: Request, _ context: WebContext) -> SignInVisit? {
        fields.values("journey").first.flatMap { visit(sealed: $0, request, context) }
    }

    /// The transaction that waits in this browser until the user follows a link.
    func waitingVisit(_ request: Request, _ context: WebContext) -> SignInVisit? {
        cookies.waiting(request).flatMap { visit(sealed: $0, request, context) }
    }

    private func visit(sealed: String, _ request: Request, _ context: WebContext) -> SignInVisit? {
        let now = services.ambient.now()
        guard let browser = cookies.browser(request),
            let passage = services.transactions.open(sealed, as: SignInTransaction.self, kind: Self.seal),
            !passage.isExpired(at: now), !passage.progress.isStale(at: now),
            passage.progress.browser == Cookies.digest(of: browser)
        else { return nil }
        return SignInVisit(passage: passage, sealed: sealed, request: request, context: context, browser: browser)
    }

    func close(_ passage: SignInTransaction) -> String { services.transactions.close(passage, kind: Self.seal) }

    /// Begins a transaction.
    func beginning(
        _ opened: OpenedTransaction, in browser: String, _ goal: SignInProgress.Goal, _ name: String,
        choice: SignInProgress.Choice? = nil, chosenHash: String? = nil, displayName: String? = nil,
        passkeys: SignInProgress.PasskeySupport? = nil
    ) -> SignInVisit {
        let channel = Identifier(loginID: name).flatMap(reach.channel) ?? .email
        let progress = SignInProgress(
            goal, loginID: String(name.prefix(Identifier.bytesMax)),
            channel: channel.rawValue, browser: Cookies.digest(of: browser), choice: choice,
            chosenHash: chosenHash, name: displayName, passkeys: passkeys)
        return SignInVisit(
            passage: SignInTransaction(
                journey: opened.journey, progress: progress, startedAt: services.ambient.now()),
            sealed: "", request: opened.request, context: opened.context, browser: browser)
    }
}
