/// Names of the wire by which users without an account sign in (Authgear's anonymous grant), beside those of
/// ``BiometricNames``.
public enum AnonymousNames {
    /// `typ` of the signed request.
    public static let requestType = "vnd.authgear.anonymous-request"
    /// The `type` of a `login_hint` that names an anonymous user.
    public static let hintType = "anonymous"
    /// The member of such a hint that holds a signed request.
    public static let jwt = "jwt"
    /// The member of such a hint, and of an answer, that holds a promotion code.
    public static let promotionCode = "promotion_code"
    /// The member of a body that says how a session is kept.
    public static let sessionType = "session_type"
    /// The `session_type` of applications that keep tokens.
    public static let refreshTokenSession = "refresh_token"
    /// The `session_type` of pages that share a cookie with the server.
    public static let cookieSession = "cookie"
    /// The `error_description` where the client has no anonymous users.
    public static let disallowed = "AnonymousUserDisallowed"
    /// The `amr` of a session that only an anonymous user's key, or nothing, stands for.
    public static let authenticationMethod = "x_anonymous"
}

/// What a signed request of an anonymous user's key is for: `action`.
public enum AnonymousAction: String, Hashable, Sendable, CaseIterable {
    /// Signs the user in, who is made if the key is new.
    case authenticate = "auth"
    /// The user is about to get an account.
    case promote
}
