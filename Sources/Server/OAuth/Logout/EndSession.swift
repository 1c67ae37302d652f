public import KeyturnBase
public import KeyturnWire
public import Model

/// A logout that waits for the user's confirmation, or may happen at once. Travels sealed through the page.
public struct LogoutTransaction: Codable, Hashable, Sendable {
    public let clientID: String?
    /// Where to go afterwards; registered by the client.
    public let redirectURI: String?
    public let state: String?
    public let uiLocales: String?
    public let startedAt: UnixTime

    /// The address to go to afterwards, `state` with it.
    public var location: String? {
        guard let redirectURI, let state else { return redirectURI }
        return redirectURI + (redirectURI.contains("?") ? "&" : "?") + FormParameters(["state": state]).encoded
    }
}

/// Ends browser sessions (OpenID Connect RP-Initiated Logout §2) and has the relying parties notified.
public struct EndSession: Sendable {
    let clients: ClientDirectory
    private let hints: IDTokenHintReader
    let stores: Stores
    private let notices: LogoutNotices
    let audit: any AuditLog
    let ambient: Ambient

    public init(
        clients: ClientDirectory, hints: IDTokenHintReader, stores: Stores, notices: LogoutNotices,
        audit: any AuditLog, ambient: Ambient
    ) {
        self.clients = clients
        self.hints = hints
        self.stores = stores
        self.notices = notices
        self.audit = audit
        self.ambient = ambient
    }

    /// The result of a request.
    public enum Start: Sendable {
        /// The request proves which session it means: end it and redirect.
        case end(LogoutTransaction)
        /// Any site could have sent this browser here: ask.
        case confirm(LogoutTransaction)
        /// No user is signed in: redirect.
        case nobody(LogoutTransaction)
        /// The request is wrong: no sign-out and no redirect.
        case refused(String)
    }

    /// Checks a request. Only a genuine ID token of this browser's session makes the question unnecessary.
    public func start(_ request: LogoutRequest, session: BrowserSession?) -> Start {
        var hint: IDTokenHint?
        if let text = request.idTokenHint {
            guard let read = hints.read(text) else {
                return .refused("id_token_hint is not a genuine ID token of this server")
            }
            guard request.clientID == nil || request.clientID == read.clientID else {
                return .refused("client_id and id_token_hint name different clients")
            }
            hint = read
        }
        let clientID = hint?.clientID ?? request.clientID
        let client = clientID.flatMap(clients.client)
        guard clientID == nil || client != nil else { return .refused("the client is not registered") }
        var redirectURI: String?
        if let asked = request.postLogoutRedirectURI, let client {
            guard (client.metadata.postLogoutRedirectURIs ?? []).contains(asked) else {
                return .refused("post_logout_redirect_uri is not registered for this client")
            }
            // Without a user, for whom a hint does not stand, a client that registered itself redirects to no address (RFC
            // 9700 §4.11.2).
            redirectURI = session == nil && client.isUnverified ? nil : asked
        }
        if let state = request.state, state.utf8.count > Limits.stateBytesMax { return .refused("state is too long") }
        let transaction = LogoutTransaction(
            clientID: client?.id, redirectURI: redirectURI, state: redirectURI == nil ? nil : request.state,
            uiLocales: request.uiLocales.map { String($0.prefix(256)) }, startedAt: ambient.now())
        guard let session else { return .nobody(transaction) }
        guard let hint, hint.sessionID == session.id, !hint.isOfOtherDevice else { return .confirm(transaction) }
        return .end(transaction)
    }

    /// Ends a session without a browser, if the request's ID token proves that it means one.
    public func endGrant(of request: LogoutRequest) async throws(StoreError) {
        guard let hint = request.idTokenHint.flatMap(hints.read), let grant = hint.sessionID?.grantID,
            request.clientID == nil || request.clientID == hint.clientID
        else { return }
        let now = ambient.now()
        guard try await stores.grants.end(grant, clientID: hint.clientID, reason: .logout, at: now) else { return }
        audit.record(
            AuditEvent(
                .signedOut, at: now, userID: UserID(rawValue: hint.subject), clientID: hint.clientID,
                sessionID: hint.sessionID))
        notices.wake()
    }

    /// Ends the session with every grant that is not offline, and each access token of the session; wakes the delivery of
    /// the notices. Grants with `offline_access` live on and give later tokens (Back-Channel Logout §2.7).
    public func end(_ session: BrowserSession) async throws(StoreError) {
        let now = ambient.now()
        guard try await stores.sessions.end(session.id, of: session.userID, at: now) else { return }
        audit.record(AuditEvent(.signedOut, at: now, userID: session.userID, sessionID: session.id))
        notices.wake()
    }
}
