internal import KeyturnBase
public import KeyturnWire

/// Who a client says it is, and how it proves it: gathered from header and body, nothing checked yet.
public struct PresentedClient: Sendable {
    let clientID: String
    let secret: Secret?
    let method: ClientAuthenticationMethod

    /// Gathers what was sent.
    ///
    /// - Throws: `invalid_client` or `invalid_request` when two methods are used at once (RFC 6749 §2.3), when header
    ///   and body name different clients, or when nobody is named.
    public init(authorization: String?, form: FormParameters) throws(OAuthProblem) {
        let bodyID: String?
        let bodySecret: String?
        let assertion: String?
        do {
            bodyID = try form.one("client_id")
            bodySecret = try form.one("client_secret")
            assertion = try form.one("client_assertion")
        } catch {
            throw OAuthProblem(.invalidRequest, "a parameter is sent twice")
        }
        guard assertion == nil else {
            throw OAuthProblem(.invalidClient, "client assertions are not supported by this server yet")
        }
        if let authorization, authorization.lowercased().hasPrefix("basic") {
            guard let basic = BasicCredentials(header: authorization) else {
                throw OAuthProblem(.invalidClient, "the Authorization header is not well-formed Basic authentication")
            }
            guard bodySecret == nil else {
                throw OAuthProblem(.invalidClient, "use one way of authentication, not two")
            }
            guard bodyID == nil || bodyID == basic.clientID else {
                throw OAuthProblem(.invalidClient, "the header and client_id name different clients")
            }
            clientID = basic.clientID
            secret = basic.clientSecret
            method = .clientSecretBasic
        } else {
            guard let bodyID else { throw OAuthProblem(.invalidClient, "no client is named") }
            clientID = bodyID
            secret = bodySecret.map(Secret.init)
            method = bodySecret == nil ? .none : .clientSecretPost
        }
    }
}

/// Tells whether a client is who it says. An unknown client costs the same as a wrong secret.
public struct ClientAuthenticator: Sendable {
    private let clients: ClientDirectory
    private static let nobody = SecretDigest(storedBytes: [UInt8](repeating: 0, count: 32))

    public init(clients: ClientDirectory) {
        self.clients = clients
    }

    /// The client, if it authenticated in the one way that it registered.
    ///
    /// - Throws: `invalid_client`, the same for unknown clients, wrong secrets and wrong methods.
    public func authenticate(_ presented: PresentedClient) throws(OAuthProblem) -> Client {
        let refusal = OAuthProblem(.invalidClient, "unknown client, wrong secret, or not the registered method")
        let client = clients.client(presented.clientID)
        let digest = presented.secret.map(SecretDigest.init)
        let known = client?.secretDigests ?? []
        let matches = (known.isEmpty ? [Self.nobody] : known).reduce(false) { found, candidate in
            ConstantTime.equal(candidate.bytes, digest?.bytes ?? []) || found
        }
        guard let client, client.authenticationMethod == presented.method else { throw refusal }
        switch presented.method {
        case .none: return client
        case .clientSecretBasic, .clientSecretPost:
            guard matches, !known.isEmpty else { throw refusal }
            return client
        case .privateKeyJWT: throw refusal
        }
    }
}
