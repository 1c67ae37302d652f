internal import KeyturnBase

/// A person proved who they are, and the container has their session: stored, and renewed from now on.
public struct AuthenticationResponse: Hashable, Sendable {
    /// What backends take. ``Keyturn/accessToken(minimumSeconds:)`` has a fresh one at any time.
    public let sessionToken: SessionToken
    /// What renews the session; `nil` if the service keeps it.
    public let refreshToken: SessionToken?
    /// What the service knows about the user.
    public let user: UserDetails
    /// Whether this was the user's first sign-in.
    public let isFirstAuthentication: Bool

    /// What the session keeps about the person.
    let claims: [String: JSONValue]
}

extension AuthenticationResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Shows nothing of the person and nothing of the tokens.
    public var description: String { "AuthenticationResponse" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ManagedSession {
    /// The session of an answer, for a ``SessionManager``. The container that got the answer has it already, and taking
    /// it up once more changes nothing.
    public init(from response: AuthenticationResponse) {
        self.init(
            accessToken: response.sessionToken.jwt, refreshToken: response.refreshToken?.jwt,
            expiresAt: response.sessionToken.expiresAt, userClaims: response.claims)
        projectID = response.sessionToken.projectId
    }
}
