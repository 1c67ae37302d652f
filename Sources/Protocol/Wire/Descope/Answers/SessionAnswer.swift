public import KeyturnBase

/// A session: what every successful proof answers, and every renewal.
public struct SessionAnswer: Equatable, Sendable {
    /// `nil` if the session is in a cookie.
    public var sessionJWT: Secret?
    /// `nil` if it is in a cookie, if a renewal keeps the one there is, or if there is none.
    public var refreshJWT: Secret?
    /// Whether this was the user's first sign-in.
    public var firstSeen: Bool
    /// The domain of the cookies; empty: the host that answered.
    public var cookieDomain: String
    /// The path of the cookies.
    public var cookiePath: String
    /// Lifetime of the refresh token, in seconds.
    public var cookieMaxAge: Int64
    /// When the refresh token expires.
    public var cookieExpiration: UnixTime
    /// Names of the cookies, if they are not `DSR` and `DS`.
    public var cookieName: String
    /// The name of the session token's cookie; empty: `DS`.
    public var sessionCookieName: String
    /// `nil` where the session is not a user's, or is known already.
    public var user: UserAnswer?
    /// The access key that was exchanged.
    public var keyID: String?
    /// When an exchanged access key's token expires.
    public var expiration: UnixTime?

    /// An answer; what is left out is not in it, or is the default.
    public init(
        sessionJWT: Secret?, refreshJWT: Secret?, firstSeen: Bool, user: UserAnswer?, cookieMaxAge: Int64 = 0,
        cookieExpiration: UnixTime = UnixTime(rawValue: 0), cookieDomain: String = "", cookiePath: String = "/",
        cookieName: String = "", sessionCookieName: String = "", keyID: String? = nil, expiration: UnixTime? = nil
    ) {
        self.sessionJWT = sessionJWT
        self.refreshJWT = refreshJWT
        self.firstSeen = firstSeen
        self.user = user
        self.cookieMaxAge = cookieMaxAge
        self.cookieExpiration = cookieExpiration
        self.cookieDomain = cookieDomain
        self.cookiePath = cookiePath
        self.cookieName = cookieName
        self.sessionCookieName = sessionCookieName
        self.keyID = keyID
        self.expiration = expiration
    }
}

extension SessionAnswer: MethodMessage {
    /// Everything may be missing: the reader says what it needs.
    public init(_ body: MethodBody) throws(MethodProblem) {
        let user = try body.body("user")
        self.init(
            sessionJWT: try body.secret("sessionJwt"), refreshJWT: try body.secret("refreshJwt"),
            firstSeen: try body.flag("firstSeen") ?? false, user: user.members.isEmpty ? nil : try UserAnswer(user),
            cookieMaxAge: try body.integer("cookieMaxAge") ?? 0,
            cookieExpiration: UnixTime(rawValue: try body.integer("cookieExpiration") ?? 0),
            cookieDomain: try body.text("cookieDomain") ?? "", cookiePath: try body.text("cookiePath") ?? "",
            cookieName: try body.text("cookieName") ?? "",
            sessionCookieName: try body.text("sessionCookieName") ?? "", keyID: try body.text("keyId"),
            expiration: try body.integer("expiration").map { UnixTime(rawValue: $0) })
    }

    /// Names every member always, `firstSeen` with renewals too: there are clients that refuse an answer that lacks
    /// one. Only a user who is not there is not named.
    public var json: JSONValue {
        var members: [String: JSONValue] = [
            "sessionJwt": .string(sessionJWT?.exposed() ?? ""), "refreshJwt": .string(refreshJWT?.exposed() ?? ""),
            "firstSeen": .bool(firstSeen), "cookieDomain": .string(cookieDomain), "cookiePath": .string(cookiePath),
            "cookieMaxAge": .integer(cookieMaxAge), "cookieExpiration": .integer(cookieExpiration.rawValue),
            "cookieName": .string(cookieName), "sessionCookieName": .string(sessionCookieName),
        ]
        members["user"] = user?.json
        members.add("keyId", keyID)
        members.add("expiration", expiration?.rawValue)
        return .object(members)
    }
}
