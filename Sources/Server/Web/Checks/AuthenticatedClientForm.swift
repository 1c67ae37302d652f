internal import HTTPTypes
internal import Identity
internal import KeyturnWire
internal import Model
internal import OAuth

/// A client that authenticated, and its form.
struct AuthenticatedClientForm: Sendable {
    let client: AuthenticatedClient
    let form: FormParameters

    fileprivate init(_ client: AuthenticatedClient, _ form: FormParameters) {
        self.client = client
        self.form = form
    }
}

/// A form in which a client may name itself: if it does, it authenticated.
struct NamedClientForm: Sendable {
    /// `nil`: no client is named. The holder of a token may exchange it for one with fewer rights.
    let client: AuthenticatedClient?
    let form: FormParameters

    fileprivate init(_ client: AuthenticatedClient?, _ form: FormParameters) {
        self.client = client
        self.form = form
    }
}

extension Demand {
    /// - Parameter status: of the refusal; clients that used the scheme of the challenge get 401 everywhere.
    fileprivate static func client(status: Int) -> Demand { Demand(.client, .error(status, "invalid_client")) }
    fileprivate static let confidentialClient = Demand(.confidentialClient, .error(400, "invalid_client"))
    fileprivate static let namedClient = Demand(
        .namedClient, .error(400, "invalid_client"), but: [.missing: .admitted])
}

extension Checks {
    /// A client that authenticates; a public client only sends its name.
    ///
    /// - Parameter status: of the refusal.
    func client(status: Int = 400) -> Check<AuthenticatedClientForm> {
        Check(.client(status: status)) { request, _ in try await authenticated(request) }
    }

    /// Refuses public clients, which cannot authenticate.
    var confidentialClient: Check<AuthenticatedClientForm> {
        Check(.confidentialClient) { request, _ in
            let found = try await authenticated(request)
            guard !found.client.client.isPublic else {
                throw OAuthProblem(.invalidClient, "introspection needs a client that authenticates")
            }
            return found
        }
    }

    var namedClient: Check<NamedClientForm> {
        Check(.namedClient) { request, _ in try await named(request) }
    }

    /// ``namedClient`` at an address that is checked first.
    ///
    /// - Parameter place: what the address names; throws if there is nothing.
    func namedClient<Place: Sendable>(
        at place: @escaping @Sendable (Request) throws -> Place
    ) -> Check<(place: Place, asking: NamedClientForm)> {
        Check { request, _ in try place(request) }.then(.namedClient) { place, request, _ in
            (place, try await named(request))
        }
    }

    fileprivate func authenticated(_ request: Request) async throws -> AuthenticatedClientForm {
        let form = try await request.formParameters()
        let presented = try PresentedClient(authorization: request.headers[.authorization], form: form)
        return AuthenticatedClientForm(try await services.clientAuthenticator.authenticate(presented), form)
    }

    fileprivate func named(_ request: Request) async throws -> NamedClientForm {
        let form = try await request.formParameters()
        let presented = try PresentedClient.ifPresent(authorization: request.headers[.authorization], form: form)
        guard let presented else { return NamedClientForm(nil, form) }
        return NamedClientForm(try await services.clientAuthenticator.authenticate(presented), form)
    }
}

extension Checks {
    /// Whether the client used the scheme of the challenge: then it gets 401 and the challenge (RFC 6749 §5.2). Others
    /// get 400: 401 must have a challenge (RFC 9110 §15.5.2), and some clients wait for credentials when they see one.
    static func usesBasic(_ request: Request) -> Bool {
        request.headers[.authorization]?.lowercased().hasPrefix("basic") == true
    }
}
