public import KeyturnBase

/// A client as it is registered (RFC 7591 §2, OpenID Connect Dynamic Client Registration §2).
///
/// Members are optional where the standards have a default; what the default is, the reader decides.
public struct ClientMetadata: Codable, Hashable, Sendable {
    /// `redirect_uris`: where answers may be sent.
    public var redirectURIs: [String]?
    /// `token_endpoint_auth_method`: how the client authenticates.
    public var tokenEndpointAuthMethod: String?
    /// `token_endpoint_auth_signing_alg`: what its assertions are signed with.
    public var tokenEndpointAuthSigningAlg: String?
    /// `grant_types`: the grant types that it uses.
    public var grantTypes: [String]?
    /// `response_types`: the response types that it uses.
    public var responseTypes: [String]?
    /// `client_name`: what users see.
    public var clientName: String?
    /// `client_uri`: a page about the client.
    public var clientURI: String?
    /// `logo_uri`: the address of a picture.
    public var logoURI: String?
    /// `policy_uri`: a page that says how data are used.
    public var policyURI: String?
    /// `tos_uri`: a page with terms of service.
    public var tosURI: String?
    /// `contacts`: addresses of people who are responsible.
    public var contacts: [String]?
    /// `scope`: the scope names that it may ask for, with spaces between them.
    public var scope: String?
    /// `jwks_uri`: the address of its keys.
    public var jwksURI: String?
    /// `jwks`: its keys.
    public var jwks: JSONValue?
    /// `software_id`: the same for all installations of the software.
    public var softwareID: String?
    /// `software_version`.
    public var softwareVersion: String?
    /// `native` or `web` (OpenID Connect Registration §2).
    public var applicationType: String?
    /// `subject_type`: `public` or `pairwise`.
    public var subjectType: String?
    /// `sector_identifier_uri`: the clients that share pairwise subjects.
    public var sectorIdentifierURI: String?
    /// `id_token_signed_response_alg`: what ID tokens for it are signed with.
    public var idTokenSignedResponseAlg: String?
    /// `userinfo_signed_response_alg`: what UserInfo answers are signed with.
    public var userinfoSignedResponseAlg: String?
    /// `request_object_signing_alg`: what its requests are signed with.
    public var requestObjectSigningAlg: String?
    /// Seconds.
    public var defaultMaxAge: Int64?
    /// `require_auth_time`: whether ID tokens must say when the user signed in.
    public var requireAuthTime: Bool?
    /// `default_acr_values`: how users should sign in unless a request says otherwise.
    public var defaultACRValues: [String]?
    /// `initiate_login_uri`: where others begin a sign-in at this client.
    public var initiateLoginURI: String?
    /// `request_uris`: addresses of requests that it has prepared.
    public var requestURIs: [String]?
    /// `post_logout_redirect_uris`: where users may go after logout.
    public var postLogoutRedirectURIs: [String]?
    /// `backchannel_logout_uri`: where logout tokens are sent.
    public var backchannelLogoutURI: String?
    /// `backchannel_logout_session_required`: whether they must name the session.
    public var backchannelLogoutSessionRequired: Bool?
    /// `backchannel_token_delivery_mode`: `poll` or `ping` (OpenID Connect CIBA Core §4).
    public var backchannelTokenDeliveryMode: String?
    /// `backchannel_client_notification_endpoint`: where a client in ping mode hears of decisions.
    public var backchannelClientNotificationEndpoint: String?
    /// `frontchannel_logout_uri`: a page that ends the session in a frame.
    public var frontchannelLogoutURI: String?
    /// `frontchannel_logout_session_required`: whether its address must name the session.
    public var frontchannelLogoutSessionRequired: Bool?
    /// `dpop_bound_access_tokens` (RFC 9449 §5.2).
    public var dpopBoundAccessTokens: Bool?
    /// `require_pushed_authorization_requests` (RFC 9126 §6).
    public var requirePushedAuthorizationRequests: Bool?
    /// Whether it sends signed requests alone (RFC 9101 §10.5).
    public var requireSignedRequestObject: Bool?
    /// The types of `authorization_details` that it asks for (RFC 9396 §10).
    public var authorizationDetailsTypes: [String]?
    /// `pre_authenticated_uris`: the origins whose pages apps may open signed in. Keyturn's own.
    public var preAuthenticatedURIs: [String]?
    /// `id_token_claims`: claims about the user that its ID tokens always have. Keyturn's own.
    public var idTokenClaims: [String]?
    /// `userinfo_claims`: claims about the user that its UserInfo answers always have. Keyturn's own.
    public var userinfoClaims: [String]?
    /// `unverified_contacts`: whether it hears email addresses and phone numbers that the user has not proved, with the
    /// flag that says so. Keyturn's own.
    public var unverifiedContacts: Bool?

    /// Metadata without any member.
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
        case backchannelTokenDeliveryMode = "backchannel_token_delivery_mode"
        case backchannelClientNotificationEndpoint = "backchannel_client_notification_endpoint"
        case frontchannelLogoutURI = "frontchannel_logout_uri"
        case frontchannelLogoutSessionRequired = "frontchannel_logout_session_required"
        case dpopBoundAccessTokens = "dpop_bound_access_tokens"
        case requirePushedAuthorizationRequests = "require_pushed_authorization_requests"
        case requireSignedRequestObject = "require_signed_request_object"
        case authorizationDetailsTypes = "authorization_details_types"
        case preAuthenticatedURIs = "pre_authenticated_uris"
        case idTokenClaims = "id_token_claims"
        case userinfoClaims = "userinfo_claims"
        case unverifiedContacts = "unverified_contacts"
    }
}
