public import KeyturnWire
public import Model

/// A grant type of the token endpoint (RFC 6749 §4).
///
/// To add one: a file beside this one with a type that conforms, and its line in ``TokenGrants/all``. Discovery,
/// registration, the configuration's check and the command line's help read that registry.
public protocol TokenGrant: Sendable {
    /// The value of `grant_type`.
    static var type: GrantType { get }
    /// The parameters that it reads, beside `grant_type` and those that authenticate the client. It is given no others.
    static var parameters: Set<String> { get }
    /// Which clients may use it.
    static var admission: GrantAdmission { get }
    /// Answers a request.
    ///
    /// - Throws: ``OAuthProblem`` for a refusal; any other error becomes `temporarily_unavailable`.
    static func answer(_ request: TokenGrantRequest, at endpoint: TokenEndpoint) async throws -> TokenResponse
}

/// Which clients may use a grant type.
public struct GrantAdmission: Hashable, Sendable {
    /// Whether a client needs it among its `grant_types` (RFC 7591 §2). If not, the grant itself decides.
    public var isRegistered = true
    /// Whether the client must prove who it is: a public client only sends its name.
    public var needsAuthentication = false
    /// Whether a client that registered itself may have it: the user consents to what it gives.
    public var isForUnverifiedClients = false
    /// Whether a request may come without a client: then it presents a token and gets less of the same.
    public var worksWithoutClient = false
}

/// A request at the token endpoint, as a grant type gets it.
public struct TokenGrantRequest: Sendable {
    /// The parameters that the grant type declares; only those in ``TokenGrants/repeatable`` may be there twice.
    public let form: FormParameters
    /// The client, authenticated; `nil` only where ``GrantAdmission/worksWithoutClient`` holds.
    let presentedClient: Client?
    /// What its tokens are bound to; `nil` only without a client.
    let presentedBinding: TokenBinding?
    /// The key of the request, if it proved one (RFC 9449 §5).
    public let proof: CheckedDPoPProof?
    /// Where the request comes from, for rate limits and the audit log.
    public let address: NetworkAddress?
    /// The kind of client that asks, such as `Firefox on Linux`; `nil` if unknown.
    public let clientKind: String?

    /// The client.
    ///
    /// - Throws: `invalid_client` if the request names none.
    public var client: Client {
        get throws(OAuthProblem) {
            guard let presentedClient else { throw OAuthProblem(.invalidClient, "no client is named") }
            return presentedClient
        }
    }

    /// Whether a client authenticated.
    var hasClient: Bool { presentedClient != nil }

    /// What the tokens are bound to.
    ///
    /// - Throws: `invalid_client` if the request names no client.
    var binding: TokenBinding {
        get throws(OAuthProblem) {
            guard let presentedBinding else { throw OAuthProblem(.invalidClient, "no client is named") }
            return presentedBinding
        }
    }
}
