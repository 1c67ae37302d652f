/// What an authorization server says about itself (RFC 8414 §2, OpenID Connect Discovery §3).
///
/// Only what this product reads or writes; unknown members are ignored.
public struct ServerMetadata: Codable, Hashable, Sendable {
    public var issuer: String
    public var authorizationEndpoint: String?
    public var tokenEndpoint: String?
    public var userinfoEndpoint: String?
    public var jwksURI: String?
    public var revocationEndpoint: String?
    public var introspectionEndpoint: String?
    public var endSessionEndpoint: String?
    public var scopesSupported: [String]?
    public var responseTypesSupported: [String]?
    public var responseModesSupported: [String]?
    public var grantTypesSupported: [String]?
    public var subjectTypesSupported: [String]?
    public var idTokenSigningAlgValuesSupported: [String]?
    public var tokenEndpointAuthMethodsSupported: [String]?
    public var revocationEndpointAuthMethodsSupported: [String]?
    public var introspectionEndpointAuthMethodsSupported: [String]?
    public var codeChallengeMethodsSupported: [String]?
    public var claimsSupported: [String]?
    public var claimTypesSupported: [String]?
    public var acrValuesSupported: [String]?
    public var promptValuesSupported: [String]?
    public var displayValuesSupported: [String]?
    public var uiLocalesSupported: [String]?
    public var serviceDocumentation: String?
    public var claimsParameterSupported: Bool?
    public var requestParameterSupported: Bool?
    public var requestURIParameterSupported: Bool?
    public var backchannelLogoutSupported: Bool?
    public var backchannelLogoutSessionSupported: Bool?
    /// The algorithms of DPoP proofs, if the server takes any (RFC 9449 §5.1).
    public var dpopSigningAlgValuesSupported: [String]?
    /// Whether every authorization response carries `iss` (RFC 9207 §3).
    public var authorizationResponseIssParameterSupported: Bool?
    /// RFC 9126 §5.
    public var pushedAuthorizationRequestEndpoint: String?
    public var requirePushedAuthorizationRequests: Bool?
    /// RFC 8628 §4.
    public var deviceAuthorizationEndpoint: String?
    /// RFC 7591 §3.
    public var registrationEndpoint: String?
    /// The algorithms of client assertions.
    public var tokenEndpointAuthSigningAlgValuesSupported: [String]?
    /// RFC 9101 §10.5.
    public var requestObjectSigningAlgValuesSupported: [String]?
    /// RFC 9396 §10.
    public var authorizationDetailsTypesSupported: [String]?
    /// Whether apps of one vendor may share a sign-in (OpenID Connect Native SSO §6).
    public var nativeSSOSupported: Bool?

    public init(issuer: String) {
        self.issuer = issuer
    }

    public enum CodingKeys: String, CodingKey {
        case issuer
        case authorizationEndpoint = "authorization_endpoint"
        case tokenEndpoint = "token_endpoint"
        case userinfoEndpoint = "userinfo_endpoint"
        case jwksURI = "jwks_uri"
        case revocationEndpoint = "revocation_endpoint"
        case introspectionEndpoint = "introspection_endpoint"
        case endSessionEndpoint = "end_session_endpoint"
        case scopesSupported = "scopes_supported"
        case responseTypesSupported = "response_types_supported"
        case responseModesSupported = "response_modes_supported"
        case grantTypesSupported = "grant_types_supported"
        case subjectTypesSupported = "subject_types_supported"
        case idTokenSigningAlgValuesSupported = "id_token_signing_alg_values_supported"
        case tokenEndpointAuthMethodsSupported = "token_endpoint_auth_methods_supported"
        case revocationEndpointAuthMethodsSupported = "revocation_endpoint_auth_methods_supported"
        case introspectionEndpointAuthMethodsSupported = "introspection_endpoint_auth_methods_supported"
        case codeChallengeMethodsSupported = "code_challenge_methods_supported"
        case claimsSupported = "claims_supported"
        case claimTypesSupported = "claim_types_supported"
        case acrValuesSupported = "acr_values_supported"
        case promptValuesSupported = "prompt_values_supported"
        case displayValuesSupported = "display_values_supported"
        case uiLocalesSupported = "ui_locales_supported"
        case serviceDocumentation = "service_documentation"
        case claimsParameterSupported = "claims_parameter_supported"
        case requestParameterSupported = "request_parameter_supported"
        case requestURIParameterSupported = "request_uri_parameter_supported"
        case backchannelLogoutSupported = "backchannel_logout_supported"
        case backchannelLogoutSessionSupported = "backchannel_logout_session_supported"
        case dpopSigningAlgValuesSupported = "dpop_signing_alg_values_supported"
        case authorizationResponseIssParameterSupported = "authorization_response_iss_parameter_supported"
        case pushedAuthorizationRequestEndpoint = "pushed_authorization_request_endpoint"
        case requirePushedAuthorizationRequests = "require_pushed_authorization_requests"
        case deviceAuthorizationEndpoint = "device_authorization_endpoint"
        case registrationEndpoint = "registration_endpoint"
        case tokenEndpointAuthSigningAlgValuesSupported = "token_endpoint_auth_signing_alg_values_supported"
        case requestObjectSigningAlgValuesSupported = "request_object_signing_alg_values_supported"
        case authorizationDetailsTypesSupported = "authorization_details_types_supported"
        case nativeSSOSupported = "native_sso_supported"
    }
}
