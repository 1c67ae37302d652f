/// What an authorization server says about itself (RFC 8414 §2, OpenID Connect Discovery §3).
///
/// Only what this product reads or writes; unknown members are ignored. An optional member of another type than its
/// standard says is absent, and so is an endpoint that is empty or without protection.
public struct ServerMetadata: Codable, Hashable, Sendable {
    /// `issuer`: an address, compared character by character.
    public var issuer: String
    /// `authorization_endpoint`.
    public var authorizationEndpoint: String?
    /// `token_endpoint`.
    public var tokenEndpoint: String?
    /// `userinfo_endpoint`.
    public var userinfoEndpoint: String?
    /// `jwks_uri`: the address of the signing keys.
    public var jwksURI: String?
    /// `revocation_endpoint` (RFC 7009).
    public var revocationEndpoint: String?
    /// `introspection_endpoint` (RFC 7662).
    public var introspectionEndpoint: String?
    /// `end_session_endpoint` (OpenID Connect RP-Initiated Logout §2.1).
    public var endSessionEndpoint: String?
    /// `scopes_supported`.
    public var scopesSupported: [String]?
    /// `response_types_supported`.
    public var responseTypesSupported: [String]?
    /// `response_modes_supported`.
    public var responseModesSupported: [String]?
    /// `grant_types_supported`.
    public var grantTypesSupported: [String]?
    /// `subject_types_supported`.
    public var subjectTypesSupported: [String]?
    /// `id_token_signing_alg_values_supported`.
    public var idTokenSigningAlgValuesSupported: [String]?
    /// `token_endpoint_auth_methods_supported`.
    public var tokenEndpointAuthMethodsSupported: [String]?
    /// `revocation_endpoint_auth_methods_supported`.
    public var revocationEndpointAuthMethodsSupported: [String]?
    /// `introspection_endpoint_auth_methods_supported`.
    public var introspectionEndpointAuthMethodsSupported: [String]?
    /// `code_challenge_methods_supported` (RFC 7636).
    public var codeChallengeMethodsSupported: [String]?
    /// `claims_supported`.
    public var claimsSupported: [String]?
    /// `claim_types_supported`.
    public var claimTypesSupported: [String]?
    /// `acr_values_supported`: ways of signing in that can be asked for.
    public var acrValuesSupported: [String]?
    /// `prompt_values_supported` (OpenID Connect Prompt Create).
    public var promptValuesSupported: [String]?
    /// `display_values_supported`.
    public var displayValuesSupported: [String]?
    /// `ui_locales_supported`: languages of the pages, as BCP 47 tags.
    public var uiLocalesSupported: [String]?
    /// `service_documentation`: a page for developers.
    public var serviceDocumentation: String?
    /// `claims_parameter_supported`.
    public var claimsParameterSupported: Bool?
    /// `request_parameter_supported`.
    public var requestParameterSupported: Bool?
    /// `request_uri_parameter_supported`.
    public var requestURIParameterSupported: Bool?
    /// `backchannel_logout_supported`.
    public var backchannelLogoutSupported: Bool?
    /// `backchannel_logout_session_supported`: whether logout tokens name the session.
    public var backchannelLogoutSessionSupported: Bool?
    /// The algorithms of DPoP proofs, if the server takes any (RFC 9449 §5.1).
    public var dpopSigningAlgValuesSupported: [String]?
    /// Whether every authorization response carries `iss` (RFC 9207 §3).
    public var authorizationResponseIssParameterSupported: Bool?
    /// RFC 9126 §5.
    public var pushedAuthorizationRequestEndpoint: String?
    /// `require_pushed_authorization_requests` (RFC 9126 §5).
    public var requirePushedAuthorizationRequests: Bool?
    /// RFC 8628 §4.
    public var deviceAuthorizationEndpoint: String?
    /// `backchannel_authentication_endpoint` (OpenID Connect CIBA Core §4).
    public var backchannelAuthenticationEndpoint: String?
    /// `backchannel_token_delivery_modes_supported` (OpenID Connect CIBA Core §4).
    public var backchannelTokenDeliveryModesSupported: [String]?
    /// `backchannel_user_code_parameter_supported` (OpenID Connect CIBA Core §4).
    public var backchannelUserCodeParameterSupported: Bool?
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
    /// Where an app gets tokens that open pages in its own session: Keyturn's own member.
    public var appSessionTokenEndpoint: String?

    /// What a document says that cannot be used, by the names of its members: each is absent here. The text goes on
    /// after "it is".
    package internal(set) var flaws: [String: String] = [:]

    /// A server that says nothing but its issuer.
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
        case backchannelAuthenticationEndpoint = "backchannel_authentication_endpoint"
        case backchannelTokenDeliveryModesSupported = "backchannel_token_delivery_modes_supported"
        case backchannelUserCodeParameterSupported = "backchannel_user_code_parameter_supported"
        case registrationEndpoint = "registration_endpoint"
        case tokenEndpointAuthSigningAlgValuesSupported = "token_endpoint_auth_signing_alg_values_supported"
        case requestObjectSigningAlgValuesSupported = "request_object_signing_alg_values_supported"
        case authorizationDetailsTypesSupported = "authorization_details_types_supported"
        case nativeSSOSupported = "native_sso_supported"
        case appSessionTokenEndpoint = "app_session_token_endpoint"
    }
}
