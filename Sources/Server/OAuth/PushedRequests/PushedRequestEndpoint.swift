package import KeyturnBase
public import KeyturnWire
public import Model

/// Takes pushed authorization requests (RFC 9126): from the client itself, which has authenticated, so that they cannot
/// be read or changed on the way.
public struct PushedRequestEndpoint: Sendable {
    private let authorization: AuthorizationEndpoint
    private let proofs: DPoPChecker
    private let stores: Stores
    private let ambient: Ambient

    package init(authorization: AuthorizationEndpoint, proofs: DPoPChecker, stores: Stores, ambient: Ambient) {
        self.authorization = authorization
        self.proofs = proofs
        self.stores = stores
        self.ambient = ambient
    }

    /// Parameters that authenticate the client: no part of the request.
    private static let credentials: Set<String> = ["client_secret", "client_assertion", "client_assertion_type"]

    /// The result of a request.
    public enum Outcome: Sendable {
        case kept(PushedAuthorizationResponse)
        /// The network has pushed too many for clients that cannot authenticate.
        case tooMany(retryAfterSeconds: Int64)
    }

    /// Checks the whole request as the authorization endpoint would, and keeps it. One statement; one more for a request
    /// object, and one for a client that cannot authenticate.
    ///
    /// - Parameters:
    ///   - proof: the request's DPoP proof: the code will be bound to its key (RFC 9449 §10.1).
    ///   - address: where the client asks from.
    /// - Throws: ``OAuthProblem`` for a flaw; `temporarily_unavailable` when the store did not answer, or too many
    ///   requests of the client wait.
    public func push(
        _ form: FormParameters, client asking: AuthenticatedClient, proof: CheckedDPoPProof? = nil,
        from address: NetworkAddress?
    ) async throws(OAuthProblem) -> Outcome {
        let client = asking.client
        do {
            let (asked, mark) = try await request(form, client: client, proof: proof)
            var request = asked
            guard let redirectURI = authorization.redirectURI(of: request, client: client) else {
                throw OAuthProblem(
                    .invalidRequest, "redirect_uri is missing, or is not one that the client registered")
            }
            _ = try authorization.checked(request, client: client, redirectURI: redirectURI)
            // What no transaction reads is not stored.
            request.extra = request.extra.keeping(AuthorizationEndpoint.extensions)
            let parameters = try Self.parameters(request, client: client)
            try await proofs.admit(proof)
            let now = ambient.now()
            // A client that authenticates has an operator who vouches for it; any program can claim to be one of the
            // others.
            if client.isPublic,
                let refilledAt = try await stores.rateLimits.spend(Self.charges(client, from: address), at: now)
            {
                return .tooMany(retryAfterSeconds: max(1, refilledAt.seconds(since: now)))
            }
            if let mark, try await !stores.spent.spend(mark) {
                throw OAuthProblem(.invalidRequestObject, "the request object was used before")
            }
            return .kept(try await keep(parameters, client: client, at: now))
        } catch let problem as OAuthProblem {
            throw problem
        } catch {
            throw OAuthProblem(.temporarilyUnavailable, "the server cannot reach its database: try again")
        }
    }

    /// The effective request, and the replay mark of a signed one.
    private func request(
        _ form: FormParameters, client: Client, proof: CheckedDPoPProof?
    ) async throws(OAuthProblem) -> (AuthorizationRequest, ReplayMark?) {
        var sent = FormParameters()
        for parameter in form.all where !Self.credentials.contains(parameter.name) {
            sent.append(parameter.name, parameter.value)
        }
        var request: AuthorizationRequest
        do {
            request = try AuthorizationRequest(sent)
        } catch {
            throw OAuthProblem(.invalidRequest, "a parameter is sent twice, or there are too many")
        }
        guard request.clientID.isEmpty || request.clientID == client.id else {
            throw OAuthProblem(.invalidRequest, "client_id names another client than the one that authenticated")
        }
        guard request.extra.values("request_uri").isEmpty else {
            throw OAuthProblem(.invalidRequest, "request_uri cannot be pushed (RFC 9126 section 2.1)")
        }
        if client.requiresSignedRequests, request.extra.values("request").isEmpty {
            throw OAuthProblem(.invalidRequest, AuthorizationEndpoint.unsigned)
        }
        var mark: ReplayMark?
        if let object = request.extra.values("request").first {
            let opened = try await authorization.objects.open(object, client: client)
            // A browser that came with it directly may take a transaction's full time.
            mark = ReplayMark(
                requestObject: opened.jti, of: client.id, expiresAt: opened.expiresAt + Limits.transactionSeconds)
            request = opened.request
        }
        request.clientID = client.id
        if let proof {
            guard [nil, proof.keyThumbprint].contains(request.dpopKeyThumbprint) else {
                throw OAuthProblem(.invalidRequest, "dpop_jkt names another key than the DPoP proof")
            }
            request.dpopKeyThumbprint = proof.keyThumbprint
        }
        return (request, mark)
    }

    private static func parameters(_ request: AuthorizationRequest, client: Client) throws(OAuthProblem) -> String {
        let parameters = request.parameters.encoded
        let bytesMax = client.isPublic ? Limits.pushedRequestBytesMax : Limits.formBytesMax
        guard parameters.utf8.count <= bytesMax else {
            throw OAuthProblem(.invalidRequest, "the request is longer than \(bytesMax) bytes")
        }
        return parameters
    }

    /// Bounds the rows of one network, without blocking the client's requests from others.
    private static func charges(_ client: Client, from address: NetworkAddress?) -> [RateLimitCharge] {
        let network = address?.network ?? "unknown"
        return [
            RateLimitCharge(
                "pushed:\(network):\(client.id)", max: Limits.pushedRequestsPerClientMax,
                windowSeconds: Limits.pushedRequestSeconds),
            RateLimitCharge(
                "pushed:\(network)", max: Limits.pushedRequestsPerNetworkMax, windowSeconds: Limits.sendWindowSeconds),
        ]
    }

    private func keep(
        _ parameters: String, client: Client, at now: UnixTime
    ) async throws -> PushedAuthorizationResponse {
        let reference = PushedAuthorizationResponse.prefix + ambient.randomToken(byteCount: 32)
        let isKept = try await stores.pushedRequests.add(
            PushedRequest(
                digest: SecretDigest(of: Secret(reference)), clientID: client.id, parameters: parameters,
                expiresAt: now + Limits.pushedRequestSeconds),
            max: client.isPublic ? nil : Limits.pushedRequestsOfClientMax, at: now)
        guard isKept else {
            throw OAuthProblem(.temporarilyUnavailable, "too many requests of this client wait for their browsers")
        }
        return PushedAuthorizationResponse(
            requestURI: reference, expiresInSeconds: Limits.pushedRequestSeconds)
    }
}
