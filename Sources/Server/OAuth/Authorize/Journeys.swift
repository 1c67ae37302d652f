internal import KeyturnBase
public import KeyturnWire
public import Model

/// Which journey a request takes, and whether a session completes it.
extension AuthorizationEndpoint {
    /// By which a request asks for a journey; one with an `acr` can be asked for by `acr_values` too.
    static let journeyParameter = "journey"
    /// The same in Authgear's wire.
    static let flowGroupParameter = "x_authentication_flow_group"
    /// What the app tells the journey, as a JSON object.
    public static let journeyInputsParameter = "journey_inputs"

    func journeys(of client: Client) -> [Journey] { project.journeys.filter { $0.isOpen(to: client.id) } }

    /// The journey of a request; `nil`: the built-in one.
    ///
    /// - Throws: `invalid_request` for a name that is not open to the client.
    func journey(of request: AuthorizationRequest, _ claims: ClaimsRequest?, _ client: Client)
        throws(OAuthProblem) -> Journey?
    {
        let open = journeys(of: client)
        let names = [Self.journeyParameter, Self.flowGroupParameter].compactMap { request.extra.values($0).first }
        if let name = names.first {
            guard let journey = open.first(where: { $0.name == name }) else {
                throw OAuthProblem(.invalidRequest, "there is no journey of this name for the client")
            }
            return journey
        }
        let wanted =
            (claims?.idToken["acr"]?.values.compactMap(\.stringValue) ?? [])
            + (request.acrValues?.split(separator: " ").map(String.init) ?? [])
        for word in wanted {
            if let journey = open.first(where: { $0.contextClass == word }) { return journey }
        }
        let defaults = open.filter(\.isDefault)
        return defaults.first { !$0.clients.isEmpty } ?? defaults.first
    }

    /// What the app tells the journey of a request; `nil`: nothing.
    ///
    /// - Throws: `invalid_request` for anything but an object of texts, numbers and booleans, or a long one.
    func journeyInputs(of request: AuthorizationRequest) throws(OAuthProblem) -> JourneyInputs? {
        guard let text = request.extra.values(Self.journeyInputsParameter).first else { return nil }
        guard let inputs = JourneyInputs(json: text) else { throw .journeyInputs }
        return inputs
    }

    /// Whether new users may sign up in a transaction.
    public func allowsSignUp(_ transaction: AuthorizationTransaction) -> Bool {
        journey(of: transaction)?.allowsSignUp ?? true
    }

    /// Whether the journey reads what the app says, and nothing was said yet.
    public func awaitsInputs(_ transaction: AuthorizationTransaction) -> Bool {
        transaction.journeyInputs == nil && journey(of: transaction)?.readsInputs ?? false
    }

    /// The journey of a transaction; `nil`: the built-in one, or it was removed since.
    public func journey(of transaction: AuthorizationTransaction) -> Journey? {
        transaction.journey.flatMap(project.journey)
    }

    /// Whether nothing of the journey is left to do for the user of a session.
    func completesJourney(_ transaction: AuthorizationTransaction, _ session: BrowserSession)
        async throws(StoreError) -> Bool
    {
        guard let name = transaction.journey, transaction.authenticatedSession != session.id.rawValue else {
            return true
        }
        guard let journey = project.journey(name),
            var facts = try await journeyFacts(of: session.userID, in: journey, transaction)
        else { return false }
        facts.add(session.authentication, since: transaction.startedAt)
        facts.isResumed = true
        facts.risks = session.origin.signals
        var record = JourneyRecord(name)
        return record.position(in: journey, facts) == .done
    }

    /// What is known of a user; `nil`: there is no such user.
    ///
    /// A user who signed up since the request is new.
    public func journeyFacts(of user: UserID, in journey: Journey, _ transaction: AuthorizationTransaction)
        async throws(StoreError) -> JourneyFacts?
    {
        guard let account = try await stores.users.account(user) else { return nil }
        var facts = JourneyFacts(account, since: transaction.startedAt)
        facts.inputs = transaction.journeyInputs ?? .none
        if journey.steps.contains(where: { if case .link = $0.kind { true } else { false } }) {
            facts.linked = Set(try await stores.identities.identities(of: user).map(\.key.connectionID))
        }
        return facts
    }

    /// The facts for tokens: with the journey's own class, since it is complete.
    func completed(_ transaction: AuthorizationTransaction, _ facts: AuthenticationFacts) -> AuthenticationFacts {
        var facts = facts
        facts.contextClass = transaction.journeyClass ?? facts.contextClass
        return facts
    }
}

extension OAuthProblem {
    /// For what is no ``JourneyInputs``.
    public static let journeyInputs = OAuthProblem(
        .invalidRequest,
        "journey_inputs is not a JSON object of texts, numbers and booleans, or longer than "
            + "\(Limits.journeyInputsBytesMax) bytes")
}
