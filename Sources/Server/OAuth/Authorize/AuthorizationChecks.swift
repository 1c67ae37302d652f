internal import KeyturnBase
public import KeyturnWire
public import Model

/// Why an authorization request is answered by a page instead of a redirect: there is no trusted address to redirect
/// to.
public enum AuthorizationRefusal: Error, Hashable, Sendable {
    case unknownClient
    case redirectMismatch
    /// A parameter is sent twice, or cannot be read; the text is for developers.
    case malformed(String)
    /// A pushed request that is unknown, another client's, too old, or answered (RFC 9126 §4).
    case unknownRequest
    /// An OAuth error without an address to send it to.
    case refused(OAuthProblem)
}

/// The result of checking an authorization request.
public enum AuthorizationStart: Sendable {
    case transaction(AuthorizationTransaction)
    /// Refused, by an answer to the client.
    case answer(AuthorizationAnswer)
    /// Refused, by a page.
    case page(AuthorizationRefusal)
}

extension AuthorizationEndpoint {
    /// Checks a request against the client's registration. First the client and the redirect URI, by page if in doubt;
    /// then everything else, answered by redirect.
    ///
    /// A request comes in one of three forms: as parameters; signed (`request`, RFC 9101); or pushed (`request_uri`,
    /// RFC 9126). Parameters beside the latter two are ignored. Reads at most one row.
    ///
    /// The operator's clients get errors at once; for others see ``AuthorizationAnswer/isHeld``.
    public func start(_ form: FormParameters) async throws(StoreError) -> AuthorizationStart {
        let request: AuthorizationRequest
        do {
            request = try AuthorizationRequest(form)
        } catch {
            return .page(.malformed("a parameter is sent twice, or there are too many"))
        }
        guard let client = try await clients.found(request.clientID) else { return .page(.unknownClient) }
        let reference = request.extra.values("request_uri").first
        let object = request.extra.values("request").first
        if let reference, reference.hasPrefix(PushedAuthorizationResponse.prefix) {
            guard object == nil else { return .page(.malformed("request and request_uri exclude each other")) }
            return try await resume(reference, client: client)
        }
        // Nothing is fetched from addresses that a client names (RFC 9101 §10.4).
        guard reference == nil else {
            let text = "this server takes no requests by reference but those that were pushed to it"
            return refused(OAuthProblem(.requestURINotSupported, text), request, client: client)
        }
        guard !client.requiresPushedRequests else {
            let text = "the client must push its requests to pushed_authorization_request_endpoint"
            return refused(OAuthProblem(.invalidRequest, text), request, client: client)
        }
        guard let object else {
            guard !client.requiresSignedRequests else {
                return refused(OAuthProblem(.invalidRequest, Self.unsigned), request, client: client)
            }
            return try await begin(request, client: client, ticket: nil)
        }
        let opened: RequestObjects.Opened
        do {
            opened = try await objects.open(object, client: client)
        } catch {
            return refused(error, request, client: client)
        }
        // A transaction that began in time may take its full time: until then the use of the request must be
        // remembered.
        let ticket = TransactionTicket.requestObject(
            jti: opened.jti, expiresAt: opened.expiresAt + Limits.transactionSeconds)
        guard try await stores.pushedRequests.isUnused(ticket, of: client.id) else {
            let problem = OAuthProblem(.invalidRequestObject, "the request object was answered before")
            return refused(problem, request, client: client)
        }
        return try await begin(opened.request, client: client, ticket: ticket)
    }

    static let unsigned = "the client must sign its requests (request, RFC 9101)"

    /// Resumes a pushed request. It is checked again: the registration may have changed.
    private func resume(_ reference: String, client: Client) async throws(StoreError) -> AuthorizationStart {
        guard reference.utf8.count <= Limits.requestReferenceBytesMax else { return .page(.unknownRequest) }
        let digest = SecretDigest(of: Secret(reference))
        guard let pushed = try await stores.pushedRequests.find(digest), pushed.clientID == client.id,
            ambient.now() < pushed.expiresAt, let form = try? FormParameters(parsing: pushed.parameters),
            let request = try? AuthorizationRequest(form)
        else { return .page(.unknownRequest) }
        return try await begin(request, client: client, ticket: .pushedRequest(digest))
    }

    private func begin(_ request: AuthorizationRequest, client: Client, ticket: TransactionTicket?)
        async throws(StoreError) -> AuthorizationStart
    {
        guard let redirectURI = redirectURI(of: request, client: client) else { return .page(.redirectMismatch) }
        var transaction: AuthorizationTransaction
        do {
            transaction = try checked(request, client: client, redirectURI: redirectURI)
        } catch {
            return .answer(answer(error, request, redirectURI: redirectURI, client: client))
        }
        transaction.ticket = ticket
        transaction.realm = realm
        switch try await promoting(transaction, request, client: client) {
        case .success(let transaction): return .transaction(transaction)
        case .failure(let problem):
            return .answer(answer(problem, request, redirectURI: redirectURI, client: client))
        }
    }

    /// An error of a request whose parameters may not be authentic: its address is used if it is a registered one.
    private func refused(
        _ problem: OAuthProblem, _ request: AuthorizationRequest, client: Client
    ) -> AuthorizationStart {
        guard let redirectURI = redirectURI(of: request, client: client) else { return .page(.refused(problem)) }
        return .answer(answer(problem, request, redirectURI: redirectURI, client: client))
    }

    private func answer(
        _ problem: OAuthProblem, _ request: AuthorizationRequest, redirectURI: String, client: Client
    ) -> AuthorizationAnswer {
        AuthorizationAnswer(
            redirectURI: redirectURI, mode: request.responseMode.flatMap(ResponseMode.init(rawValue:)) ?? .query,
            response: AuthorizationResponse(
                outcome: .refused(problem), state: request.state.flatMap(Self.echoable),
                issuer: project.issuer(ofRealm: realm)),
            heldClientID: client.isUnverified ? client.id : nil)
    }

    /// The redirect URI of the answer; `nil` if it cannot be determined.
    func redirectURI(of request: AuthorizationRequest, client: Client) -> String? {
        let registered = client.metadata.redirectURIs ?? []
        guard let sent = request.redirectURI else {
            let mayBeLeftOut =
                registered.count == 1 && client.profile != .fapi2
                && request.scope?.split(separator: " ").contains("openid") != true
            return mayBeLeftOut ? registered[0] : nil
        }
        return client.registeredURI(of: sent) == nil ? nil : sent
    }

    /// The `state` to send back: any value, unless it is too long.
    private static func echoable(_ state: String) -> String? {
        state.utf8.count <= Limits.stateBytesMax ? state : nil
    }
}
