public import KeyturnBase
public import KeyturnVerify
public import KeyturnWire

/// Calls an API in the name of an application, or of a person who gave it access.
///
/// ```swift
/// let client = ServiceClient(
///     .clientCredentials(subject: .enterprise("12345")),
///     application: ServiceApplication(clientID: id, clientSecret: secret))
/// let me = try await client.acting(as: "777").call("GET", "/2.0/users/me")
/// ```
///
/// Gets its tokens when they are needed, once however many tasks wait, renews them a minute before their end, and once
/// more when a server turns one down. A value: what is derived from it shares its session and changes nothing of it.
public struct ServiceClient: Sendable {
    /// Where the service is.
    public let configuration: ServiceConfiguration
    let session: ServiceSession
    let transport: any HTTPTransport
    var headers = ServiceHeaders()

    /// Makes a client. Touches neither network nor disk.
    ///
    /// - Parameters:
    ///   - credential: Where the tokens come from.
    ///   - application: Who asks. Not needed for developer tokens, delegated tokens and sessions of a container, unless
    ///     they are to be revoked.
    ///   - configuration: Where the service is.
    ///   - store: Keeps tokens between runs, each subject's by itself; `nil`: in this client's memory alone.
    ///   - transport: Carries every request; `nil`: a URL session of its own.
    ///   - ambient: Clock and randomness.
    public init(
        _ credential: ServiceCredential, application: ServiceApplication? = nil,
        configuration: ServiceConfiguration = .box, store: (any TokenStore)? = nil,
        transport: (any HTTPTransport)? = nil, ambient: Ambient = .live
    ) {
        self.init(
            credential, application: application, configuration: configuration, store: store, transport: transport,
            ambient: ambient, pause: { try await Task.sleep(for: $0) })
    }

    init(
        _ credential: ServiceCredential, application: ServiceApplication?, configuration: ServiceConfiguration,
        store: (any TokenStore)?, transport: (any HTTPTransport)?, ambient: Ambient, pause: @escaping RetryPause
    ) {
        self.configuration = configuration
        self.transport = transport ?? URLSessionTransport(responseBytesMax: Limits.fetchedMaxBytes)
        let endpoint = ServiceTokenEndpoint(
            configuration: configuration, application: application, transport: transport ?? URLSessionTransport(),
            clock: ServiceClock(ambient), ambient: ambient, pause: pause)
        session = ServiceSession(credential, endpoint: endpoint, store: store ?? MemoryTokenStore())
    }

    private init(exchanging parent: ServiceClient, _ restriction: TokenRestriction) {
        configuration = parent.configuration
        transport = parent.transport
        session = ServiceSession(
            ServiceCredential(kind: .exchanged(parent.session, restriction)), endpoint: parent.session.endpoint,
            store: MemoryTokenStore())
    }

    /// An access token that is good for more than `minimumSeconds`, asked for if need be. One that the service makes
    /// shorter than that is handed out for half of its life.
    ///
    /// - Throws: `server.refused`; `transport.unavailable`; `session.ended` and `session.signed_out` for a person's
    ///   tokens; `service.delegate_failed`; `service.client_destroyed`; `store.unavailable` where tokens are nowhere
    ///   but in a store that cannot be read; `configuration.invalid`.
    public func accessToken(minimumSeconds: Int64 = 60) async throws(AuthError) -> String {
        try await session.accessToken(minimumSeconds: min(max(0, minimumSeconds), Limits.minimumSecondsMax))
    }

    /// The tokens as they are now, for callers that hand them on; `nil` before the first request, and for tokens that
    /// this client does not hold by itself: a developer's, or those of a container. Secret.
    public var tokens: ServiceTokens? {
        get async { await session.current }
    }

    /// Why the tokens could not be read or stored; `nil` if they could. They go on in memory.
    public var storageProblem: AuthError? {
        get async { await session.storageProblem }
    }

    /// Whether ``destroy()`` was called, on this client or on one that shares its session.
    public var isDestroyed: Bool {
        get async { await session.isDestroyed }
    }
}

/// Clients that ask in another way, with the same session.
extension ServiceClient {
    /// A client that acts as a person whom the application, or an administrator, may act for (`As-User`).
    public func acting(as userID: String) -> ServiceClient {
        with { $0.userID = userID }
    }

    /// A client that reaches what a shared link leads to (`BoxApi`). Both values are escaped.
    public func withSharedLink(_ url: String, password: String? = nil) -> ServiceClient {
        with { $0.sharedLink = (url, password.map { Secret($0) }) }
    }

    /// A client whose changes send no emails (`Box-Notifications: off`).
    public func withoutNotifications() -> ServiceClient {
        with { $0.isSilent = true }
    }

    /// A client that sends further headers with each request; a name that is there already gets the new value.
    ///
    /// Names that the library sends by itself are refused when a request is made, with `configuration.invalid`.
    public func withHeaders(_ fields: KeyValuePairs<String, String>) -> ServiceClient {
        with { headers in
            for (name, value) in fields {
                headers.extra.removeAll { $0.name.lowercased() == name.lowercased() }
                headers.extra.append((name, value))
            }
        }
    }

    private func with(_ change: (inout ServiceHeaders) -> Void) -> ServiceClient {
        var copy = self
        change(&copy.headers)
        return copy
    }
}

/// Lesser tokens, and the end.
extension ServiceClient {
    /// A token for less: fewer scopes, one object (RFC 8693, Box: downscoping). To be handed to a less trusted party.
    ///
    /// - Parameters:
    ///   - scope: What it allows.
    ///   - resource: The one object that it is for, by its address in the API; `nil`: everything.
    ///   - sharedLink: Box: the object that a shared link leads to.
    /// - Returns: The token, without anything to renew it with.
    /// - Throws: `server.refused` if this client has not got that scope; otherwise as ``accessToken(minimumSeconds:)``.
    public func exchange(
        scope: Scope, resource: String? = nil, sharedLink: String? = nil
    ) async throws(AuthError) -> ServiceTokens {
        try await exchange(TokenRestriction(scope: scope, resource: resource, sharedLink: sharedLink))
    }

    /// A token for less, with all options; throws as ``exchange(scope:resource:sharedLink:)`` does.
    public func exchange(_ restriction: TokenRestriction) async throws(AuthError) -> ServiceTokens {
        let tokens = try await session.exchange(restriction)
        return ServiceTokens(
            accessToken: tokens.accessToken, refreshToken: nil, obtainedAt: tokens.obtainedAt,
            expiresAt: tokens.expiresAt, scope: tokens.scope, restrictedTo: tokens.restrictedTo,
            issuedTokenType: tokens.issuedTokenType)
    }

    /// A client with such a token, which it exchanges again when it runs out. Nothing that this client adds to its
    /// requests goes along: no `As-User`, no shared link, no header. It ends with this one.
    public func restricted(to restriction: TokenRestriction) -> ServiceClient {
        ServiceClient(exchanging: self, restriction)
    }

    /// Ends the tokens at the service and forgets them. The client stays good: its next request asks for new ones, and
    /// a person's throws `session.signed_out`.
    ///
    /// - Throws: `transport.unavailable` and `server.refused` if nothing was ended; `store.unavailable` if the tokens
    ///   are dead but still stored.
    public func revoke() async throws(AuthError) {
        try await session.revoke()
    }

    /// Ends the session for good: this client, all that it was derived from and all derived from it throw
    /// `service.client_destroyed` from now on; tokens go from memory and store, and are ended at the service.
    ///
    /// - Throws: `store.unavailable` if the tokens could not be removed from the store; `transport.unavailable` and
    ///   `server.refused` if the service could not be told. The client is destroyed all the same; calling this again
    ///   tries again.
    public func destroy() async throws(AuthError) {
        try await session.destroy()
    }
}

extension ServiceClient: TokenSource {
    /// An access token other than `refused`, asked for once however many callers were refused the same.
    ///
    /// - Throws: `service.developer_token_refused` for a developer token; otherwise as
    ///   ``accessToken(minimumSeconds:)``.
    public func replacement(for refused: String) async throws(AuthError) -> String {
        try await session.replacement(for: refused)
    }

    /// The header fields that present `token` with one request.
    public func authorization(
        presenting token: String, method: String, url: String
    ) async throws(AuthError) -> [(name: String, value: String)] {
        guard case .session(let container) = session.credential.kind else {
            return [("Authorization", "\(TokenType.bearer) \(token)")]
        }
        return try await container.authorization(presenting: token, method: method, url: url)
    }

    /// Remembers the nonce of a server that wants one in the proofs of a container's session.
    public func mayRetry(after response: HTTPResponse, from url: String) -> Bool {
        guard case .session(let container) = session.credential.kind else { return false }
        return container.mayRetry(after: response, from: url)
    }
}

extension ServiceClient: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Shows nothing.
    public var description: String { "ServiceClient" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
