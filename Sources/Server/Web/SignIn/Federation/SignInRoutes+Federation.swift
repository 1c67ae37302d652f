internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

/// The buttons of identity providers on the first page, and the end of a sign-in that began there.
extension SignInRoutes {
    static let organisationAction = "organisation"

    /// The providers that the first page offers; the one that this browser used last comes first.
    ///
    /// - Parameter organisation: where the user must sign in; it comes before the others.
    func providers(_ request: Request, for user: User?, of organisation: Connection? = nil) -> LoginPage.Providers {
        let last = organisation?.id ?? cookies.lastConnection(request)
        var buttons = gate.offered.map { ProviderButton($0, isLastUsed: $0.id == last) }
        if let last, !buttons.contains(where: \.isLastUsed), let connection = gate.connection(last) {
            // A tenant's own provider has a button in browsers that have used it.
            buttons.insert(ProviderButton(connection, isLastUsed: true), at: 0)
        }
        buttons.sort { $0.isLastUsed && !$1.isLastUsed }
        return LoginPage.Providers(buttons: buttons, hasOrganisations: gate.hasOrganisations)
    }

    /// The button of an organisation; `nil`: the form was sent by another button.
    func departure(_ action: String?, _ posted: TransactionForm) async throws -> Response? {
        guard action == Self.organisationAction else { return nil }
        let typed = posted.form.values("username").first.map { String($0.prefix(Identifier.bytesMax)) } ?? ""
        guard let connection = try await gate.connection(forAddress: typed) else {
            if let name = Identifier(loginID: typed), name.kind == .email,
                let directory = try await services.directories.connection(for: name), directory.tenantID != nil
            {
                return try await loginAgain(
                    posted, .federation(.passwordHere, provider: directory.name), .unprocessableContent)
            }
            return try await loginAgain(
                posted, typed.isEmpty ? .nameMissing : .federation(.noOrganisation, provider: ""),
                .unprocessableContent)
        }
        return try await depart(
            to: connection, posted.opened, in: posted.browser, loginHint: typed, afterForm: true)
    }

    /// Leaves for a provider; if that fails, the page says why.
    ///
    /// - Parameter isUnseen: whether the browser was led there without a page on which the user chose it.
    func depart(
        to connection: Connection, _ opened: OpenedTransaction, in browser: String, loginHint: String?,
        afterForm: Bool = false, isUnseen: Bool = false
    ) async throws -> Response {
        var transaction = opened.transaction
        transaction.isUnseen = isUnseen ? true : nil
        let sealed = checks.sealed(transaction)
        let maxAge = ageMax(transaction)
        // Some providers refuse to be shown in the web view of an app.
        if transaction.flow != nil, opened.request.target.path != Routes.flowHandoff {
            return .seeOther(Routes.handoff(to: connection.id, sealed, loginHint: loginHint))
        }
        do {
            var response = try await gate.depart(
                to: connection, .signIn(transaction: sealed), in: browser, loginHint: loginHint,
                isForced: transaction.asks(.login) || maxAge == 0, maxAge: maxAge, afterForm: afterForm,
                opened.request, opened.context, look: authorize.look(transaction, opened.request))
            response.headers.append(HTTPField(name: .setCookie, value: cookies.setBrowser(browser)))
            return response
        } catch let problem as ConnectionProblem {
            services.auditLog.recordOnce(
                AuditEvent(
                    .identityRefused, at: services.ambient.now(), reason: problem.code, target: connection.id))
            let word = FederationProblem.connection(problem.kind).word
            return .seeOther(
                "\(Routes.login)?transaction=\(sealed)&problem=\(word)&connection=\(connection.id)",
                cookies: [cookies.setBrowser(browser)])
        }
    }

    /// How long ago the user may have authenticated, for the app and for the journey; `nil`: any time.
    private func ageMax(_ transaction: AuthorizationTransaction) -> Int64? {
        let steps = services.authorization.journey(of: transaction)?.steps ?? []
        let ages = steps.compactMap { step in if case .prove(let proof) = step.kind { proof.maxAgeSeconds } else { nil }
        }
        return (ages + [transaction.maxAge].compactMap(\.self)).min()
    }

    /// What the address of the page says: a problem at a provider, by words of our own alone.
    func federationProblem(_ fields: FormParameters) -> LoginPage.Problem? {
        guard let problem = FederationProblem(word: fields.values("problem").first) else { return nil }
        return .federation(problem, provider: providerName(fields.values("connection").first))
    }

    /// The provider of the organisation that wants its users to sign in there.
    func organisation(_ fields: FormParameters) -> Connection? {
        guard FederationProblem(word: fields.values("problem").first) == .refusal(.singleSignOn) else { return nil }
        return fields.values("connection").first.flatMap(gate.connection)
    }

    func providerName(_ connection: String?) -> String {
        connection.flatMap { services.connections.connection($0)?.name } ?? services.project.name
    }

    /// Goes on with a user whom a provider vouched for: its word is one factor; two if the operator says so of its class.
    func proved(
        _ account: Account, by profile: FederatedProfile, at connection: Connection, _ entry: FederatedEntry,
        _ request: Request, _ context: WebContext
    ) async throws -> Response {
        let progress = SignInProgress(
            .signIn, loginID: "", channel: DeliveryMethod.email.rawValue, browser: Cookies.digest(of: entry.browser))
        var begun = SignInTransaction(
            authorization: entry.authorization, progress: progress, startedAt: services.ambient.now())
        begun.landing = entry.landing
        begun.federated = SignInTransaction.Federated(
            key: profile.key(at: connection.id), session: profile.session, name: profile.sessionName,
            endsAt: profile.sessionEndsAt, authenticatedAt: profile.authenticatedAt)
        let opened = OpenedSignIn(
            transaction: begun, sealed: "", request: request, context: context, browser: entry.browser)
        var response = try await proved(
            opened, account.user, by: connection.tenantID == nil ? .social : .federated,
            isOfTwoFactors: connection.vouchesForTwoFactors(profile, of: account), tenant: connection.tenantID)
        response.headers.append(HTTPField(name: .setCookie, value: cookies.setLastConnection(connection.id)))
        return response
    }

    /// Links the identity that waits for this sign-in, and remembers the session that began at a provider.
    func finishFederation(_ signIn: OpenedSignIn, _ user: User, _ session: BrowserSession) async throws {
        if let federated = signIn.transaction.federated {
            try await services.stores.identities.note(
                session: session.id, of: federated.key, providerSession: federated.session,
                providerName: federated.name, expiresAt: session.expiresAt)
            // A notice of the provider that came a moment ago found no session of it.
            guard try await provenAccount(signIn) != nil else {
                _ = try await services.stores.sessions.end(session.id, of: user.id, at: services.ambient.now())
                throw PageProblem.expired
            }
        }
        guard let handle = signIn.transaction.authorization?.pendingIdentity, let proven = signIn.progress.proven
        else { return }
        try await services.federation.finishPending(
            handle, to: user.id, by: proven.facts, in: Cookies.digest(of: signIn.browser),
            connection: { services.connections.connection($0) },
            from: addresses.address(of: signIn.request, signIn.context))
    }
}

/// Where a user goes whom a provider vouched for.
struct FederatedEntry: Sendable {
    /// The request of an app; `nil`: none.
    let authorization: AuthorizationTransaction?
    /// Without a request of an app: an address that the operator listed; `nil`: the settings.
    let landing: String?
    /// The mark of the browser.
    let browser: String
}
