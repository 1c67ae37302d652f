internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import Model
internal import SignIn

/// The way out to an identity provider, for every page that leads there.
struct FederationGate: Sendable {
    let services: IdentityServices
    let presenter: Presenter
    let addresses: ClientAddress
    let protocols: ConnectionProtocols

    /// The address of a provider's button.
    static func startPath(_ connection: String) -> String { "/federation/\(connection)/start" }

    /// The connections with a button: the project's, those of one tenant, or both.
    var offered: [Connection] {
        services.connections.connections(of: nil).filter { $0.isEnabled && protocols.of($0) != nil }
    }

    /// Whether a tenant's users can be led to their own provider.
    var hasOrganisations: Bool {
        services.connections.all.contains {
            $0.tenantID != nil && $0.isEnabled && !$0.domains.isEmpty && protocols.of($0) != nil
        }
    }

    /// A connection that users can be led to.
    func connection(_ id: String) -> Connection? {
        services.connections.connection(id).flatMap { $0.isEnabled && protocols.of($0) != nil ? $0 : nil }
    }

    /// The connection of an address's domain. It depends on the domain alone, so that it does not say who has an
    /// account.
    func connection(forAddress typed: String) async throws -> Connection? {
        guard let domain = Identifier(loginID: typed).flatMap({ EmailDomain(ofAddress: $0.value) }) else { return nil }
        for connection in services.connections.all {
            guard let tenant = connection.tenantID, connection.domains.contains(domain.name),
                self.connection(connection.id) != nil,
                try await services.federation.domains.isProven(domain, of: tenant, for: connection)
            else { continue }
            return connection
        }
        return nil
    }

    /// Sends the user to the provider.
    ///
    /// - Parameters:
    ///   - connection: where to.
    ///   - purpose: what follows.
    ///   - browser: the mark of the browser, the only one that can come back.
    ///   - loginHint: the typed name, for the provider.
    ///   - isForced: whether the provider must ask the user again.
    ///   - maxAge: how long ago the user may have authenticated there, in seconds; `nil`: any time.
    ///   - afterForm: whether this answers a form, which may not redirect to another site.
    ///   - request: of the page.
    ///   - context: of the page.
    ///   - look: of the page.
    /// - Throws: ``ConnectionProblem``.
    func depart(
        to connection: Connection, _ purpose: FederationState.Purpose, in browser: String, loginHint: String? = nil,
        isForced: Bool = false, maxAge: Int64? = nil, afterForm: Bool = false, _ request: Request,
        _ context: WebContext, look: PageLook
    ) async throws -> Response {
        guard let speaker = protocols.of(connection) else { throw ConnectionProblem(.misconfigured, code: "kind") }
        try await spend(request, context)
        let states = services.federation.states
        let handle = states.makeHandle()
        let departure = try await speaker.begin(
            ConnectionStart(handle: handle, loginHint: loginHint, isForced: isForced, maxAge: maxAge),
            at: connection)
        try await states.keep(
            FederationState(
                connectionID: connection.id, purpose: purpose, browser: Cookies.digest(of: browser),
                protocolState: departure.protocolState, startedAt: services.ambient.now(), isForced: isForced,
                maxAge: maxAge),
            under: handle)
        return lead(departure.way, to: connection, afterForm: afterForm, look: look)
    }

    /// The way through the browser to a provider.
    ///
    /// - Parameters:
    ///   - way: where to.
    ///   - connection: whose provider it is.
    ///   - afterForm: whether this answers a form, which may not redirect to another site.
    ///   - look: of the page.
    func lead(_ way: ConnectionDeparture.Way, to connection: Connection, afterForm: Bool, look: PageLook) -> Response {
        switch way {
        case .redirect(let address):
            guard afterForm else { return .seeOther(address) }
            var response = presenter.response(DeparturePage(provider: connection.name, uri: address), look: look)
            response.headers[.refresh] = "0; url=\(address)"
            return response
        case .post(let action, let fields):
            return presenter.response(
                DepartureFormPage(provider: connection.name, action: action, fields: fields), look: look)
        }
    }

    private func spend(_ request: Request, _ context: WebContext) async throws {
        guard try await mayDepart(from: addresses.address(of: request, context)) else {
            throw ConnectionProblem(.unavailable, code: "too_many")
        }
    }

    /// Whether a network may begin another sign-in: each keeps a row for some minutes.
    func mayDepart(from address: NetworkAddress?) async throws -> Bool {
        let network = address?.network ?? "unknown"
        let charge = RateLimitCharge(
            "federation:\(network)", max: Limits.departuresMax, windowSeconds: Limits.federationSeconds)
        return try await services.stores.rateLimits.spend([charge], at: services.ambient.now()) == nil
    }
}

extension HTTPField.Name {
    /// Leads to another address after the page is shown.
    static let refresh = HTTPField.Name("Refresh")!
}
