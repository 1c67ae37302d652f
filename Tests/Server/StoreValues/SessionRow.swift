public import KeyturnBase
public import Model

/// A browser session with the digest of its cookie.
public struct SessionRow: Hashable, Sendable {
    public var session: BrowserSession
    public var digest: SecretDigest
}

/// A notice to a relying party that a session is over.
public struct LogoutNoticeRow: Hashable, Sendable {
    public var notice: LogoutNotice
    public var dueAt: UnixTime
    public var attempts: Int64
}

/// An earlier sign-in of a user.
public struct PastSignInRow: Hashable, Sendable {
    public var signIn: PastSignIn
    /// When the user first signed in on the device and from the country.
    public var firstAt: UnixTime
}

extension BrowserSession {
    /// The same session with other facts, as a store keeps them: without ``AuthenticationFacts/signals``.
    func with(_ facts: AuthenticationFacts) -> BrowserSession {
        BrowserSession(
            id: id, userID: userID, authentication: facts.stored, createdAt: createdAt, expiresAt: expiresAt,
            origin: origin, openedBy: openedBy)
    }
}
