public import KeyturnBase
public import KeyturnWire
public import Model

/// A client's identifier and credentials, from header and body; nothing is checked yet.
public struct PresentedClient: Sendable {
    enum Proof: Sendable {
        case none
        case secret(Secret, ClientAuthenticationMethod)
        case assertion(UnverifiedClientAssertion)

        var method: ClientAuthenticationMethod {
            switch self {
            case .none: .none
            case .secret(_, let method): method
            case .assertion: .privateKeyJWT
            }
        }
    }

    let clientID: String
    let proof: Proof

    /// Gathers the credentials of a request.
    ///
    /// - Throws: `invalid_client` or `invalid_request` when two methods are used at once (RFC 6749 §2.3), when header
    ///   and body name different clients, or when no client is named.
    public init(authorization: String?, form: FormParameters) throws(OAuthProblem) {
        guard let presented = try Self.ifPresent(authorization: authorization, form: form) else {
            throw OAuthProblem(.invalidClient, "no client is named")
        }
        self = presented
    }

    /// Gathers the credentials of a request; `nil` if no client is named.
    public static func ifPresent(
        authorization: String?, form: FormParameters
    ) throws(OAuthProblem) -> PresentedClient? {
        let id = try one("client_id", form)
        let secret = try one("client_secret", form)
        let assertion = try assertion(form)
        if let authorization, BasicCredentials.isBasic(authorization) {
            guard let basic = BasicCredentials(header: authorization) else {
                throw OAuthProblem(.invalidClient, "the Authorization header is not well-formed Basic authentication")
            }
            guard secret == nil, assertion == nil else { throw twice }
            guard id == nil || id == basic.clientID else {
                throw OAuthProblem(.invalidClient, "the header and client_id name different clients")
            }
            return PresentedClient(basic.clientID, .secret(basic.clientSecret, .clientSecretBasic))
        }
        if let assertion {
            guard secret == nil else { throw twice }
            guard id == nil || id == assertion.subject else {
                throw OAuthProblem(.invalidClient, "client_assertion and client_id name different clients")
            }
            return PresentedClient(assertion.subject, .assertion(assertion))
        }
        guard let id else {
            // A secret without a client is a mistake.
            guard secret == nil else { throw OAuthProblem(.invalidClient, "client_id is missing") }
            return nil
        }
        return PresentedClient(id, secret.map { .secret(Secret($0), .clientSecretPost) } ?? .none)
    }

    private init(_ clientID: String, _ proof: Proof) {
        self.clientID = clientID
        self.proof = proof
    }

    private static let twice = OAuthProblem(.invalidClient, "use one way of authentication, not two")

    private static func one(_ name: String, _ form: FormParameters) throws(OAuthProblem) -> String? {
        do {
            return try form.one(name)
        } catch {
            throw OAuthProblem(.invalidRequest, "a parameter is sent twice")
        }
    }

    private static func assertion(_ form: FormParameters) throws(OAuthProblem) -> UnverifiedClientAssertion? {
        let type = try one("client_assertion_type", form)
        guard let assertion = try one("client_assertion", form) else {
            guard type == nil else { throw OAuthProblem(.invalidClient, "client_assertion is missing") }
            return nil
        }
        guard type == ClientAssertionType.jwtBearer else {
            throw OAuthProblem(.invalidClient, "client_assertion_type is not \(ClientAssertionType.jwtBearer)")
        }
        return try UnverifiedClientAssertion(assertion)
    }
}

/// Authenticates clients. An unknown client costs the same hash as a wrong secret.
public struct ClientAuthenticator: Sendable {
    private let clients: ClientDirectory
    private let assertions: AssertionJudge
    private static let nobody = SecretDigest(storedBytes: [UInt8](repeating: 0, count: 32))

    public init(
        project: Project, clients: ClientDirectory, spent: any ReplayStore, audit: any AuditLog, ambient: Ambient
    ) {
        self.clients = clients
        assertions = AssertionJudge(
            project: project, clients: clients, spent: spent, audit: audit, ambient: ambient)
    }

    /// The client, if it authenticated with its registered method. A secret costs no statement; an assertion costs one,
    /// which marks it as used.
    ///
    /// - Throws: `invalid_client`, the same for unknown clients, wrong secrets and wrong methods; for a client that
    ///   exists and signed with its key, the flaw of its assertion. ``StoreError``.
    public func authenticate(_ presented: PresentedClient) async throws -> AuthenticatedClient {
        let refusal = OAuthProblem(.invalidClient, "unknown client, wrong secret, or not the registered method")
        let client = try await clients.found(presented.clientID)
        let matches = Self.matches(presented.proof, client)
        guard let client, client.authenticationMethod == presented.proof.method else { throw refusal }
        switch presented.proof {
        case .none: return AuthenticatedClient(client)
        case .secret:
            guard matches else { throw refusal }
            return AuthenticatedClient(client)
        case .assertion(let assertion):
            try await assertions.accept(assertion, from: client)
            return AuthenticatedClient(client)
        }
    }

    /// In constant time, whether the client exists or not.
    private static func matches(_ proof: PresentedClient.Proof, _ client: Client?) -> Bool {
        guard case .secret(let secret, _) = proof else { return false }
        let digest = SecretDigest(of: secret)
        let known = client?.secretDigests ?? []
        let found = (known.isEmpty ? [nobody] : known).reduce(false) { found, candidate in
            ConstantTime.equal(candidate.bytes, digest.bytes) || found
        }
        return found && !known.isEmpty
    }
}
