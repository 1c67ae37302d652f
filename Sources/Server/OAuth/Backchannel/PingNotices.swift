public import KeyturnBase
internal import KeyturnWire
public import Model

/// The queue of notifications to clients in ping mode (OpenID Connect CIBA Core §10.2).
public struct PingNotices: Sendable {
    public let store: any PingNoticeStore
    private let clients: ClientDirectory
    private let seal: Seal
    private let bell = QueueSignal()

    package init(store: any PingNoticeStore, clients: ClientDirectory, secrets: ServerSecrets, ambient: Ambient) {
        self.store = store
        self.clients = clients
        seal = Seal(secrets, purpose: .ping, ambient: ambient)
    }

    /// A request to a client's notification endpoint.
    public struct Post: Sendable {
        public let clientID: String
        /// The client's `backchannel_client_notification_endpoint`.
        public let uri: String
        /// `{"auth_req_id": …}`.
        public let body: [UInt8]
        /// The `client_notification_token`, which is sent as a bearer token.
        public let token: Secret
        /// Whether the operator allows this client an address in a private network.
        public let allowsPrivateAddress: Bool
    }

    /// What a notice needs, for the row of its request.
    func sealed(_ authReqID: Secret, token: Secret, of request: SecretDigest) -> [UInt8] {
        let content = JSONWriter.object { json in
            json.member("auth_req_id", authReqID.exposed())
            json.member("token", token.exposed())
        }
        return seal.seal(content, context: request.bytes)
    }

    /// The request for a notice.
    ///
    /// - Returns: `nil` if the client is gone or no longer in ping mode, or the notice was sealed under a secret that
    ///   this server does not have.
    public func post(_ notice: PingNotice) -> Post? {
        guard let client = clients.client(notice.clientID), let uri = client.notificationEndpoint,
            let content = seal.open(notice.sealed, context: notice.requestID.bytes),
            let json = try? JSONValue(parsing: content), let code = json["auth_req_id"]?.stringValue,
            let token = json["token"]?.stringValue
        else { return nil }
        return Post(
            clientID: client.id, uri: uri, body: JSONWriter.object { $0.member("auth_req_id", code) },
            token: Secret(token), allowsPrivateAddress: client.allowsPrivateLogoutAddress)
    }

    /// Fires after a decision. One listener.
    public var arrivals: AsyncStream<Void> { bell.rings }

    /// Makes the listener look into the queue.
    public func wake() {
        bell.ring()
    }
}
