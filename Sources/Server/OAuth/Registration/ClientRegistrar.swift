internal import Authority
public import KeyturnBase
public import KeyturnWire
public import Model

/// Clients that register themselves, and manage their own entries (RFC 7591, RFC 7592).
///
/// Such a client has its own metadata, within ``RegistrationRules``, and nothing that only the operator can give: no
/// first party, no audiences, no users to act for, no profile. A change cannot add any of that.
public struct ClientRegistrar: Sendable {
    private let settings: RegistrationSettings
    private let rules: RegistrationRules
    private let clients: ClientDirectory
    private let stores: Stores
    private let audit: any AuditLog
    private let ambient: Ambient

    package init(
        settings: RegistrationSettings, project: Project, clients: ClientDirectory, stores: Stores,
        audit: any AuditLog, ambient: Ambient
    ) {
        self.settings = settings
        rules = RegistrationRules(project: project, settings: settings, clients: clients)
        self.clients = clients
        self.stores = stores
        self.audit = audit
        self.ambient = ambient
    }

    /// What a client is told about its own entry.
    public struct Entry: Sendable {
        public let client: Client
        /// Only in the response that made it: it is not stored.
        public let secret: Secret?
        public let token: Secret
        public let registeredAt: UnixTime
    }

    /// The result of a request.
    public enum Outcome: Sendable {
        case entry(Entry)
        case removed
        /// No valid token; the same whether the client exists or not.
        case unauthorized
        /// Too many from this network, or of this client; when to try again.
        case throttled(retryAfterSeconds: Int)
        /// The maximum number of clients is reached.
        case full
    }

    /// Whether registration requires an initial access token from the operator.
    public var wantsInitialAccessToken: Bool { !settings.initialAccessTokens.isEmpty }

    /// Whether a request may register a client; `nil`: not with this token.
    ///
    /// - Parameter token: the initial access token of the request.
    public func permit(_ token: Secret?, from address: NetworkAddress?) -> RegistrationPermit? {
        guard
            settings.initialAccessTokens.isEmpty || token.map({ Self.knows($0, settings.initialAccessTokens) }) == true
        else {
            audit.recordOnce(
                AuditEvent(
                    .clientRefused, at: ambient.now(), address: address?.text, reason: "initial_access_token"))
            return nil
        }
        return RegistrationPermit()
    }

    /// Registers a client.
    ///
    /// - Throws: ``OAuthProblem`` with `invalid_redirect_uri` or `invalid_client_metadata`; ``StoreError``.
    public func register(
        _ asked: ClientMetadata, by permit: RegistrationPermit, from address: NetworkAddress?
    ) async throws -> Outcome {
        let now = ambient.now()
        let metadata = try rules.checked(asked)
        let charge = RateLimitCharge(
            "registration:\(address?.network ?? "unknown")", max: Limits.registrationsPerNetworkMax,
            windowSeconds: Limits.registrationWindowSeconds)
        if let refilledAt = try await stores.rateLimits.spend([charge], at: now) {
            return .throttled(retryAfterSeconds: Int(refilledAt.seconds(since: now)))
        }
        let secret = Self.needsSecret(metadata) ? Secret(ambient.randomToken(byteCount: 32)) : nil
        let token = Secret(ambient.randomToken(byteCount: 32))
        let client = Client(
            id: ambient.randomToken(byteCount: 16), metadata: metadata,
            secretDigests: secret.map { [SecretDigest(of: $0)] } ?? [],
            registration: ClientRegistration(tokenDigest: SecretDigest(of: token), registeredAt: now))
        let allowed = try permit.permission(for: client.id)
        guard try await stores.clients.register(client, by: allowed, max: settings.clientsMax, at: now) else {
            audit.recordOnce(AuditEvent(.clientRefused, at: now, address: address?.text, reason: "full"))
            return .full
        }
        try await clients.reload()
        audit.record(
            AuditEvent(
                .clientRegistered, at: now, clientID: client.id, address: address?.text,
                changes: .between(nil, client, ambient)))
        return .entry(Entry(client: client, secret: secret, token: token, registeredAt: now))
    }

    /// The present registration (RFC 7592 §2.1).
    public func read(_ holder: RegistrationHolder) -> Outcome {
        .entry(
            Entry(
                client: holder.client, secret: nil, token: holder.token,
                registeredAt: holder.registration.registeredAt))
    }

    /// Replaces a client's whole metadata (RFC 7592 §2.2).
    ///
    /// - Parameters:
    ///   - sentID: the `client_id` in the request: it cannot be changed.
    ///   - sentSecret: the `client_secret` in the request: it cannot be chosen.
    /// - Throws: ``OAuthProblem`` with `invalid_request`, `invalid_redirect_uri` or `invalid_client_metadata`;
    ///   ``StoreError``.
    public func replace(
        _ holder: RegistrationHolder, with asked: ClientMetadata, sentID: String?, sentSecret: Secret?
    ) async throws -> Outcome {
        let (client, token, registration) = (holder.client, holder.token, holder.registration)
        guard sentID == client.id else {
            throw OAuthProblem(.invalidRequest, "client_id must be that of the client")
        }
        if let sentSecret, !Self.knows(sentSecret, client.secretDigests) {
            throw OAuthProblem(.invalidRequest, "client_secret is not the client's")
        }
        let metadata = try rules.checked(asked)
        let now = ambient.now()
        let charge = RateLimitCharge(
            "registration-change:\(client.id)", max: Limits.registrationChangesMax,
            windowSeconds: Limits.registrationWindowSeconds)
        if let refilledAt = try await stores.rateLimits.spend([charge], at: now) {
            return .throttled(retryAfterSeconds: Int(refilledAt.seconds(since: now)))
        }
        var digests = Self.needsSecret(metadata) ? client.secretDigests : []
        var secret = digests.isEmpty ? nil : sentSecret
        if Self.needsSecret(metadata), digests.isEmpty {
            let fresh = Secret(ambient.randomToken(byteCount: 32))
            digests = [SecretDigest(of: fresh)]
            secret = fresh
        }
        let changed = Client(id: client.id, metadata: metadata, secretDigests: digests, registration: registration)
        let allowed = try holder.permission(Acts.RegisterClient.self)
        guard try await stores.clients.replace(changed, by: allowed, at: now) else { return .unauthorized }
        try await clients.reload()
        audit.recordOnce(
            AuditEvent(.clientChanged, at: now, clientID: client.id, changes: .between(client, changed, ambient)))
        return .entry(Entry(client: changed, secret: secret, token: token, registeredAt: registration.registeredAt))
    }

    /// Removes a client, with its grants and consents (RFC 7592 §2.3).
    public func remove(_ holder: RegistrationHolder) async throws -> Outcome {
        let client = holder.client
        let now = ambient.now()
        let allowed = try holder.permission(Acts.RemoveClient.self)
        guard try await stores.clients.remove(by: allowed, at: now) else { return .unauthorized }
        try await clients.reload()
        audit.record(
            AuditEvent(.clientRemoved, at: now, clientID: client.id, changes: .between(client, nil, ambient)))
        return .removed
    }

    /// Removes clients that were never used and not changed for a while: else unused entries would fill the maximum for
    /// good.
    ///
    /// - Returns: how many were removed; less than `limit` means that none is left for now.
    package func removeUnused(limit: Int) async throws(StoreError) -> Int {
        let now = ambient.now()
        let allowed = try Rulebook(AuthorityPolicy()).permission(
            Acts.RemoveClient.self, to: .machine(.upkeep), on: .project(tenant: nil))
        let removed = try await stores.clients.removeUnused(
            by: allowed, before: now - Limits.registrationUnusedSeconds, limit: limit)
        guard !removed.isEmpty else { return 0 }
        try await clients.reload()
        for id in removed { audit.record(AuditEvent(.clientRemoved, at: now, clientID: id, reason: "unused")) }
        return removed.count
    }

    private static let nobody = SecretDigest(storedBytes: [UInt8](repeating: 0, count: 32))

    /// Attack 43: a token opens only its own entry, and a wrong one reveals nothing about others.
    public func holder(of clientID: String?, token: Secret?) -> RegistrationHolder? {
        let client = clientID.flatMap(clients.client)
        let isKnown = token.map { Self.knows($0, [client?.registration?.tokenDigest ?? Self.nobody]) } ?? false
        guard isKnown, let client, let token, let registration = client.registration else { return nil }
        return RegistrationHolder(client: client, token: token, registration: registration)
    }

    private static func knows(_ secret: Secret, _ digests: [SecretDigest]) -> Bool {
        let digest = SecretDigest(of: secret)
        return digests.reduce(false) { found, candidate in
            ConstantTime.equal(candidate.bytes, digest.bytes) || found
        }
    }

    private static func needsSecret(_ metadata: ClientMetadata) -> Bool {
        ["client_secret_basic", "client_secret_post"].contains(metadata.tokenEndpointAuthMethod ?? "")
    }
}
