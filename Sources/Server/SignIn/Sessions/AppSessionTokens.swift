public import KeyturnBase
internal import KeyturnWire
public import Model
public import OAuth

/// App session tokens: an app takes its own session into a browser, to show pages of the settings to its user (Authgear's
/// wire).
///
/// A token counts once, for the app that asked for it. What it opens is no session of the browser: it reaches the settings
/// alone, ends with the app's session, and counts as recent only if the app's own sign-in was.
public struct AppSessionTokens: Sendable {
    private let project: Project
    private let sessions: DescopeSessions
    private let stores: Stores
    private let seal: TransactionSeal
    private let audit: any AuditLog
    private let ambient: Ambient

    public init(
        project: Project, sessions: DescopeSessions, stores: Stores, seal: TransactionSeal, audit: any AuditLog,
        ambient: Ambient
    ) {
        self.project = project
        self.sessions = sessions
        self.stores = stores
        self.seal = seal
        self.audit = audit
        self.ambient = ambient
    }

    private static let kind = "app-session"

    /// What a token says. It is sealed: there is no row for it.
    private struct Content: Codable {
        let clientID: String
        let grantID: String
        let epoch: Int64
        let expiresAt: UnixTime
        /// Whether the user had no account then: an earlier user of the device may have fetched it. `nil`: an earlier release
        /// did not say.
        var isOfGuest: Bool?
        /// Makes each token different.
        let id: String
    }

    /// A token for the session of a refresh token, which is not spent.
    ///
    /// - Parameters:
    ///   - refreshToken: of an app, or of a session of the methods.
    ///   - presentation: the request's DPoP proof. It is needed where the refresh token is bound to a key.
    /// - Throws: ``MethodProblem`` if the token is foreign, replaced, or over, or another user acts in the session;
    ///   ``OAuthProblem`` for the proof, and `insufficient_scope` for a client of Authgear's profile without full access;
    ///   ``StoreError``.
    public func make(for refreshToken: Secret, _ presentation: DPoPPresentation) async throws -> (
        token: Secret, expiresAt: UnixTime
    ) {
        let session = try await sessions.presented(refreshToken, presentation, mayBeUnbound: true)
        try session.requireOwner()
        try sessions.apps.requireFullAccess(session.grant)
        let expiresAt = ambient.now() + Limits.appSessionTokenSeconds
        let content = Content(
            clientID: session.grant.clientID, grantID: session.grant.id.text, epoch: session.account.user.epoch,
            expiresAt: expiresAt, isOfGuest: session.account.user.isAnonymous,
            id: ambient.randomToken(byteCount: 16))
        return (Secret(seal.close(content, kind: Self.kind)), expiresAt)
    }

    /// Redeems a token, once.
    ///
    /// - Parameters:
    ///   - client: which sent the browser here.
    ///   - origin: the browser's address and device.
    /// - Returns: the session, its user and the value of its cookie; `nil` if the token is foreign, used, or too old, or
    ///   if the app's session is over.
    public func redeem(_ token: Secret, from client: Client, _ origin: SessionOrigin) async throws(StoreError) -> (
        BrowserSession, User, cookie: Secret
    )? {
        let now = ambient.now()
        guard client.isFirstParty,
            let content = seal.open(token.exposed(), as: Content.self, kind: Self.kind), now < content.expiresAt,
            content.clientID == client.id || content.clientID == project.id,
            let id = GrantID(text: content.grantID)
        else { return nil }
        let mark = ReplayMark(
            of: Array(content.id.utf8) + [0] + Array(Self.kind.utf8),
            expiresAt: content.expiresAt + Limits.spentMarginSeconds)
        guard try await stores.spent.spend(mark), let found = try await stores.grants.presented(id, at: now),
            found.account.user.epoch == content.epoch,
            content.isOfGuest != true || found.account.user.isAnonymous,
            // What the user's organisation refuses as a sign-in opens no pages.
            try await sessions.singleSignOn.judge(found.account.user.id, found.grant.authentication, notes: false)
                == .allowed,
            let (session, cookie) = try await open(found.grant, found.account.user, client, origin, at: now)
        else { return nil }
        return (session, found.account.user, cookie)
    }

    private func open(
        _ grant: Grant, _ user: User, _ client: Client, _ origin: SessionOrigin, at now: UnixTime
    ) async throws(StoreError) -> (session: BrowserSession, cookie: Secret)? {
        let cookie = Secret(ambient.randomToken(byteCount: 32))
        let session = BrowserSession(
            id: SessionID(rawValue: ambient.randomToken(byteCount: 16)), userID: user.id,
            authentication: grant.authentication, createdAt: now,
            expiresAt: now + Limits.appPagesSeconds, origin: origin, openedBy: grant.id)
        let isOpen = try await stores.sessions.create(
            session, epoch: user.epoch, digest: SecretDigest(of: cookie), replacing: nil, at: now)
        guard isOpen else { return nil }
        audit.record(
            AuditEvent(
                .appSessionOpened, at: now, userID: session.userID, clientID: client.id, sessionID: session.id,
                address: origin.address))
        return (session, cookie)
    }
}
