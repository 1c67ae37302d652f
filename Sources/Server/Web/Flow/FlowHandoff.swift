internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

/// `/flow/provider`: the app shows a provider in the system's browser, or in a sheet of the system, and the page goes
/// on with what came of it. Without the app's code the provider is shown in the same browser.
extension FlowRoutes {
    private var federation: MethodFederation {
        MethodFederation(services.federation, core: services.methods.codes.core)
    }

    /// `GET /flow/provider`.
    @Sendable func showHandoff(
        _ opened: OpenedTransaction, _ request: Request, _ context: WebContext
    ) async throws -> Response {
        let transaction = opened.transaction
        let flow = try flow(transaction, in: signIn.cookies.browser(request))
        guard let connection = opened.fields.values("connection").first.flatMap(signIn.gate.connection) else {
            return .seeOther(login(transaction, .refusal(.connectionOff)))
        }
        let hint = opened.fields.values("hint").first
        let asked = federation.asked(
            inFlow: flow, loginHint: hint, allowsSignUp: services.authorization.allowsSignUp(transaction))
        let ticket = federation.ticket(asked, at: connection, isForced: false)
        let browser = checks.browser(request)
        let sealed = checks.sealed(transaction)
        let page = FlowHandoffPage(
            form: PageForm(
                action: Routes.flowHandoff, transaction: sealed,
                csrf: checks.guardian.token(browser: browser, session: nil, transaction: sealed)),
            connection: connection, loginHint: hint,
            startURI: "\(services.project.issuer)\(DescopeFederationRoutes.departurePath)?ticket=\(ticket)",
            native: try await native(flow, connection, request, context),
            cancelledURI: login(transaction, .connection(.cancelled), connection),
            failedURI: login(transaction, .connection(.refused), connection))
        return presenter.response(
            page, look: signIn.authorize.look(transaction, request), cookies: [signIn.cookies.setBrowser(browser)])
    }

    /// What a sheet of the system is asked with; `nil`: the provider has no app's identifier, or too much was begun.
    private func native(
        _ flow: AppFlow, _ connection: Connection, _ request: Request, _ context: WebContext
    ) async throws -> NativeSocialStartAnswer? {
        guard connection.tenantID == nil, case .openID(let settings) = connection.settings,
            let clientID = settings.nativeClientIDs.first,
            try await signIn.gate.mayDepart(from: checks.addresses.address(of: request, context))
        else { return nil }
        let (stateID, nonce) = try await federation.startNative(
            .none, presented: nil, at: connection, inFlow: flow.id)
        return NativeSocialStartAnswer(clientID: clientID, stateID: stateID, nonce: nonce, isImplicit: true)
    }

    /// The first page, with why the provider came to nothing.
    private func login(
        _ transaction: AuthorizationTransaction, _ problem: FederationProblem, _ connection: Connection? = nil
    ) -> String {
        signIn.authorize.location(Routes.login, of: transaction) + "&problem=\(problem.word)"
            + (connection.map { "&connection=\($0.id)" } ?? "")
    }

    /// `POST /flow/provider`: what the app brought, or the user wants the provider here.
    @Sendable func handoff(
        _ posted: TransactionForm, _ request: Request, _ context: WebContext
    ) async throws -> Response {
        let transaction = posted.transaction
        let flow = try flow(transaction, in: posted.browser)
        guard let connection = try posted.form.one("connection").flatMap(signIn.gate.connection) else {
            return .seeOther(login(transaction, .refusal(.connectionOff)))
        }
        if try posted.form.one("action") == "here" {
            return try await signIn.depart(
                to: connection, posted.opened, in: posted.browser, loginHint: posted.form.one("hint"), afterForm: true)
        }
        let answer = try? JSONValue(
            parsing: Array((try posted.form.one("answer") ?? "").utf8),
            limits: JSONValue.Limits(bytesMax: Limits.methodBodyBytesMax, depthMax: Limits.bodyDepthMax))
        do {
            if try posted.form.one("kind") == "oauthNative" {
                return try await finishNative(answer?["nativeOAuth"] ?? .null, flow, at: connection, posted)
            }
            guard let code = answer?["exchangeCode"]?.stringValue else { throw MethodProblem.wrongExchangeCode }
            return try await finishWeb(Secret(code), flow, at: connection, posted)
        } catch is MethodProblem {
            services.auditLog.recordOnce(
                AuditEvent(
                    .identityRefused, at: services.ambient.now(),
                    address: checks.addresses.address(of: request, context)?.text, reason: "flow",
                    target: connection.id))
            return .seeOther(login(transaction, .connection(.refused), connection))
        }
    }

    private func finishWeb(
        _ code: Secret, _ flow: AppFlow, at connection: Connection, _ posted: TransactionForm
    ) async throws -> Response {
        let vouched: MethodFederation.Vouched
        switch try await federation.redeem(code, inFlow: flow, connection: { signIn.gate.connection($0) }) {
        case .pending(let handle, let other):
            guard other.id == connection.id else { throw MethodProblem.wrongExchangeCode }
            return askFirst(handle, connection, posted.transaction)
        case .user(let user): vouched = user
        }
        guard vouched.connection.id == connection.id else { throw MethodProblem.wrongExchangeCode }
        var began = signIn.beginning(posted.opened, in: posted.browser, .signIn, "")
        began.transaction.federated = SignInTransaction.Federated(
            key: vouched.key, session: nil, endsAt: nil, authenticatedAt: vouched.authenticatedAt)
        return try await signIn.proved(
            began, vouched.account.user, by: connection.tenantID == nil ? .social : .federated,
            isOfTwoFactors: vouched.isOfTwoFactors, tenant: connection.tenantID)
    }

    /// The first page, where the user signs in another way before the identity is linked.
    private func askFirst(
        _ handle: String, _ connection: Connection, _ transaction: AuthorizationTransaction
    ) -> Response {
        var transaction = transaction
        transaction.pendingIdentity = handle
        transaction.pendingConnection = connection.id
        return .seeOther(signIn.authorize.location(Routes.login, of: transaction))
    }

    private func finishNative(
        _ answer: JSONValue, _ flow: AppFlow, at connection: Connection, _ posted: TransactionForm
    ) async throws -> Response {
        let request = try NativeSocialFinishRequest(
            MethodBody(.object((answer.objectValue ?? [:]).merging(["provider": .string(connection.id)]) { $1 })))
        guard let idToken = request.idToken, let speaker = signIn.gate.protocols.of(connection) else {
            throw MethodProblem.wrongExchangeCode
        }
        let native = try await federation.native(request.stateID, at: connection, inFlow: flow.id)
        try await federation.spend(native)
        let profile: FederatedProfile
        do throws(ConnectionProblem) {
            profile = native.dated(
                try await speaker.verify(
                    NativeIDToken(idToken: idToken, nonce: native.nonce, names: request.name?.claims ?? [:]),
                    at: connection))
        } catch {
            return .seeOther(login(posted.transaction, .connection(error.kind), connection))
        }
        let address = checks.addresses.address(of: posted.request, posted.context)
        let transaction = posted.transaction
        let admitting = connection.admitting(newUsers: services.authorization.allowsSignUp(transaction))
        switch try await services.federation.admit(profile, at: admitting, from: address) {
        case .refused(let refusal): return .seeOther(login(transaction, .refusal(refusal), connection))
        case .ask:
            let handle = try await services.federation.keepPending(profile, at: connection, browser: flow.browser)
            return askFirst(handle, connection, transaction)
        case .user(let account, _):
            try await services.providerTokens.keep(profile, at: connection)
            return try await signIn.proved(
                account, by: profile, at: connection,
                FederatedEntry(authorization: transaction, landing: nil, browser: posted.browser), posted.request,
                posted.context)
        }
    }
}

extension NativeSocialName {
    /// As the claims of an ID token.
    fileprivate var claims: [String: String] {
        var claims: [String: String] = [:]
        claims["given_name"] = firstName
        claims["middle_name"] = middleName
        claims["family_name"] = lastName
        return claims
    }
}
