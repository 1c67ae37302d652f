/// What a protected resource says about itself (RFC 9728 §2), below `/.well-known/oauth-protected-resource`.
public struct ProtectedResourceMetadata: Codable, Hashable, Sendable {
    /// Its resource identifier, exactly as tokens name it.
    public var resource: String
    /// The issuers whose tokens it takes.
    public var authorizationServers: [String]?
    /// `jwks_uri`: the address of the resource's own keys.
    public var jwksURI: String?
    /// `scopes_supported`: scope names that the resource knows.
    public var scopesSupported: [String]?
    /// `header`, `body`, `query`.
    public var bearerMethodsSupported: [String]?
    /// `resource_name`: what users see.
    public var resourceName: String?
    /// `resource_documentation`: a page for developers.
    public var resourceDocumentation: String?
    /// RFC 9396.
    public var authorizationDetailsTypesSupported: [String]?
    /// The algorithms of DPoP proofs that it takes (RFC 9449).
    public var dpopSigningAlgValuesSupported: [String]?
    /// Whether it takes bound tokens alone.
    public var dpopBoundAccessTokensRequired: Bool?

    /// A resource, by its identifier, and the issuers that it trusts.
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
