public import KeyturnBase
internal import KeyturnWire
public import Model

/// Which journey a request takes, and whether a session completes it.
extension AuthorizationEndpoint {
    /// By which a request asks for a journey; one with an `acr` can be asked for by `acr_values` too.
    static let journeyParameter = "journey"

    func journeys(of client: Client) -> [Journey] { project.journeys.filter { $0.isOpen(to: client.id) } }

    /// The journey of a request; `nil`: the built-in one.
    ///
    /// - Throws: `invalid_request` for a name that is not open to the client.
    func journey(of request: AuthorizationRequest, _ claims: ClaimsRequest?, _ client: Client)
        throws(OAuthProblem) -> Journey?
    {
        let open = journeys(of: client)
        if let name = request.extra.values(Self.journeyParameter).first {
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
            var facts = try await journeyFacts(of: session.userID, in: journey, since: transaction.startedAt)
        else { return false }
        facts.add(session.authentication, since: transaction.startedAt)
        facts.isResumed = true
        facts.risks = session.origin.signals
        var record = JourneyRecord(name)
        return record.position(in: journey, facts) == .done
    }

    /// What is known of a user; `nil`: there is no such user.
    ///
    /// - Parameter time: of the request: a user who signed up since is new.
    public func journeyFacts(of user: UserID, in journey: Journey, since time: UnixTime)
        async throws(StoreError) -> JourneyFacts?
    {
        guard let account = try await stores.users.account(user) else { return nil }
        var facts = JourneyFacts(account, since: time)
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
