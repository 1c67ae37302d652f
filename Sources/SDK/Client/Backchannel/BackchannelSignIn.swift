public import KeyturnBase
public import KeyturnVerify
public import KeyturnWire

/// Signs users in at a service's own counter, who approve on a device of theirs (OpenID Connect CIBA Core 1.0, in the poll
/// and ping modes).
///
/// ```swift
/// let till = BackchannelSignIn(.keyturn(issuer: issuer, clientID: "till", clientSecret: secret))
/// let waiting = try await till.start(BackchannelSignInRequest(loginHint: "maria@example.com"))
/// show(waiting.number)
/// let result = try await till.result(of: waiting)
/// ```
///
/// A value: all that it derives is held by the caller. To cancel, cancel the task that waits: the request expires by
/// itself.
public struct BackchannelSignIn: Sendable {
    private let provider: OpenIDProvider
    private let service: Service
    private let ambient: Ambient
    private let sleep: any PollSleep

    /// Touches neither network nor disk.
    ///
    /// - Parameters:
    ///   - service: Where to ask, with a client that authenticates.
    ///   - transport: Carries every request; `nil`: a URL session of its own.
    ///   - ambient: Clock and randomness.
    public init(_ service: Service, transport: (any HTTPTransport)? = nil, ambient: Ambient = .live) {
        self.init(service, transport: transport, ambient: ambient, sleep: ContinuousSleep())
    }

    init(_ service: Service, transport: (any HTTPTransport)?, ambient: Ambient, sleep: any PollSleep) {
        self.service = service
        self.ambient = ambient
        self.sleep = sleep
        // The client authenticates, and binds its tokens to no key: none is ever made here.
        let keys = DPoPProofMaker.Place(keys: StoredDeviceKeys(MemoryStore()), name: service.clientID)
        provider = OpenIDProvider(
            service, transport: transport ?? URLSessionTransport(), keys: [keys], ambient: ambient)
    }

    /// Asks for a sign-in (CIBA Core §7.1).
    ///
    /// - Throws: `service.unsupported` if the service has no such endpoint; `server.refused`; `transport.unavailable`;
    ///   `protocol.violation`; `configuration.invalid` if the request names no user, or two.
    public func start(_ request: BackchannelSignInRequest) async throws(AuthError) -> WaitingBackchannelSignIn {
        guard (request.loginHint == nil) != (request.idTokenHint == nil) else {
            throw AuthError(.misconfigured, "give one of loginHint and idTokenHint")
        }
        let metadata = try await provider.metadata()
        guard let endpoint = metadata.backchannelAuthenticationEndpoint else {
            throw AuthError(.unsupported, "the service has no backchannel authentication (CIBA)")
        }
        guard URLText.isAcceptableEndpoint(endpoint), !URLText.isPlain(endpoint) || URLText.isPlain(service.issuer)
        else { throw AuthError(.protocolViolation, "the discovery document names an endpoint without protection") }
        var form = FormParameters()
        form.append("scope", (request.scope ?? service.defaultScope).text)
        form.append("login_hint", request.loginHint)
        form.append("id_token_hint", request.idTokenHint)
        form.append("binding_message", request.bindingMessage)
        form.append("requested_expiry", request.requestedExpirySeconds.map(String.init))
        form.append("client_notification_token", request.notificationToken?.exposed())
        if !request.acrValues.isEmpty { form.append("acr_values", request.acrValues.joined(separator: " ")) }
        for uri in request.resource { form.append("resource", uri) }
        let startedAt = ambient.uptime()
        let json = try await provider.post(form, to: endpoint, metadata, timeoutSeconds: Limits.requestSeconds)
        guard let id = TokenGrant.token(json["auth_req_id"]), let seconds = json["expires_in"]?.integerValue,
            seconds > 0
        else { throw AuthError(.protocolViolation, "the answer is not complete (CIBA Core §7.3)") }
        return WaitingBackchannelSignIn(
            authReqID: Secret(id), expiresInSeconds: min(seconds, Limits.deviceSecondsMax),
            intervalSeconds: json["interval"]?.integerValue, number: json["number"]?.integerValue.map { Int($0) },
            startedAt: startedAt)
    }

    /// Waits until the user has decided: asks again and again, as seldom as the service wants.
    ///
    /// A network that fails on the way is waited for, and an answer that was lost is asked for again.
    ///
    /// - Throws: `sign_in.cancelled` if the user refused, or, caused by a `CancellationError`, if the calling task was
    ///   cancelled; `sign_in.backchannel_expired`; `server.refused`; a `token.*` code if the ID token is not
    ///   acceptable; the last `transport.unavailable` if the network was down until the end.
    public func result(of waiting: WaitingBackchannelSignIn) async throws(AuthError) -> BackchannelSignInResult {
        var polling = DevicePolling(waiting.polled, startedAt: waiting.startedAt)
        while true {
            let pause = polling.pause(at: ambient.uptime())
            guard !Task.isCancelled, await sleep.seconds(pause) else { throw AuthError.taskCancelled }
            do throws(AuthError) {
                return try await redeem(waiting.authReqID)
            } catch {
                do throws(AuthError) {
                    _ = try polling.next(after: error, at: ambient.uptime())
                } catch {
                    guard error.code == .deviceCodeExpired else { throw error }
                    throw AuthError(
                        .backchannelExpired, "the user did not decide in time", cause: error, server: error.server)
                }
            }
        }
    }

    /// Asks once, after the service has notified this client (ping mode, CIBA Core §10.2). The caller has compared the
    /// notification's bearer token with its own.
    ///
    /// - Parameter authReqID: From the notification.
    /// - Throws: `server.refused` with the service's code, such as `authorization_pending`; otherwise as
    ///   ``result(of:)``.
    public func redeem(_ authReqID: Secret) async throws(AuthError) -> BackchannelSignInResult {
        var form = FormParameters()
        form.append("grant_type", GrantType.ciba.rawValue)
        form.append("auth_req_id", authReqID.exposed())
        let now = ambient.now()
        let grant = try await provider.tokens(
            form, key: nil, bindsAccessToken: false, timeoutSeconds: Limits.devicePollTimeoutSeconds)
        guard let compact = grant.idToken else {
            throw AuthError(.protocolViolation, "the token answer has no ID token (CIBA Core §10.1.1)")
        }
        let verified = try await provider.idTokenVerifier().verify(
            compact, nonce: nil, accessToken: grant.accessToken, maxAgeSeconds: nil, at: provider.clock.now())
        return BackchannelSignInResult(
            idToken: IDToken(compact: compact, verified: verified),
            tokens: ServiceTokens(
                accessToken: grant.accessToken, refreshToken: grant.refreshToken, obtainedAt: now,
                expiresInSeconds: grant.expiresInSeconds))
    }
}

/// Who is to sign in, and for what.
public struct BackchannelSignInRequest: Sendable {
    /// An email address, a telephone number or a user name.
    public var loginHint: String?
    /// Instead of it: an ID token that this client got for the user.
    public var idTokenHint: String?
    /// What to ask for, with `openid`; `nil`: the service's ``Service/defaultScope``.
    public var scope: Scope?
    /// What both devices show: plain text, short.
    public var bindingMessage: String?
    /// How long the user may take, in seconds; `nil`: as the service likes.
    public var requestedExpirySeconds: Int64?
    /// Acceptable strengths of authentication, best first.
    public var acrValues: [String] = []
    /// Where the access token is to be used (RFC 8707 §2).
    public var resource: [String] = []
    /// For a client in ping mode: the bearer token that the service's notification must show. At least 128 bits of
    /// randomness, new for each request.
    public var notificationToken: Secret?

    /// A request for a user by what they sign in with.
    public init(loginHint: String, bindingMessage: String? = nil) {
        self.loginHint = loginHint
        self.bindingMessage = bindingMessage
    }

    /// A request for a user who was here before.
    public init(idTokenHint: String, bindingMessage: String? = nil) {
        self.idTokenHint = idTokenHint
        self.bindingMessage = bindingMessage
    }
}

/// A sign-in that waits for its user.
public struct WaitingBackchannelSignIn: Sendable {
    /// `auth_req_id`. A secret.
    public let authReqID: Secret
    /// From the moment it arrived.
    public let expiresInSeconds: Int64
    /// The least time between two questions; `nil`: five seconds.
    public let intervalSeconds: Int64?
    /// What the user types on their device: show it. `nil`: the service wants none.
    public let number: Int?
    /// By the clock that never goes back.
    let startedAt: Int64

    fileprivate var polled: DeviceAuthorizationResponse {
        DeviceAuthorizationResponse(
            deviceCode: "", userCode: "", verificationURI: "", verificationURIComplete: nil,
            expiresInSeconds: expiresInSeconds, intervalSeconds: intervalSeconds)
    }
}

/// A user who signed in.
public struct BackchannelSignInResult: Sendable {
    /// Who it is, verified.
    public let idToken: IDToken
    /// The tokens of the client for this user.
    public let tokens: ServiceTokens
}

extension AuthError.Code {
    /// The user did not decide in time.
    public static let backchannelExpired = Self(rawValue: "sign_in.backchannel_expired")
}
