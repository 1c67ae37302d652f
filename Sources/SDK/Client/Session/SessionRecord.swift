internal import KeyturnBase
internal import KeyturnWire

/// One signed-in session as it is stored: the tokens, whose they are, and how long they last.
struct SessionRecord: Hashable, Sendable {
    var generation: Generation
    /// Who was given these tokens. They are never sent anywhere else.
    let client: Client
    var accessToken: String
    /// When the access token arrived, by this machine's clock.
    var obtainedAt: UnixTime
    /// When it runs out, by the same clock: a wrong clock is wrong by the same amount on both sides. `nil`: unknown.
    var expiresAt: UnixTime?
    var refreshToken: String?
    var idToken: IDToken?
    var scope: Scope
    /// Whether the access token wants a proof with each request (RFC 9449 §7), rather than being a bearer token.
    var isSenderConstrained = false
    /// The key on this device without which the refresh token is worth nothing (RFC 9449 §5); its RFC 7638
    /// thumbprint. `nil`: not bound.
    var keyThumbprint: String?
    /// When a renewal of this very record was begun, by this machine's clock. Found at start, it was interrupted: the
    /// server may have done its part.
    var renewalBegunAt: UnixTime?
    /// When a renewal of these tokens was begun for the first time, by any process. `nil`: none was.
    var firstBegunAt: UnixTime?
    /// When another process began a renewal of the same tokens that this one did not wait for: it may have the answer.
    /// Beside new tokens: of those before them, and they may still ask.
    var rivalBegunAt: UnixTime?
    /// Whether the service gives no other tokens for these before the user was at its page.
    var needsInteraction = false
    /// What is known about the person beside the ID token; `nil`: nothing.
    var userClaims: [String: JSONValue]?
    /// The project whose method made this session and which renews it; `nil`: it was made by an authorization.
    var projectID: String?
    /// What the service's pages for web applications are opened with (OpenID Connect Native SSO §3.4); `nil`: none.
    var deviceSecret: String?
    /// What is remembered of the service beside the client, see ``Service/details``.
    var serviceDetails: [String: String] = [:]

    /// Whether it came out of a vault and was not renewed since. Known in memory alone.
    var isUnsealed = false

    /// The client at its service.
    struct Client: Hashable, Sendable {
        let kind: Service.Kind
        let issuer: String
        let clientID: String
    }

    /// The access token's lifetime when it arrived, in seconds; `nil` when the server did not say.
    var lifetimeSeconds: Int64? {
        expiresAt.map { min(max(0, $0.seconds(since: obtainedAt)), Limits.tokenLifetimeMaxSeconds) }
    }

    /// When another process began to renew the same tokens, so recently that it may still be at it; `nil`: none.
    ///
    /// - Parameter own: what this process has begun itself.
    func rival(except own: Generation?, at now: UnixTime) -> UnixTime? {
        let begun = [generation == own ? nil : renewalBegunAt, rivalBegunAt]
        return begun.compactMap(\.self).first { abs(now.seconds(since: $0)) < Limits.renewalSecondsMax }
    }

    /// Whether another process may still ask with the refresh token before this one. If this one is used meanwhile,
    /// theirs looks like a thief's.
    func isFollowed(at now: UnixTime) -> Bool {
        renewalBegunAt == nil && rival(except: nil, at: now) != nil
    }

    /// The record that says that its renewal has begun, beside a rival's if there is one.
    func beginningRenewal(at now: UnixTime, beside rival: UnixTime? = nil) -> SessionRecord {
        var next = self
        next.generation = generation.next
        next.renewalBegunAt = now
        next.firstBegunAt = firstBegunAt ?? renewalBegunAt ?? now
        next.rivalBegunAt = rival
        return next
    }

    /// What a rival that has begun to renew these tokens means for their successor.
    ///
    /// A Keyturn server answers what was superseded within the last minute again, however many rotations lie between.
    /// The rival's request arrives in time unless the tokens were superseded long before the rival began: by a request
    /// whose answer was lost.
    private func followed(by rival: UnixTime?) -> UnixTime? {
        guard let rival, client.kind == .keyturn, let first = firstBegunAt else { return rival }
        let isInTime = abs(rival.seconds(since: first)) + Limits.renewalRequestSeconds <= Limits.serverOverlapSeconds
        return isInTime ? nil : rival
    }

    /// The record after a token answer. What the answer does not name stays (RFC 6749 §6).
    func renewed(by grant: TokenGrant, at now: UnixTime) -> SessionRecord {
        var next = self
        next.generation = generation.next
        next.accessToken = grant.accessToken
        next.obtainedAt = now
        next.expiresAt = grant.expiresInSeconds.map { now + $0 }
        next.refreshToken = grant.refreshToken ?? refreshToken
        next.scope = grant.scope ?? scope
        next.isSenderConstrained = grant.isSenderConstrained
        next.deviceSecret = grant.deviceSecret ?? deviceSecret
        next.renewalBegunAt = nil
        next.isUnsealed = false
        next.needsInteraction = false
        next.firstBegunAt = nil
        next.rivalBegunAt = next.refreshToken == refreshToken ? nil : followed(by: rivalBegunAt)
        return next
    }

    /// These new tokens in the place of `found`, which holds the ones before them and which a rival has begun to renew.
    func renumbered(after found: SessionRecord, rival: UnixTime?) -> SessionRecord {
        var next = self
        next.generation = found.generation.next
        if refreshToken != found.refreshToken { next.rivalBegunAt = found.followed(by: rival) }
        return next
    }

    /// Whether a word about one of the two is a word about the other.
    func sharesTokens(with other: SessionRecord) -> Bool {
        generation.signIn == other.generation.signIn && refreshToken == other.refreshToken
    }
}

extension SessionRecord {
    /// Generation, tokens and what is known of their renewals tell one record from another.
    func hash(into hasher: inout Hasher) {
        hasher.combine(generation)
        hasher.combine(accessToken)
        hasher.combine(refreshToken)
        hasher.combine(renewalBegunAt)
        hasher.combine(firstBegunAt)
        hasher.combine(rivalBegunAt)
        hasher.combine(needsInteraction)
    }
}

extension SessionRecord.Client {
    init(_ service: Service) {
        self.init(kind: service.kind, issuer: service.issuer, clientID: service.clientID)
    }

    /// The project of a service that knows no other clients; `nil`: sessions belong to a client.
    var projectID: String? { kind == .descope ? clientID : nil }
}

extension SessionRecord {
    /// The service that it belongs to; `nil` if this release does not know its kind.
    var service: Service? {
        .remembered(
            kind: client.kind, issuer: client.issuer, clientID: client.clientID, projectID: projectID,
            details: serviceDetails)
    }
}

extension SessionRecord {
    /// The version of the form below. Readers refuse later ones.
    private static let version: Int64 = 1

    /// The form for the store.
    var stored: StoredRecord {
        let contents = JSONWriter.object(capacity: 2_048) { writer in
            writer.member("version", Self.version)
            writer.member("service", client.kind.rawValue)
            writer.member("issuer", client.issuer)
            writer.member("client_id", client.clientID)
            writer.member("access_token", accessToken)
            writer.member("obtained_at", obtainedAt.rawValue)
            writer.member("expires_at", expiresAt?.rawValue)
            writer.member("refresh_token", refreshToken)
            writer.member("id_token", idToken?.compact)
            writer.member("scope", scope.text)
            writer.member("dpop", isSenderConstrained)
            writer.member("jkt", keyThumbprint)
            writer.member("renewal_begun_at", renewalBegunAt?.rawValue)
            writer.member("first_begun_at", firstBegunAt?.rawValue)
            writer.member("rival_begun_at", rivalBegunAt?.rawValue)
            if needsInteraction { writer.member("interaction_required", needsInteraction) }
            if let userClaims { writer.member("user", .object(userClaims)) }
            writer.member("project_id", projectID)
            writer.member("device_secret", deviceSecret)
            if !serviceDetails.isEmpty {
                writer.member("service_details", .object(serviceDetails.mapValues { .string($0) }))
            }
        }
        return StoredRecord(generation: generation, contents: contents)
    }

    /// Reads what ``stored`` wrote.
    ///
    /// - Throws: `store.key_lost` for what is damaged; `store.unavailable` for what another release wrote: what that
    ///   holds is unknown, which is not nothing.
    init(_ record: StoredRecord) throws(AuthError) {
        let limits = JSONValue.Limits(bytesMax: Limits.recordMaxBytes)
        guard let json = try? JSONValue(parsing: record.contents, limits: limits),
            let version = json["version"]?.integerValue
        else { throw .lost("the stored session is damaged") }
        guard version == Self.version else {
            throw AuthError(
                .storeUnavailable,
                "the stored session was written by another release: use that one, or sign in again",
                cause: UnusableRecord())
        }
        guard let kind = json["service"]?.stringValue, let issuer = json["issuer"]?.stringValue,
            let clientID = json["client_id"]?.stringValue, let accessToken = json["access_token"]?.stringValue,
            let obtainedAt = json["obtained_at"]?.integerValue,
            let scope = json["scope"]?.stringValue.flatMap({ Scope($0) })
        else { throw .lost("the stored session is incomplete") }
        generation = record.generation
        client = Client(kind: .init(rawValue: kind), issuer: issuer, clientID: clientID)
        self.accessToken = accessToken
        self.obtainedAt = UnixTime(rawValue: obtainedAt)
        expiresAt = json["expires_at"]?.integerValue.map { UnixTime(rawValue: $0) }
        refreshToken = json["refresh_token"]?.stringValue
        idToken = json["id_token"]?.stringValue.flatMap { IDToken(stored: $0) }
        self.scope = scope
        isSenderConstrained = json["dpop"]?.boolValue ?? false
        keyThumbprint = json["jkt"]?.stringValue
        renewalBegunAt = json["renewal_begun_at"]?.integerValue.map { UnixTime(rawValue: $0) }
        firstBegunAt = json["first_begun_at"]?.integerValue.map { UnixTime(rawValue: $0) }
        rivalBegunAt = json["rival_begun_at"]?.integerValue.map { UnixTime(rawValue: $0) }
        needsInteraction = json["interaction_required"]?.boolValue ?? false
        userClaims = json["user"]?.objectValue
        projectID = json["project_id"]?.stringValue
        deviceSecret = json["device_secret"]?.stringValue
        serviceDetails = (json["service_details"]?.objectValue ?? [:]).compactMapValues(\.stringValue)
    }
}

extension SessionRecord: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    var description: String { "SessionRecord(\(generation.number))" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: []) }
}
