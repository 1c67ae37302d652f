/// How an authorization response travels (OAuth 2.0 Multiple Response Types §2.1, Form Post Response Mode).
public enum ResponseMode: String, CaseIterable, Hashable, Sendable {
    /// In the query or in the fragment of the redirect address.
    case query, fragment
    /// In the body of a form that the browser posts (OAuth 2.0 Form Post Response Mode).
    case formPost = "form_post"
}

/// What may happen on the way to a code (OpenID Connect Core §3.1.2.1).
public enum Prompt: String, CaseIterable, Hashable, Sendable {
    /// `none`: no page may be shown; `login`: the user signs in again; `consent`: the user is asked for consent.
    case none, login, consent
    /// `select_account`: the user chooses an account.
    case selectAccount = "select_account"
    /// Initiating User Registration via OpenID Connect 1.0.
    case create
}

/// How a client proves who it is at the token endpoint (OpenID Connect Core §9, RFC 6749 §2.3.1).
public enum ClientAuthenticationMethod: String, CaseIterable, Hashable, Sendable, Codable {
    /// A secret in the `Authorization` header (RFC 6749 §2.3.1).
    case clientSecretBasic = "client_secret_basic"
    /// A secret in the body (RFC 6749 §2.3.1).
    case clientSecretPost = "client_secret_post"
    /// None: a public client.
    case none
    /// A signed assertion (RFC 7523 §2.2).
    case privateKeyJWT = "private_key_jwt"
}

/// How an access token is presented (RFC 6749 §7.1); compare without regard to case.
public enum TokenType {
    /// RFC 6750: any holder may use it.
    public static let bearer = "Bearer"
    /// RFC 9449: only with a proof of its key.
    public static let dpop = "DPoP"
}

/// What a client hands in for a token. An open set: extensions add URIs.
public struct GrantType: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// A code from the authorization endpoint (RFC 6749 §4.1).
    public static let authorizationCode = Self(rawValue: "authorization_code")
    /// A refresh token (RFC 6749 §6).
    public static let refreshToken = Self(rawValue: "refresh_token")
    /// The client itself (RFC 6749 §4.4).
    public static let clientCredentials = Self(rawValue: "client_credentials")
    /// A signed statement about whom the token is for (RFC 7523 §2.1).
    public static let jwtBearer = Self(rawValue: "urn:ietf:params:oauth:grant-type:jwt-bearer")
    /// One token for another (RFC 8693 §2.1).
    public static let tokenExchange = Self(rawValue: "urn:ietf:params:oauth:grant-type:token-exchange")
    /// The code of a device without a keyboard (RFC 8628 §3.4).
    public static let deviceCode = Self(rawValue: "urn:ietf:params:oauth:grant-type:device_code")
    /// A request that a user approves on another device (OpenID Connect CIBA Core §10.1).
    public static let ciba = Self(rawValue: "urn:openid:params:grant-type:ciba")
}

/// What a token that travels through a form is (RFC 8693 §3). An open set: extensions add URIs.
public struct TokenTypeIdentifier: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// An access token (RFC 8693 §3).
    public static let accessToken = Self(rawValue: "urn:ietf:params:oauth:token-type:access_token")
    /// A refresh token (RFC 8693 §3).
    public static let refreshToken = Self(rawValue: "urn:ietf:params:oauth:token-type:refresh_token")
    /// An ID token (RFC 8693 §3).
    public static let idToken = Self(rawValue: "urn:ietf:params:oauth:token-type:id_token")
    /// A JWT (RFC 8693 §3).
    public static let jwt = Self(rawValue: "urn:ietf:params:oauth:token-type:jwt")
    /// What apps of one vendor on one device share (OpenID Connect Native SSO §4.1).
    public static let deviceSecret = Self(rawValue: "urn:openid:params:token-type:device-secret")
    /// A device secret by the name of earlier drafts, which clients still send.
    public static let earlierDeviceSecret = Self(rawValue: "urn:x-oath:params:oauth:token-type:device-secret")
}

/// How a signed statement authenticates a client (RFC 7523 §2.2).
public enum ClientAssertionType {
    /// The value of `client_assertion_type` for JWTs (RFC 7523 §2.2).
    public static let jwtBearer = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
}

/// The `typ` of a token, so that no kind can be taken for another (RFC 8725 §3.11).
public enum TokenKind {
    /// An access token (RFC 9068 §2.1).
    public static let accessToken = "at+jwt"
    /// An ID token; OpenID Connect names none, and `JWT` is what everybody expects.
    public static let idToken = "JWT"
    /// A logout token (OpenID Connect Back-Channel Logout §2.4).
    public static let logoutToken = "logout+jwt"
    /// A security event token (RFC 8417 §2.3).
    public static let securityEventToken = "secevent+jwt"
    /// A refresh token for clients that look into it. Only the server that made it accepts it.
    public static let refreshToken = "rt+jwt"
    /// A client's word about itself; older clients write `JWT`, or nothing.
    public static let clientAuthentication = "client-authentication+jwt"
    /// A signed authorization request (RFC 9101 §10.8).
    public static let authorizationRequest = "oauth-authz-req+jwt"
}
