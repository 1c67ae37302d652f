internal import Identity
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

/// The step of a journey at which the user connects an account at an identity provider.
extension SignInRoutes {
    /// Back to the step, which says why nothing was connected.
    func stepURI(_ sealed: String, _ problem: FederationProblem, _ connection: String) -> String {
        "\(Self.stepPath)?transaction=\(sealed)&problem=\(problem.word)&connection=\(connection)"
    }

    func linkContent(_ link: JourneyLink, _ signIn: OpenedSignIn) -> JourneyStepPage.Content {
        let query = try? signIn.request.queryParameters()
        return .providers(
            linkable(link).map { ProviderButton($0) }, isRequired: link.isRequired,
            FederationProblem(word: query?.values("problem").first),
            provider: providerName(query?.values("connection").first))
    }

    /// Leaves for the provider that the user chose, or goes on without one.
    func submitLink(_ link: JourneyLink, _ signIn: OpenedSignIn, _ form: SameSiteForm, _ account: Account) async throws
        -> Response
    {
        if try form.one("action") == "skip" { return try await report(.linkDeclined, signIn, account.user) }
        let chosen = try form.one("connection")
        let sealed = signIn.sealed
        guard let connection = linkable(link).first(where: { $0.id == chosen }) else {
            return .seeOther(stepURI(sealed, .refusal(.connectionOff), ""))
        }
        do {
            return try await gate.depart(
                to: connection, .step(signIn: sealed), in: signIn.browser, afterForm: true, signIn.request,
                signIn.context, look: look(signIn))
        } catch let problem as ConnectionProblem {
            return .seeOther(stepURI(sealed, .connection(problem.kind), connection.id))
        }
    }

    /// The connections that the step accepts. Those of organisations only where it names them.
    private func linkable(_ link: JourneyLink) -> [Connection] {
        services.connections.all.filter { connection in
            gate.connection(connection.id) != nil
                && (link.connections.isEmpty ? connection.tenantID == nil : link.accepts(connection.id))
        }
    }
}
