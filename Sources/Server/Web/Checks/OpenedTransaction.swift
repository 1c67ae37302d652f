internal import Identity
internal import KeyturnWire
internal import OAuth

/// A request to a page of an authorization transaction that this server began; the request carries it sealed.
struct OpenedTransaction: Sendable {
    let transaction: AuthorizationTransaction
    /// The query, or the form.
    let fields: FormParameters
    let request: Request
    let context: WebContext

    fileprivate init(
        _ transaction: AuthorizationTransaction, _ fields: FormParameters, _ request: Request, _ context: WebContext
    ) {
        self.transaction = transaction
        self.fields = fields
        self.request = request
        self.context = context
    }
}

/// A form of a page of a transaction, without a session.
struct TransactionForm: Sendable {
    let opened: OpenedTransaction
    let form: SameSiteForm

    fileprivate init(_ opened: OpenedTransaction, _ form: SameSiteForm) {
        self.opened = opened
        self.form = form
    }

    var transaction: AuthorizationTransaction { opened.transaction }
    var browser: String { form.browser }
    var request: Request { opened.request }
    var context: WebContext { opened.context }
}

extension Demand {
    static let transaction = Demand(.transaction, PageProblem.expired.refusal)
}

extension Checks {
    /// The kind under which transactions are sealed.
    private static let seal = "authorization"

    func sealed(_ transaction: AuthorizationTransaction) -> String {
        services.transactions.close(transaction, kind: Self.seal)
    }

    /// The transaction that comes with a request; `nil`: there is none, or this server did not seal it.
    func transaction(in fields: FormParameters) -> AuthorizationTransaction? {
        fields.values("transaction").first.flatMap {
            services.transactions.open($0, as: AuthorizationTransaction.self, kind: Self.seal)
        }
    }

    /// A page of a transaction.
    ///
    /// - Parameter isOffered: `false` if the operator switched this page off.
    func transactionPage(isOffered: Bool = true) -> Check<OpenedTransaction> {
        Check(.transaction) { request, context in
            try opened(try request.queryParameters(), isOffered, request, context)
        }
    }

    /// A form that carries a transaction; nothing else is checked.
    func transactionInForm(isOffered: Bool = true) -> Check<OpenedTransaction> {
        anyForm.then(.transaction) { fields, request, context in try opened(fields, isOffered, request, context) }
    }

    /// A form of a transaction's page, without a session.
    func transactionForm(isOffered: Bool = true) -> Check<TransactionForm> {
        transactionInForm(isOffered: isOffered).then(.sameSite) { opened, request, _ in
            TransactionForm(opened, try sameSite(opened.fields, request))
        }
    }

    /// ``transactionForm(isOffered:)`` for the first page: see ``sameSiteOrOrigin(_:_:)``.
    var loginForm: Check<TransactionForm> {
        transactionInForm().then(.sameSite) { opened, request, _ in
            TransactionForm(opened, try sameSiteOrOrigin(opened.fields, request))
        }
    }

    private func opened(
        _ fields: FormParameters, _ isOffered: Bool, _ request: Request, _ context: WebContext
    ) throws(PageProblem) -> OpenedTransaction {
        guard isOffered, let transaction = transaction(in: fields) else { throw .expired }
        return OpenedTransaction(transaction, fields, request, context)
    }
}
