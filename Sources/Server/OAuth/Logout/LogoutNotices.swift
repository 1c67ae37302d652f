public import KeyturnBase
public import KeyturnWire
public import Model

/// The queue of logout notices of one server.
public struct LogoutNotices: Sendable {
    public let store: any LogoutNoticeStore
    private let clients: ClientDirectory
    private let issuer: TokenIssuer
    private let bell = QueueSignal()

    package init(store: any LogoutNoticeStore, clients: ClientDirectory, issuer: TokenIssuer) {
        self.store = store
        self.clients = clients
        self.issuer = issuer
    }

    /// A request to a relying party (OpenID Connect Back-Channel Logout §2.5).
    public struct Post: Sendable {
        public let clientID: String
        /// The client's `backchannel_logout_uri`.
        public let uri: String
        public let logoutToken: Secret
        /// Whether the operator allows this client an address in a private network.
        public let allowsPrivateAddress: Bool
    }

    /// The request for a notice. The logout token is new for each attempt, because it expires after two minutes.
    ///
    /// Receivers refuse access tokens that were issued until its `iat`. So that is the time when it is signed, after the
    /// session ended for certain: a token that was issued beside the end is covered. It is not before the end, also where
    /// another server with a clock that is ahead ended the session.
    ///
    /// - Returns: `nil` if the client is gone, or has no `backchannel_logout_uri` any more.
    /// - Throws: `temporarily_unavailable` while there is no signing key.
    public func post(_ notice: LogoutNotice, at now: UnixTime) throws(OAuthProblem) -> Post? {
        guard let client = clients.client(notice.clientID), let uri = client.metadata.backchannelLogoutURI else {
            return nil
        }
        let token = try issuer.logoutToken(
            client: client, userID: notice.userID, sessionID: notice.sessionID, at: max(now, notice.createdAt))
        return Post(
            clientID: client.id, uri: uri, logoutToken: Secret(token),
            allowsPrivateAddress: client.allowsPrivateLogoutAddress)
    }

    /// Fires after a sign-out. One listener.
    public var arrivals: AsyncStream<Void> { bell.rings }

    /// Makes the listener look into the queue.
    public func wake() {
        bell.ring()
    }
}
