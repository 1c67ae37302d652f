public import Authority
public import KeyturnBase
public import KeyturnWire
public import Model

/// Makes access keys and trades them for session tokens.
public struct AccessKeys: Sendable {
    private let stores: Stores
    private let tokens: DescopeTokens
    private let audit: any AuditLog
    private let ambient: Ambient

    public init(stores: Stores, tokens: DescopeTokens, audit: any AuditLog, ambient: Ambient) {
        self.stores = stores
        self.tokens = tokens
        self.audit = audit
        self.ambient = ambient
    }

    /// Stores a key under a new secret.
    ///
    /// - Parameter make: the key of this identifier.
    /// - Returns: the key, and its secret, which cannot be read again.
    public func create(
        by permission: borrowing Allowed<Acts.ChangeAccessKeys>, _ make: (_ id: String, _ now: UnixTime) -> AccessKey
    ) async throws(StoreError) -> (key: AccessKey, cleartext: Secret) {
        let key = make("K\(ambient.randomToken(byteCount: 16))", ambient.now())
        let secret = newSecret()
        try await stores.accessKeys.create(key, digest: SecretDigest(of: secret), by: permission)
        return (key, secret)
    }

    /// Gives a key a new secret. The old one stops working.
    public func rotate(_ id: String, by permission: borrowing Allowed<Acts.ChangeAccessKeys>)
        async throws(StoreError) -> (key: AccessKey, cleartext: Secret)
    {
        let secret = newSecret()
        let key = try await stores.accessKeys.rotate(
            id, to: SecretDigest(of: secret), by: permission, at: ambient.now())
        return (key, secret)
    }

    /// The session token of a key. One statement.
    ///
    /// - Throws: ``MethodProblem/invalidAccessKey``, the same for every fault of the key; ``StoreError``.
    public func exchange(
        _ secret: Secret, options: LoginOptions, from address: NetworkAddress?
    ) async throws -> SessionAnswer {
        let now = ambient.now()
        guard secret.exposed().utf8.count <= Self.secretBytesMax,
            let (key, user) = try await stores.accessKeys.key(SecretDigest(of: secret))
        else { throw MethodProblem.invalidAccessKey }
        let isNear = key.isPermitted(from: address?.address)
        guard key.isGood(at: now), isNear, key.boundUser == nil || user != nil else {
            audit.recordOnce(
                AuditEvent(
                    .accessKeyRefused, at: now, userID: key.boundUser, address: address?.text,
                    reason: !key.isActive ? "inactive" : !key.isGood(at: now) ? "expired" : isNear ? "user" : "network",
                    target: key.id))
            throw MethodProblem.invalidAccessKey
        }
        try SessionClaims.requireSmall(options.customClaims)
        let memberships = user?.memberships ?? key.memberships
        if let tenant = options.selectedTenant, memberships.tenants[tenant] == nil {
            throw MethodProblem.invalidRequest.saying("The key is not for this tenant")
        }
        try await tokens.requireKey()
        let end = min(now + tokens.project.accessTokenSeconds, key.expiresAt ?? UnixTime(rawValue: .max))
        let claims = SessionClaims(client: options.customClaims, management: key.customClaims)
        let token = try tokens.session(
            ofKey: key.id, for: user?.user, memberships, tenant: options.selectedTenant, claims: claims, until: end,
            at: now)
        audit.record(
            AuditEvent(.accessKeyExchanged, at: now, userID: key.boundUser, address: address?.text, target: key.id))
        return SessionAnswer(
            sessionJWT: token, refreshJWT: nil, firstSeen: false, user: nil, keyID: key.id, expiration: end)
    }

    /// Secrets of access keys are 48 bytes long. Longer texts than this are refused before they are hashed.
    private static let secretBytesMax = 256

    /// The secret has a prefix that scanners for leaked secrets can search for.
    private func newSecret() -> Secret {
        Secret("ktak_\(ambient.randomToken(byteCount: 32))")
    }
}
