internal import KeyturnBase
public import KeyturnWire

/// Takes authorization requests before their browsers come (RFC 9126): from the client itself, which has authenticated, so
/// that nobody on the way can read or change them.
public struct PushedRequestEndpoint: Sendable {
    private let authorization: AuthorizationEndpoint
    private let proofs: ProofChecker
    private let stores: Stores
    private let ambient: Ambient

    init(authorization: AuthorizationEndpoint, proofs: ProofChecker, stores: Stores, ambient: Ambient) {
        self.authorization = authorization
        self.proofs = proofs
        self.stores = stores
        self.ambient = ambient
    }

    /// What authenticates the client: no part of the request.
    private static let credentials: Set<String> = ["client_secret", "client_assertion", "client_assertion_type"]

    /// Checks the whole request as the authorization endpoint would, and keeps it. One statement; one more for a request
    /// object.
    ///
    /// - Parameter proof: what the request proved possession of a key with: the code will be bound to it
    ///   (RFC 9449 §10.1).
    /// - Throws: ``OAuthProblem`` for what is wrong with it; `temporarily_unavailable` when the store did not answer, or
    ///   too many requests of the client wait.
    public func push(
        _ form: FormParameters, client: Client, proof: CheckedProof? = nil
    ) async throws(OAuthProblem) -> PushedAuthorizationResponse {
        do {
            let (request, mark) = try await request(form, client: client, proof: proof)
            guard let redirectURI = authorization.redirectURI(of: request, client: client) else {
                throw OAuthProblem(
                    .invalidRequest, "redirect_uri is missing, or is not one that the client registered")
            }
            _ = try authorization.checked(request, client: client, redirectURI: redirectURI)
            try proofs.admit(proof)
            if let mark, try await !stores.spent.spend(mark) {
                throw OAuthProblem(.invalidRequestObject, "the request object was used before")
            }
            return try await keep(request, client: client)
        } catch let problem as OAuthProblem {
            throw problem
        } catch {
            throw OAuthProblem(.temporarilyUnavailable, "the server cannot reach its database: try again")
        }
    }

    /// The request that counts, and what is used up by a signed one.
    private func request(
        _ form: FormParameters, client: Client, proof: CheckedProof?
    ) async throws(OAuthProblem) -> (AuthorizationRequest, SpentMark?) {
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
        var mark: SpentMark?
        if let object = request.extra.values("request").first {
            let opened = try await authorization.objects.open(object, client: client)
            mark = SpentMark(requestObject: opened.jti, of: client.id, expiresAt: opened.expiresAt)
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

    private func keep(_ request: AuthorizationRequest, client: Client) async throws -> PushedAuthorizationResponse {
        let now = ambient.now()
        let reference = PushedAuthorizationResponse.prefix + ambient.randomToken(byteCount: 32)
        let parameters = request.parameters.encoded
        guard parameters.utf8.count <= Limits.formBytesMax else {
            throw OAuthProblem(.invalidRequest, "the request is longer than \(Limits.formBytesMax) bytes")
        }
        let isKept = try await stores.pushedRequests.add(
            PushedRequest(
                digest: SecretDigest(of: Secret(reference)), clientID: client.id, parameters: parameters,
                expiresAt: now + Limits.pushedRequestSeconds),
            max: Limits.pushedRequestsOfClientMax, at: now)
        guard isKept else {
            throw OAuthProblem(.temporarilyUnavailable, "too many requests of this client wait for their browsers")
        }
        return PushedAuthorizationResponse(
            requestURI: reference, expiresInSeconds: Limits.pushedRequestSeconds)
    }
}
