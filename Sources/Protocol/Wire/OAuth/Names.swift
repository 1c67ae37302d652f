/// How an authorization response travels (OAuth 2.0 Multiple Response Types §2.1, Form Post Response Mode).
public enum ResponseMode: String, CaseIterable, Hashable, Sendable {
    case query, fragment
    case formPost = "form_post"
}

/// What may happen on the way to a code (OpenID Connect Core §3.1.2.1).
public enum Prompt: String, CaseIterable, Hashable, Sendable {
    case none, login, consent
    case selectAccount = "select_account"
    /// Initiating User Registration via OpenID Connect 1.0.
    case create
}

/// How a client proves who it is at the token endpoint (OpenID Connect Core §9, RFC 6749 §2.3.1).
public enum ClientAuthenticationMethod: String, CaseIterable, Hashable, Sendable, Codable {
    case clientSecretBasic = "client_secret_basic"
    case clientSecretPost = "client_secret_post"
    case none
    case privateKeyJWT = "private_key_jwt"
}

/// How an access token is presented (RFC 6749 §7.1); compare without regard to case.
public enum TokenType {
    /// RFC 6750: whoever has it may use it.
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

    public static let authorizationCode = Self(rawValue: "authorization_code")
    public static let refreshToken = Self(rawValue: "refresh_token")
    public static let clientCredentials = Self(rawValue: "client_credentials")
}

/// The `typ` of a token, so that no kind can be taken for another (RFC 8725 §3.11).
public enum TokenKind {
    /// An access token (RFC 9068 §2.1).
    public static let accessToken = "at+jwt"
    /// An ID token; OpenID Connect names none, and `JWT` is what everybody expects.
    public static let idToken = "JWT"
    /// A logout token (OpenID Connect Back-Channel Logout §2.4).
    public static let logoutToken = "logout+jwt"
}
