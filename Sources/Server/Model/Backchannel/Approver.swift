/// The sign-in in which a user decides about a request from another device: it must be alive when the user decides, and
/// when the result is collected.
public struct Approver: Hashable, Sendable {
    public let userID: UserID
    /// How its user was authenticated.
    public let authentication: AuthenticationFacts
    /// The session of the browser; of an app, the one that its sign-in came from, which may be over.
    public let sessionID: SessionID?
    /// The app's grant, which counts in place of the session; `nil`: the user decides in a browser of their own.
    public let grantID: GrantID?

    /// A browser, or a page that an app opened.
    public init(_ session: BrowserSession) {
        userID = session.userID
        authentication = session.authentication
        sessionID = session.id
        grantID = session.openedBy
    }

    /// An app.
    public init(_ grant: Grant) {
        userID = grant.userID
        authentication = grant.authentication
        sessionID = grant.sessionID
        grantID = grant.id
    }
}
