internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

extension SignInStepPage {
    /// The page of a journey's steps after the verification: one template for all of them.
    static let journey = SignInStepPage(
        step: .journey(""), path: SignInRoutes.stepPath, hasCommonButtons: false,
        show: { routes, signIn, problem in try await routes.journeyPage(signIn, [:], problem.refusal) },
        submit: { try await $0.submitJourney($1, $2) })
}

extension SignInRoutes {
    static let stepPath = "/login/step"

    /// The step at which a sign-in waits, and its demand.
    private func waiting(_ signIn: OpenedSignIn) async throws -> (Account, JourneyStep, SignInProgress.Demands) {
        guard case .journey(let name) = signIn.progress.step, let account = try await provenAccount(signIn) else {
            throw PageProblem.expired
        }
        let demands = try await demands(signIn, account.user.id)
        guard let step = demands.journey?.journey.step(name) else { throw PageProblem.expired }
        return (account, step, demands)
    }

    fileprivate func journeyPage(
        _ signIn: OpenedSignIn, _ refusals: [String: JourneyField.Refusal], _ refusal: Refusal?,
        typed: [String: String] = [:]
    ) async throws -> Response {
        let (account, step, demands) = try await waiting(signIn)
        let content: JourneyStepPage.Content
        switch step.kind {
        case .collect(let form):
            content = .fields(
                form.missing(from: demands.journey?.account.attributes ?? []).map {
                    JourneyStepPage.Field(field: $0, typed: typed[$0.name] ?? "", refusal: refusals[$0.name])
                })
        case .accept(let document): content = .document(document)
        case .chooseTenant:
            content = .tenants(
                tenants(of: account, signIn).sorted().map {
                    (id: $0, name: services.directory.tenant($0)?.name ?? $0)
                })
        case .link(let link): content = linkContent(link, signIn)
        case .stepUp: content = .factorMissing
        case .create: content = .accountExists
        default: content = .refused
        }
        return respond(
            JourneyStepPage(
                form: form(signIn), appName: appName(signIn.transaction), step: step, content: content),
            signIn, refusal)
    }

    /// Those that are content with this sign-in.
    private func tenants(of account: Account, _ signIn: OpenedSignIn) -> [String] {
        let counted = services.directory.memberships(
            account.memberships, of: account.user.id, vouchedBy: signIn.progress.proven?.tenantID)
        return Array(counted.tenants.keys)
    }

    fileprivate func submitJourney(_ signIn: OpenedSignIn, _ form: SameSiteForm) async throws -> Response {
        let (account, step, demands) = try await waiting(signIn)
        switch step.kind {
        case .collect(let asked): return try await collect(asked, signIn, form, account, demands)
        case .accept(let document):
            guard try form.one("action") == "accept" else { return try await journeyPage(signIn, [:], Refusal()) }
            try await services.journeyAnswers.accept(document, by: account, after: try facts(signIn))
            return try await report(.accepted, signIn, account.user)
        case .chooseTenant:
            guard let tenant = try form.one("tenant"), tenants(of: account, signIn).contains(tenant) else {
                return try await journeyPage(signIn, [:], Refusal())
            }
            return try await report(.tenantChosen(tenant), signIn, account.user)
        case .link(let link):
            return try await submitLink(link, signIn, form, account)
        default:
            return try await journeyPage(signIn, [:], nil)
        }
    }

    /// Stores what the user filled in: all of it, or nothing.
    private func collect(
        _ asked: JourneyForm, _ signIn: OpenedSignIn, _ form: SameSiteForm, _ account: Account,
        _ demands: SignInProgress.Demands
    ) async throws -> Response {
        let now = services.ambient.now()
        var values: [(JourneyField, JSONValue)] = []
        var refusals: [String: JourneyField.Refusal] = [:]
        var typed: [String: String] = [:]
        let skips = try form.one("action") == "skip"
        for field in asked.missing(from: demands.journey?.account.attributes ?? []) where !skips || field.isRequired {
            let text = String((try form.one("field-\(field.name)") ?? "").prefix(4 * Limits.journeyTextLengthMax))
            typed[field.name] = text
            do throws(JourneyField.Refusal) {
                if let value = try field.value(of: text, today: CivilDay(of: now)) { values.append((field, value)) }
            } catch {
                refusals[field.name] = error
            }
        }
        guard refusals.isEmpty else { return try await journeyPage(signIn, refusals, Refusal(), typed: typed) }
        try await services.journeyAnswers.keep(values, of: account, after: try facts(signIn))
        return try await report(.collected, signIn, account.user)
    }

    /// How the user of a sign-in in progress was verified.
    private func facts(_ signIn: OpenedSignIn) throws(PageProblem) -> AuthenticationFacts {
        guard let proven = signIn.progress.proven else { throw .expired }
        return proven.facts
    }

    func report(_ report: JourneyRecord.Report, _ signIn: OpenedSignIn, _ user: User) async throws -> Response {
        var signIn = signIn
        // Read again: the account has changed.
        try signIn.transaction.progress.apply(.journeyReported(report, try await demands(signIn, user.id)))
        return try await goOn(signIn, user)
    }

    /// Makes the calls that the journey has come to.
    func called(_ signIn: OpenedSignIn, _ user: User) async throws -> OpenedSignIn {
        var signIn = signIn
        while case .journey = signIn.progress.step {
            let (account, step, demands) = try await waiting(signIn)
            guard case .call(let call) = step.kind, let demand = demands.journey else { break }
            let outcome = await services.journeyCalls.outcome(
                of: call, body: body(of: step, demand, signIn, account),
                key: key(of: step, in: demand.journey, for: user, signIn))
            services.auditLog.record(
                AuditEvent(
                    .journeyCalled, at: services.ambient.now(), userID: user.id,
                    reason: "\(demand.journey.name)/\(step.name): \(outcome ?? "failed")"))
            try signIn.transaction.progress.apply(
                .journeyReported(.called(outcome), try await self.demands(signIn, user.id)))
        }
        return signIn
    }

    /// The same for each repetition of a call, and for no other sign-in.
    private func key(of step: JourneyStep, in journey: Journey, for user: User, _ signIn: OpenedSignIn) -> String {
        let transaction = signIn.transaction
        let parts = [
            signIn.browser, "\(transaction.startedAt.rawValue)", transaction.authorization?.identity ?? "",
            journey.name, step.name, user.id.rawValue,
        ]
        let text = parts.map { "\($0.utf8.count):\($0)" }.joined()
        return Base64URL.encode(SecretDigest(of: Secret(text)).bytes)
    }

    private func body(of step: JourneyStep, _ demand: JourneyDemand, _ signIn: OpenedSignIn, _ account: Account)
        -> JSONValue
    {
        .object([
            "journey": .string(demand.journey.name), "step": .string(step.name),
            "client_id": (signIn.transaction.authorization?.clientID).map(JSONValue.string) ?? .null,
            "sub": .string(account.user.id.rawValue), "claims": .object(account.user.claims),
            "attributes": .object(account.user.attributes),
            "tenants": .array(account.memberships.tenants.keys.sorted().map(JSONValue.string)),
            "amr": .array((signIn.progress.proven?.facts.inClaims.methods ?? []).map(JSONValue.string)),
            "inputs": .object(demand.account.inputs.values.mapValues(JSONValue.string)),
            "new_user": .bool(demand.account.isNewUser),
            "ip": (addresses.address(of: signIn.request, signIn.context)).map { .string($0.text) } ?? .null,
        ])
    }
}
