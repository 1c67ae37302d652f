internal import KeyturnBase
internal import KeyturnWire

/// A session as it arrived: its tokens have the form of tokens, and they are not verified.
struct MethodSession: Sendable {
    let token: SessionToken
    /// `nil`: the one there is stays, or there is none.
    let refresh: SessionToken?
    let user: UserAnswer?
    let isFirst: Bool

    /// - Throws: `protocol.violation` if there is no session token, or a token is none.
    init(_ reply: MethodReply, at now: UnixTime) throws(AuthError) {
        try self.init(reply.session(at: now))
    }

    /// - Throws: as ``init(_:at:)``.
    init(_ answer: SessionAnswer) throws(AuthError) {
        guard let token = answer.sessionJWT.flatMap({ SessionToken($0) }) else {
            throw AuthError(.protocolViolation, "the answer has no usable session token")
        }
        self.token = token
        refresh = answer.refreshJWT.flatMap { SessionToken($0) }
        guard answer.refreshJWT == nil || refresh != nil else {
            throw AuthError(.protocolViolation, "the answer has an unusable refresh token")
        }
        user = answer.user
        isFirst = answer.firstSeen
    }

    /// What the session machine takes up.
    ///
    /// - Parameter now: By the service's clock. A token that has just arrived has its whole lifetime before it, however
    ///   wrong clocks are; one that was issued a while ago has less.
    func grant(at now: UnixTime) -> TokenGrant {
        let lifetime = token.expiresAt.seconds(since: token.issuedAt)
        return TokenGrant(
            accessToken: token.jwt, expiresInSeconds: min(max(0, lifetime), Limits.tokenLifetimeMaxSeconds),
            refreshToken: refresh?.jwt, idToken: nil, scope: nil)
    }

    /// What is kept about the person beside the tokens.
    static func claims(of user: UserAnswer) -> [String: JSONValue] {
        var claims = user.json.objectValue ?? [:]
        claims["sub"] = .string(user.userID)
        return claims
    }
}
