package import KeyturnBase
public import KeyturnWire
public import Model

/// The backchannel authentication endpoint's rules (OpenID Connect CIBA Core): a client asks here, a user decides in the
/// settings on another device.
public struct BackchannelAuthentications: Sendable {
    let stores: Stores
    let clients: ClientDirectory
    let audit: any AuditLog
    let ambient: Ambient
    let project: Project
    let reuse: SessionReuse
    private let hints: IDTokenHintReader
    private let proofs: DPoPChecker
    let pings: PingNotices
    private let notices: SecurityNotices

    package init(
        project: Project, stores: Stores, clients: ClientDirectory, hints: IDTokenHintReader, proofs: DPoPChecker,
        pings: PingNotices, reuse: SessionReuse, notices: SecurityNotices, audit: any AuditLog, ambient: Ambient
    ) {
        self.project = project
        self.stores = stores
        self.clients = clients
        self.hints = hints
        self.proofs = proofs
        self.pings = pings
        self.reuse = reuse
        self.notices = notices
        self.audit = audit
        self.ambient = ambient
    }

    /// How clients may get their tokens (OpenID Connect CIBA Core §5). Not `push`: tokens would travel to an address, and
    /// not to a client that authenticates.
    public static let deliveryModes = ["poll", "ping"]

    /// The result of a client's request.
    public enum Start: Sendable {
        case started(BackchannelAuthenticationResponse)
        /// The client has asked too often with this hint, whether there is such a user or not.
        case tooMany(retryAfterSeconds: Int64)
    }

    /// A user's hint: how requests with it are counted, and how the user is found.
    private enum Hint {
        case login(Identifier?, text: String)
        case user(UserID)

        var text: String {
            switch self {
            case .login(let identifier, let text): identifier?.value ?? text
            case .user(let id): id.rawValue
            }
        }
    }

    /// Answers a client that has authenticated (OpenID Connect CIBA Core §7.1).
    ///
    /// The answer is the same whether the user exists, is asked too often or has blocked the client: such a request
    /// expires without a decision.
    ///
    /// - Parameters:
    ///   - proof: the request's DPoP proof, if any; the request is bound to its key.
    ///   - address: where the client asks from.
    /// - Throws: ``OAuthProblem`` for a refusal.
    public func start(
        _ form: FormParameters, client asking: AuthenticatedClient, proof: CheckedDPoPProof?,
        from address: NetworkAddress?
    ) async throws -> Start {
        let client = asking.client
        try requireClient(client, form, proof)
        let scope = try scope(form.single("scope"), client)
        let resources = try project.checkedResources(form.values("resource"))
        let hint = try hint(form, client)
        let message = try form.single("binding_message").map(Self.bindingMessage)
        let seconds = try Self.expiry(form.single("requested_expiry"))
        let token = try Self.notificationToken(form.single("client_notification_token"), client)
        try await proofs.admit(proof)
        let now = ambient.now()
        if let refilledAt = try await stores.rateLimits.spend([Self.charge(client, hint.text)], at: now) {
            return .tooMany(retryAfterSeconds: max(1, refilledAt.seconds(since: now)))
        }
        let (account, key, hidden) = try await addressee(hint, client, at: now)
        let code = Secret(ambient.randomToken(byteCount: 32))
        let id = SecretDigest(of: code)
        let request = BackchannelAuthentication(
            id: id, clientID: client.id, userID: hidden == nil ? account?.user.id : nil,
            scope: scope, resources: resources,
            needsSeveralFactors: DeviceAuthorizations.needsSeveralFactors(form.single("acr_values"), client),
            keyThumbprint: proof?.keyThumbprint, bindingMessage: message, number: Self.number(ambient),
            network: address?.network,
            sealedPing: token.map { pings.sealed(code, token: $0, of: id) }, createdAt: now, expiresAt: now + seconds)
        try await add(request, to: account, countedAs: key, hidden, client, from: address)
        return .started(
            BackchannelAuthenticationResponse(
                authReqID: code.exposed(), expiresInSeconds: seconds, intervalSeconds: Limits.deviceIntervalSeconds,
                number: request.number))
    }

    /// Stores a request, and tells its user.
    ///
    /// - Parameter hidden: why the user is not to see it.
    private func add(
        _ request: BackchannelAuthentication, to account: Account?, countedAs key: String, _ hidden: String?,
        _ client: Client, from address: NetworkAddress?
    ) async throws(StoreError) {
        let now = request.createdAt
        let isShown = try await stores.backchannel.add(request, pendingMax: Limits.backchannelPendingMax)
        audit.record(
            AuditEvent(
                .backchannelAsked, at: now, userID: account?.user.id, clientID: client.id, address: address?.text,
                reason: isShown ? nil : hidden ?? "too_many_pending"))
        let notice = SecurityNotice.SignInRequest(
            clientName: client.name, bindingMessage: request.bindingMessage, name: request.name,
            expiresAt: request.expiresAt)
        await notices.signInRequested(
            notice, to: isShown ? account : nil, countedAs: key,
            from: SessionOrigin(address: address?.text, device: nil), at: now)
    }

    private func requireClient(_ client: Client, _ form: FormParameters, _ proof: CheckedDPoPProof?)
        throws(OAuthProblem)
    {
        if form.firstRepeated(except: ["resource"]) != nil {
            throw OAuthProblem(.invalidRequest, "a parameter is sent twice")
        }
        guard client.allows(.ciba), !client.isPublic, client.profile != .fapi2 else {
            throw OAuthProblem(.unauthorizedClient, "the client is not registered for backchannel authentication")
        }
        guard proof != nil || client.metadata.dpopBoundAccessTokens != true else {
            throw OAuthProblem(.invalidDPoPProof, "the client is registered to send a DPoP proof, and sent none")
        }
        guard form.single("request") == nil else {
            throw OAuthProblem(.invalidRequest, "signed authentication requests are not supported")
        }
        guard client.metadata.requireSignedRequestObject != true else {
            throw OAuthProblem(.invalidRequest, "the client is registered to send signed requests alone")
        }
        guard form.single("authorization_details") == nil else {
            throw OAuthProblem(.invalidAuthorizationDetails, "authorization_details are not supported here")
        }
    }

    private func scope(_ asked: String?, _ client: Client) throws(OAuthProblem) -> Scope {
        guard let asked else { throw OAuthProblem(.invalidRequest, "scope is missing") }
        let allowed = client.permittedScope
        let scope = try Scope(asked: asked).granted(from: allowed)
        guard scope.names.contains(Scope.openID) else {
            throw OAuthProblem(.invalidScope, "scope must contain openid")
        }
        return scope
    }

    private func hint(_ form: FormParameters, _ client: Client) throws(OAuthProblem) -> Hint {
        let given = ["login_hint", "id_token_hint", "login_hint_token"].filter { form.single($0) != nil }
        guard given.count == 1 else {
            throw OAuthProblem(.invalidRequest, "exactly one of login_hint and id_token_hint must name the user")
        }
        if let text = form.single("login_hint") {
            guard text.utf8.count <= Identifier.typedBytesMax else {
                throw OAuthProblem(.invalidRequest, "login_hint is too long")
            }
            return .login(Identifier(loginID: text), text: text)
        }
        guard let text = form.single("id_token_hint") else {
            throw OAuthProblem(.invalidRequest, "login_hint_token is not supported")
        }
        guard let token = hints.read(text), token.clientID == client.id else {
            throw OAuthProblem(.invalidRequest, "id_token_hint is not an ID token of this server for this client")
        }
        return .user(UserID(rawValue: token.subject))
    }

    /// The user of a hint, under which key their requests are counted, and why the user is not to see this one; `nil`: the
    /// user sees it. For an unknown user the work is the same, so that the time of the answer does not tell who exists.
    private func addressee(_ hint: Hint, _ client: Client, at now: UnixTime) async throws(StoreError)
        -> (account: Account?, key: String, hidden: String?)
    {
        let found: Account? =
            switch hint {
            case .login(let identifier?, _): try await account(of: identifier)
            case .login(nil, _): nil
            case .user(let id): try await stores.users.account(id)
            }
        let key = found?.user.id.rawValue ?? "unknown:\(Self.digest(hint.text))"
        let isBlocked = try await stores.rateLimits.spend([Self.block(client.id, key, cost: 0)], at: now) != nil
        let charge = RateLimitCharge(
            "backchannel:user:\(client.id):\(key)", max: Limits.backchannelRequestsPerUserMax,
            windowSeconds: Limits.sendWindowSeconds)
        let areTooMany = try await stores.rateLimits.spend([charge], at: now) != nil
        guard let found else { return (nil, key, "unknown_user") }
        return (found, key, isBlocked ? "blocked" : areTooMany ? "too_many" : nil)
    }

    /// An address names the account that has proved it, and no other.
    private func account(of identifier: Identifier) async throws(StoreError) -> Account? {
        let account = try await stores.users.account(identifier)
        return identifier.kind == .username || account?.identifiers[identifier] == .verified ? account : nil
    }

    private static func charge(_ client: Client, _ hint: String) -> RateLimitCharge {
        RateLimitCharge(
            "backchannel:hint:\(client.id):\(digest(hint))", max: Limits.backchannelRequestsPerHintMax,
            windowSeconds: Limits.sendWindowSeconds)
    }

    private static func digest(_ hint: String) -> String { Base64URL.encode(SecretDigest(of: Secret(hint)).bytes) }

    /// A client that a user has blocked: its one charge is spent.
    ///
    /// - Parameter user: the user's identifier, or what stands for an unknown one.
    static func block(_ clientID: String, _ user: String, cost: Int64 = 1) -> RateLimitCharge {
        RateLimitCharge(
            "backchannel:block:\(clientID):\(user)", max: 1, windowSeconds: Limits.backchannelBlockSeconds, cost: cost)
    }

    /// Sign-in pages that a user has blocked: a stranger can begin a sign-in with any client.
    package static func approvalBlock(_ user: String, cost: Int64 = 1) -> RateLimitCharge {
        RateLimitCharge("approval:block:\(user)", max: 1, windowSeconds: Limits.backchannelBlockSeconds, cost: cost)
    }

    /// Two digits. 64 bits are reduced, so that none is likelier in a measurable way.
    package static func number(_ ambient: Ambient) -> Int64 {
        10 + Int64(ambient.randomBytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 90)
    }

    /// Plain text: what cannot be seen could make the two screens differ.
    private static func bindingMessage(_ text: String) throws(OAuthProblem) -> String {
        let isPlain = text.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
            // Of these two, what stands before is seen in another form.
            default: !scalar.properties.isDefaultIgnorableCodePoint || scalar == "\u{FE0E}" || scalar == "\u{FE0F}"
            }
        }
        guard !text.isEmpty, text.unicodeScalars.count <= Limits.bindingMessageMax, isPlain else {
            throw OAuthProblem(
                .invalidBindingMessage,
                "binding_message must be plain text of at most \(Limits.bindingMessageMax) characters")
        }
        return text
    }

    /// `client_notification_token` (OpenID Connect CIBA Core §7.1): a bearer token that the client chose. That it cannot be
    /// guessed is the client's duty.
    private static func notificationToken(_ text: String?, _ client: Client) throws(OAuthProblem) -> Secret? {
        guard client.notificationEndpoint != nil else { return nil }
        guard let text else {
            throw OAuthProblem(.invalidRequest, "client_notification_token is missing, and the client is in ping mode")
        }
        guard text.utf8.count <= Limits.notificationTokenMax, isBearerToken(text) else {
            throw OAuthProblem(
                .invalidRequest,
                "client_notification_token is a bearer token of at most \(Limits.notificationTokenMax) characters")
        }
        return Secret(text)
    }

    /// `b64token` of RFC 6750 §2.1.
    private static func isBearerToken(_ text: String) -> Bool {
        let core = text.utf8.reversed().drop { $0 == UInt8(ascii: "=") }
        return !core.isEmpty
            && core.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "-._~+/".utf8.contains(byte)
                }
            }
    }

    private static func expiry(_ asked: String?) throws(OAuthProblem) -> Int64 {
        guard let asked else { return Limits.backchannelSeconds }
        guard let seconds = Int64(asked), seconds > 0 else {
            throw OAuthProblem(.invalidRequest, "requested_expiry must be a positive number of seconds")
        }
        let allowed = Limits.backchannelSecondsAllowed
        return min(max(seconds, allowed.lowerBound), allowed.upperBound)
    }
}
