/// A refusal in OAuth's own words (RFC 6749 §4.1.2.1, §5.2): what a server sends and a client receives.
public struct OAuthProblem: Error, Hashable, Sendable {
    /// The `error` code. Servers invent their own: keep a `default` branch.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }
    }

    /// `error`: what failed, for programs.
    public let code: Code
    /// `error_description`: a plain sentence for a developer. Never holds a secret or what the sender sent.
    public let description: String?

    /// A refusal; `description` is a sentence for developers.
    public init(_ code: Code, _ description: String? = nil) {
        self.code = code
        self.description = description
    }
}

extension OAuthProblem.Code {
    // RFC 6749
    /// The request is malformed (RFC 6749 §5.2).
    public static let invalidRequest = Self(rawValue: "invalid_request")
    /// The client did not authenticate, or is unknown (RFC 6749 §5.2).
    public static let invalidClient = Self(rawValue: "invalid_client")
    /// The code, token or assertion is wrong, expired, used, or another client's (RFC 6749 §5.2).
    public static let invalidGrant = Self(rawValue: "invalid_grant")
    /// The client is not registered for this (RFC 6749 §5.2).
    public static let unauthorizedClient = Self(rawValue: "unauthorized_client")
    /// The server does not support the grant type (RFC 6749 §5.2).
    public static let unsupportedGrantType = Self(rawValue: "unsupported_grant_type")
    /// The server does not support the response type (RFC 6749 §4.1.2.1).
    public static let unsupportedResponseType = Self(rawValue: "unsupported_response_type")
    /// The scope is unknown, malformed, or more than may be had (RFC 6749 §5.2).
    public static let invalidScope = Self(rawValue: "invalid_scope")
    /// The user or the server said no (RFC 6749 §4.1.2.1).
    public static let accessDenied = Self(rawValue: "access_denied")
    /// The server failed (RFC 6749 §4.1.2.1).
    public static let serverError = Self(rawValue: "server_error")
    /// The server cannot answer now (RFC 6749 §4.1.2.1).
    public static let temporarilyUnavailable = Self(rawValue: "temporarily_unavailable")
    // OpenID Connect Core §3.1.2.6
    /// A page would have to be shown, and must not be (OpenID Connect Core §3.1.2.6).
    public static let interactionRequired = Self(rawValue: "interaction_required")
    /// The user would have to sign in, and no page may be shown (OpenID Connect Core §3.1.2.6).
    public static let loginRequired = Self(rawValue: "login_required")
    /// The user would have to choose an account (OpenID Connect Core §3.1.2.6).
    public static let accountSelectionRequired = Self(rawValue: "account_selection_required")
    /// The user would have to consent, and no page may be shown (OpenID Connect Core §3.1.2.6).
    public static let consentRequired = Self(rawValue: "consent_required")
    /// The server does not read `request` (OpenID Connect Core §3.1.2.6).
    public static let requestNotSupported = Self(rawValue: "request_not_supported")
    /// The server does not read this `request_uri` (OpenID Connect Core §3.1.2.6).
    public static let requestURINotSupported = Self(rawValue: "request_uri_not_supported")
    /// The server does not read `registration` (OpenID Connect Core §3.1.2.6).
    public static let registrationNotSupported = Self(rawValue: "registration_not_supported")
    // RFC 6750 §3.1
    /// The access token is missing, expired, revoked or malformed (RFC 6750 §3.1).
    public static let invalidToken = Self(rawValue: "invalid_token")
    /// The access token lacks a scope (RFC 6750 §3.1).
    public static let insufficientScope = Self(rawValue: "insufficient_scope")
    // RFC 7009 §2.2.1
    /// This kind of token cannot be revoked (RFC 7009 §2.2.1).
    public static let unsupportedTokenType = Self(rawValue: "unsupported_token_type")
    // RFC 8707 §2
    /// The resource or audience is unknown, or not allowed (RFC 8707 §2).
    public static let invalidTarget = Self(rawValue: "invalid_target")
    // RFC 9470 §3
    /// The sign-in is too old, or not strong enough (RFC 9470 §3).
    public static let insufficientUserAuthentication = Self(rawValue: "insufficient_user_authentication")
    // RFC 8628 §3.5
    /// The user has not answered yet; ask again (RFC 8628 §3.5).
    public static let authorizationPending = Self(rawValue: "authorization_pending")
    /// The same, and the device asks too often (RFC 8628 §3.5).
    public static let slowDown = Self(rawValue: "slow_down")
    /// The device code has expired (RFC 8628 §3.5).
    public static let expiredToken = Self(rawValue: "expired_token")
    // OpenID Connect CIBA Core §13
    /// The `binding_message` is too long or holds characters that cannot be shown (OpenID Connect CIBA Core §13).
    public static let invalidBindingMessage = Self(rawValue: "invalid_binding_message")
    // RFC 7591 §3.2.2
    /// A redirect address cannot be registered (RFC 7591 §3.2.2).
    public static let invalidRedirectURI = Self(rawValue: "invalid_redirect_uri")
    /// A member of the registration cannot be accepted (RFC 7591 §3.2.2).
    public static let invalidClientMetadata = Self(rawValue: "invalid_client_metadata")
    // RFC 9101 §6.2, §7, OpenID Connect Core §3.1.2.6
    /// The signed request is not good (RFC 9101 §7).
    public static let invalidRequestObject = Self(rawValue: "invalid_request_object")
    /// The `request_uri` is unknown, expired, or another client's (RFC 9101 §7).
    public static let invalidRequestURI = Self(rawValue: "invalid_request_uri")
    // RFC 9396 §5
    /// The `authorization_details` are malformed or not allowed (RFC 9396 §5).
    public static let invalidAuthorizationDetails = Self(rawValue: "invalid_authorization_details")
    // OpenID Connect Unmet Authentication Requirements §3
    /// The user cannot sign in as the client demands (OpenID Connect Core Error Code unmet_authentication_requirements
    /// §3).
    public static let unmetAuthenticationRequirements = Self(rawValue: "unmet_authentication_requirements")
    /// RFC 9449 §5: the proof is not good.
    public static let invalidDPoPProof = Self(rawValue: "invalid_dpop_proof")
    /// RFC 9449 §8: the proof must hold the nonce that comes with this answer.
    public static let useDPoPNonce = Self(rawValue: "use_dpop_nonce")
}

extension OAuthProblem: Codable {
    public enum CodingKeys: String, CodingKey {
        case code = "error"
        case description = "error_description"
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        code = Code(rawValue: try container.decode(String.self, forKey: .code))
        description = try? container.decodeIfPresent(String.self, forKey: .description)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(code.rawValue, forKey: .code)
        try container.encodeIfPresent(description, forKey: .description)
    }
}
