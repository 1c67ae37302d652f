internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

/// The first page of a journey: who signs in, and by which methods.
extension SignInRoutes {
    static let identifyAction = "identify"
    /// In the address of the first page: the user wants to sign in where the sign-up page would come first.
    static let pageField = "page"
    static let signInPage = "login"
    /// The word in the address of the first page after a method that the journey does not accept.
    static let methodRefused = "method"

    /// What the first page asks for in a transaction. A journey narrows what the project allows, and widens nothing.
    func entry(_ transaction: AuthorizationTransaction) -> JourneyEntry {
        let entry = journeyEntry(transaction)
        return services.methods.opensAccounts ? entry : entry.withoutSignUp
    }

    private func journeyEntry(_ transaction: AuthorizationTransaction) -> JourneyEntry {
        guard let journey = services.authorization.journey(of: transaction) else {
            return transaction.journey == nil ? .open : .gone
        }
        var facts = JourneyFacts()
        facts.inputs = transaction.journeyInputs ?? .none
        if let typed = transaction.typedLoginID {
            facts.isIdentified = true
            facts.domains = Set(Identifier(loginID: typed).flatMap(JourneyFacts.domain).map { [$0] } ?? [])
        }
        return JourneyEntry(journey, facts)
    }

    /// `action=identify`: the name is typed, and decides which methods the page offers.
    func identify(_ posted: TransactionForm) async throws -> Response {
        let typed = String((try posted.form.one("username") ?? "").prefix(Identifier.bytesMax))
        guard Identifier(loginID: typed) != nil else {
            return try await loginAgain(posted, .nameMissing, .unprocessableContent)
        }
        var transaction = posted.transaction
        transaction.typedLoginID = typed
        return .seeOther(authorize.location(Routes.login, of: transaction))
    }

    /// Goes on from the session that the browser has; `nil`: it cannot, and the user signs in.
    func resume(_ opened: OpenedTransaction, _ person: SignedInPerson, in browser: String) async throws -> Response? {
        let transaction = opened.transaction
        let now = services.ambient.now()
        guard let journey = services.authorization.journey(of: transaction), !transaction.needsSignIn(person.session),
            try await !services.authorization.lacksFactor(transaction, person.session),
            var facts = try await services.authorization.journeyFacts(
                of: person.user.id, in: journey, transaction)
        else { return nil }
        facts.add(person.session.authentication, since: transaction.startedAt)
        facts.risks = person.session.origin.signals
        var record = JourneyRecord(journey.name)
        switch record.position(in: journey, facts) {
        case .at(let step):
            switch step.kind {
            case .identify, .prove, .create: return nil
            // An older verification does not combine with a second factor, and opens no other way in.
            case .stepUp where now > person.session.authentication.time + Limits.secondFactorSeconds: return nil
            case .link where now >= person.session.authentication.time + Limits.sensitiveSeconds: return nil
            default: break
            }
        case .refused: break
        case .done, nil: return nil
        }
        let account = try await services.stores.users.account(person.user.id)
        var signIn = beginning(opened, in: browser, .signIn, account?.identifiers.keys.map(\.value).min() ?? "")
        signIn.transaction.resumed = checks.sessionMark(opened.request)
        signIn.transaction.risk = SignInRisk(of: person.session)
        signIn.transaction.progress.resumedAt = now
        return try await proved(signIn, person.user, person.session.authentication.inMethods)
    }

    /// The page of a journey that refuses the sign-in before anyone is known.
    func refusedEntry(
        _ transaction: AuthorizationTransaction, _ client: Client, _ step: JourneyStep?, _ request: Request
    ) -> Response {
        let browser = checks.browser(request)
        let sealed = checks.sealed(transaction)
        return presenter.response(
            JourneyStepPage(
                form: PageForm(
                    action: Routes.login, transaction: sealed,
                    csrf: guardian.token(browser: browser, session: nil, transaction: sealed),
                    redirectOrigins: [transaction.redirectURI]),
                appName: client.name, step: step ?? JourneyStep("refused", .refuse), content: .refused),
            look: authorize.look(transaction, request), cookies: [cookies.setBrowser(browser)])
    }

    /// What the second factor must be, where the sign-in stands; `nil`: the journey asks for none.
    func stepUpProof(_ signIn: OpenedSignIn) -> JourneyProof? {
        guard let transaction = signIn.transaction.authorization, signIn.progress.needsPasskey == true,
            let journey = services.authorization.journey(of: transaction)
        else { return nil }
        let proofs = journey.steps.compactMap { if case .stepUp(let proof) = $0.kind { proof } else { nil } }
        return proofs.count == 1 ? proofs[0] : nil
    }

    /// The session that a sign-in went on from and that did not change; `nil`: a new one is opened.
    ///
    /// - Throws: ``PageProblem/expired`` if it has ended since.
    func resumedSession(_ signIn: OpenedSignIn) async throws -> (BrowserSession, User)? {
        guard let mark = signIn.transaction.resumed else { return nil }
        guard let person = try await checks.person(signIn.request), checks.sessionMark(signIn.request) == mark else {
            throw PageProblem.expired
        }
        let isStronger = signIn.progress.proven?.facts.methods != person.session.authentication.inMethods.methods
        return isStronger ? nil : person.asPair
    }
}

/// What the first page of a journey asks for.
struct JourneyEntry: Sendable {
    enum Way: Sendable {
        /// As without a journey.
        case open
        /// The name alone: the methods depend on it.
        case identify
        /// The name, and one of these methods.
        case prove(JourneyProof)
        /// Nothing: the sign-in is refused.
        case refused
    }

    let way: Way
    /// Whose texts the page shows; `nil`: built-in ones.
    let step: JourneyStep?
    private(set) var allowsSignUp: Bool
    /// Whether the project lets no user open an account.
    private(set) var isSignUpClosed = false
    /// Whether the sign-up page comes first.
    var beginsWithSignUp = false
    /// Whether users with an account may sign in.
    var allowsSignIn = true

    static let open = JourneyEntry(way: .open, step: nil, allowsSignUp: true)
    static let gone = JourneyEntry(way: .refused, step: nil, allowsSignUp: false)

    private init(way: Way, step: JourneyStep?, allowsSignUp: Bool) {
        (self.way, self.step, self.allowsSignUp) = (way, step, allowsSignUp)
    }

    init(_ journey: Journey, _ facts: JourneyFacts) {
        var record = JourneyRecord(journey.name)
        switch record.position(in: journey, facts) {
        case .at(let step): self.init(at: step, of: journey)
        case .refused(let step): self.init(way: .refused, step: step, allowsSignUp: false)
        case .done, nil: self = .gone
        }
    }

    private init(at step: JourneyStep, of journey: Journey) {
        let allowsSignUp = journey.allowsSignUp
        switch step.kind {
        case .prove(let proof): self.init(way: .prove(proof), step: step, allowsSignUp: allowsSignUp)
        case .create(let proof, let allowsSignIn):
            self.init(way: .prove(proof), step: step, allowsSignUp: true)
            (beginsWithSignUp, self.allowsSignIn) = (true, allowsSignIn)
        case .identify:
            // One page for both, if nothing is decided between.
            if let next = step.next.flatMap(journey.step), case .prove(let proof) = next.kind, next.condition == nil {
                self.init(
                    way: .prove(proof), step: step.title.isEmpty && step.text.isEmpty ? next : step,
                    allowsSignUp: allowsSignUp)
            } else {
                self.init(way: .identify, step: step, allowsSignUp: false)
            }
        default: self.init(way: .refused, step: step, allowsSignUp: false)
        }
    }

    /// The same in a project that lets no user open an account.
    var withoutSignUp: JourneyEntry {
        var entry = self
        (entry.allowsSignUp, entry.isSignUpClosed) = (false, true)
        // Otherwise the sign-up page, which says that it is closed, would come before the users who may sign in.
        entry.beginsWithSignUp = beginsWithSignUp && !allowsSignIn
        return entry
    }

    /// Whether a method that proves one of these may be used.
    func allows(_ methods: Set<AuthenticationMethod>) -> Bool {
        switch way {
        case .open: true
        case .prove(let proof):
            proof.methods.isEmpty ? proof.connections.isEmpty : !proof.methods.isDisjoint(with: methods)
        case .identify, .refused: false
        }
    }

    /// Whether a connection may be used.
    func allows(_ connection: Connection) -> Bool {
        switch way {
        case .open: return true
        case .prove(let proof):
            guard proof.connections.isEmpty else { return proof.connections.contains(connection.id) }
            return proof.methods.isEmpty || !proof.methods.isDisjoint(with: [.social, .federated])
        case .identify, .refused: return false
        }
    }

    /// The only way there is, which needs no page; `nil`: the user chooses.
    var onlyConnection: String? {
        guard case .prove(let proof) = way, proof.methods.isEmpty, proof.connections.count == 1 else { return nil }
        return proof.connections.first
    }
}

extension LoginPage.Providers {
    /// Without the connections that a journey does not accept.
    func filtered(_ entry: JourneyEntry, _ gate: FederationGate) -> LoginPage.Providers {
        var result = self
        result.buttons = buttons.filter { button in gate.connection(button.id).map(entry.allows) ?? false }
        if !entry.allows([.federated]) { result.hasOrganisations = false }
        return result
    }
}
