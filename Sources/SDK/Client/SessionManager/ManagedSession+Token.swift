public import KeyturnBase

/// What the tokens of a session say about themselves, for showing a person what they may do. Nothing here is verified:
/// backends decide.
extension ManagedSession {
    /// The access token as a session token; `nil` if it is opaque.
    public var sessionToken: SessionToken? { SessionToken(Secret(accessToken)) }

    /// The refresh token as a session token, which says when it expires; `nil` if there is none, or it is opaque.
    public var refreshSessionToken: SessionToken? { refreshToken.flatMap { SessionToken(Secret($0)) } }

    /// What the access token says beside subject, issuer, times, tenants, permissions and roles; empty if it is opaque.
    public var claims: [String: JSONValue] { sessionToken?.claims ?? [:] }

    /// What is known about the person; `nil` if ``userClaims`` name none.
    public var user: UserInfo? { subject.map { UserInfo(subject: $0, claims: userClaims) } }

    /// What the access token says its holder may do.
    ///
    /// - Parameter tenant: In which tenant; `nil`: without one. Empty if the token says nothing about it.
    public func permissions(tenant: String? = nil) -> [String] {
        sessionToken?.permissions(tenant: tenant) ?? []
    }

    /// The roles that the access token says its holder has.
    ///
    /// - Parameter tenant: In which tenant; `nil`: without one. Empty if the token says nothing about it.
    public func roles(tenant: String? = nil) -> [String] {
        sessionToken?.roles(tenant: tenant) ?? []
    }
}
