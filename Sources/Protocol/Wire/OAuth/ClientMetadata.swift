public import KeyturnBase

/// A client as it is registered (RFC 7591 §2, OpenID Connect Dynamic Client Registration §2).
///
/// Members are optional where the standards have a default; what the default is, the reader decides.
public struct ClientMetadata: Codable, Hashable, Sendable {
    public var redirectURIs: [String]?
    public var tokenEndpointAuthMethod: String?
    public var tokenEndpointAuthSigningAlg: String?
    public var grantTypes: [String]?
    public var responseTypes: [String]?
    public var clientName: String?
    public var clientURI: String?
    public var logoURI: String?
    public var policyURI: String?
    public var tosURI: String?
    public var contacts: [String]?
    public var scope: String?
    public var jwksURI: String?
    public var jwks: JSONValue?
    public var softwareID: String?
    public var softwareVersion: String?
    /// `native` or `web` (OpenID Connect Registration §2).
    public var applicationType: String?
    public var subjectType: String?
    public var sectorIdentifierURI: String?
    public var idTokenSignedResponseAlg: String?
    public var userinfoSignedResponseAlg: String?
    public var requestObjectSigningAlg: String?
    /// Seconds.
    public var defaultMaxAge: Int64?
    public var requireAuthTime: Bool?
    public var defaultACRValues: [String]?
    public var initiateLoginURI: String?
    public var requestURIs: [String]?
    public var postLogoutRedirectURIs: [String]?
    public var backchannelLogoutURI: String?
    public var backchannelLogoutSessionRequired: Bool?
    public var frontchannelLogoutURI: String?
    public var frontchannelLogoutSessionRequired: Bool?
    public var dpopBoundAccessTokens: Bool?
    public var requirePushedAuthorizationRequests: Bool?
    /// Whether it sends signed requests alone (RFC 9101 §10.5).
    public var requireSignedRequestObject: Bool?
    /// The types of `authorization_details` that it asks for (RFC 9396 §10).
    public var authorizationDetailsTypes: [String]?

    public init() {}

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case redirectURIs = "redirect_uris"
        case tokenEndpointAuthMethod = "token_endpoint_auth_method"
        case tokenEndpointAuthSigningAlg = "token_endpoint_auth_signing_alg"
        case grantTypes = "grant_types"
        case responseTypes = "response_types"
        case clientName = "client_name"
        case clientURI = "client_uri"
        case logoURI = "logo_uri"
        case policyURI = "policy_uri"
        case tosURI = "tos_uri"
        case contacts
        case scope
        case jwksURI = "jwks_uri"
        case jwks
        case softwareID = "software_id"
        case softwareVersion = "software_version"
        case applicationType = "application_type"
        case subjectType = "subject_type"
        case sectorIdentifierURI = "sector_identifier_uri"
        case idTokenSignedResponseAlg = "id_token_signed_response_alg"
        case userinfoSignedResponseAlg = "userinfo_signed_response_alg"
        case requestObjectSigningAlg = "request_object_signing_alg"
        case defaultMaxAge = "default_max_age"
        case requireAuthTime = "require_auth_time"
        case defaultACRValues = "default_acr_values"
        case initiateLoginURI = "initiate_login_uri"
        case requestURIs = "request_uris"
        case postLogoutRedirectURIs = "post_logout_redirect_uris"
        case backchannelLogoutURI = "backchannel_logout_uri"
        case backchannelLogoutSessionRequired = "backchannel_logout_session_required"
        case frontchannelLogoutURI = "frontchannel_logout_uri"
        case frontchannelLogoutSessionRequired = "frontchannel_logout_session_required"
        case dpopBoundAccessTokens = "dpop_bound_access_tokens"
        case requirePushedAuthorizationRequests = "require_pushed_authorization_requests"
        case requireSignedRequestObject = "require_signed_request_object"
        case authorizationDetailsTypes = "authorization_details_types"
    }
}
