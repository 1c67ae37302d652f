public import KeyturnBase
public import KeyturnWire

/// A logout that waits for the person's confirmation, or may happen at once. Travels sealed through the page.
public struct LogoutJourney: Codable, Hashable, Sendable {
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

/// Tells a relying party that a session is over (Back-Channel Logout §2.5).
public struct LogoutNotice: Sendable {
    public let clientID: String
    public let uri: String
    public let logoutToken: Secret
    public let userID: UserID
    public let sessionID: SessionID
}

/// Delivers notices, behind the answer to the person who signs out.
public protocol LogoutNotifier: Sendable {
    func notify(_ notices: [LogoutNotice])
}

/// Ends browser sessions (OpenID Connect RP-Initiated Logout §2) and tells everybody who must know.
public struct EndSession: Sendable {
    let clients: ClientDirectory
    private let hints: IDTokenHintReader
    let stores: Stores
    let issuer: TokenIssuer
    let notifier: any LogoutNotifier
    let audit: any AuditLog
    let ambient: Ambient

    public init(
        clients: ClientDirectory, hints: IDTokenHintReader, stores: Stores, issuer: TokenIssuer,
        notifier: any LogoutNotifier, audit: any AuditLog, ambient: Ambient
    ) {
        self.clients = clients
        self.hints = hints
        self.stores = stores
        self.issuer = issuer
        self.notifier = notifier
        self.audit = audit
        self.ambient = ambient
    }

    /// What a request leads to.
    public enum Start: Sendable {
        /// The request proves which session it speaks of: end it and go on.
        case end(LogoutJourney)
        /// Anybody could have sent this browser here: ask.
        case confirm(LogoutJourney)
        /// Nobody is signed in: go on.
        case nobody(LogoutJourney)
        /// The request is wrong; nobody is signed out and nobody is redirected.
        case refused(String)
    }

    /// Looks at a request. Only a genuine ID token of this browser's session spares the question.
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
            redirectURI = asked
        }
        if let state = request.state, state.utf8.count > Limits.stateBytesMax { return .refused("state is too long") }
        let journey = LogoutJourney(
            clientID: client?.id, redirectURI: redirectURI, state: redirectURI == nil ? nil : request.state,
            uiLocales: request.uiLocales.map { String($0.prefix(256)) }, startedAt: ambient.now())
        guard let session else { return .nobody(journey) }
        guard let hint, hint.sessionID == session.id else { return .confirm(journey) }
        return .end(journey)
    }

    /// Ends a session that no browser has, if the request proves with its ID token that it speaks of one.
    public func endGrant(of request: LogoutRequest) async throws(StoreError) {
        guard let hint = request.idTokenHint.flatMap(hints.read), let grant = hint.sessionID?.grantID,
            request.clientID == nil || request.clientID == hint.clientID
        else { return }
        let now = ambient.now()
        guard try await stores.grants.end(grant, clientID: hint.clientID, reason: .logout, at: now) else { return }
        audit.record(
            AuditEvent(.signedOut, at: now, userID: UserID(rawValue: hint.subject), clientID: hint.clientID))
    }

    /// Ends the session with every grant that does not outlive it, and notifies the clients that took part.
    public func end(_ session: BrowserSession) async throws(StoreError) {
        let now = ambient.now()
        guard let participants = try await stores.sessions.end(session.id, of: session.userID, at: now) else { return }
        audit.record(AuditEvent(.signedOut, at: now, userID: session.userID, sessionID: session.id))
        notifier.notify(notices(for: participants, session: session, at: now))
    }

    private func notices(for clientIDs: [String], session: BrowserSession, at now: UnixTime) -> [LogoutNotice] {
        notices(
            for: clientIDs.map { SessionParticipant(sessionID: session.id, clientID: $0) }, of: session.userID, at: now)
    }

    /// Who takes part in what a user has: whoever is about to end all of it tells them afterwards.
    ///
    /// - Parameter kept: a grant that goes on.
    func participants(of user: UserID, but kept: GrantID? = nil) async throws(StoreError) -> [SessionParticipant] {
        try await stores.grants.grants(of: user, limit: Limits.sessionsListedMax, at: ambient.now())
            .filter { $0.id != kept }.compactMap(Self.participant)
    }

    static func participant(_ grant: Grant) -> SessionParticipant? {
        grant.sessionID.map { SessionParticipant(sessionID: $0, clientID: grant.clientID) }
    }

    /// Tells each of them once that it is over.
    func tell(_ participants: [SessionParticipant], of user: UserID) {
        var seen: Set<SessionParticipant> = []
        notifier.notify(notices(for: participants.filter { seen.insert($0).inserted }, of: user, at: ambient.now()))
    }

    /// What the clients among `participants` are sent that want to know.
    func notices(for participants: [SessionParticipant], of user: UserID, at now: UnixTime) -> [LogoutNotice] {
        participants.compactMap { participant in
            guard let client = clients.client(participant.clientID), let uri = client.metadata.backchannelLogoutURI,
                let token = try? issuer.logoutToken(
                    client: client, userID: user, sessionID: participant.sessionID, at: now)
            else { return nil }
            return LogoutNotice(
                clientID: client.id, uri: uri, logoutToken: Secret(token), userID: user,
                sessionID: participant.sessionID)
        }
    }
}
