/// What a protected resource says about itself (RFC 9728 §2), below `/.well-known/oauth-protected-resource`.
public struct ProtectedResourceMetadata: Codable, Hashable, Sendable {
    /// Its resource identifier, exactly as tokens name it.
    public var resource: String
    /// The issuers whose tokens it takes.
    public var authorizationServers: [String]?
    public var jwksURI: String?
    public var scopesSupported: [String]?
    /// `header`, `body`, `query`.
    public var bearerMethodsSupported: [String]?
    public var resourceName: String?
    public var resourceDocumentation: String?
    /// RFC 9396.
    public var authorizationDetailsTypesSupported: [String]?
    /// The algorithms of DPoP proofs that it takes (RFC 9449).
    public var dpopSigningAlgValuesSupported: [String]?
    /// Whether it takes bound tokens alone.
    public var dpopBoundAccessTokensRequired: Bool?

    public init(resource: String, authorizationServers: [String]? = nil) {
        self.resource = resource
        self.authorizationServers = authorizationServers
    }

    public enum CodingKeys: String, CodingKey {
        case resource
        case authorizationServers = "authorization_servers"
        case jwksURI = "jwks_uri"
        case scopesSupported = "scopes_supported"
        case bearerMethodsSupported = "bearer_methods_supported"
        case resourceName = "resource_name"
        case resourceDocumentation = "resource_documentation"
        case authorizationDetailsTypesSupported = "authorization_details_types_supported"
        case dpopSigningAlgValuesSupported = "dpop_signing_alg_values_supported"
        case dpopBoundAccessTokensRequired = "dpop_bound_access_tokens_required"
    }
}
