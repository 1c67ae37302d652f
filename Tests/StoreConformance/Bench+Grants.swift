import KeyturnBase
import KeyturnWire
import Model
import Testing

/// Grants, their codes and their devices.
extension Bench {
    func grant(
        of account: Account, client: String = "web", session: SessionID? = nil, scope: [String] = ["openid"],
        key: String? = nil, superseding previous: GrantID? = nil, at time: UnixTime? = nil
    ) -> Grant {
        let time = time ?? now
        return Grant(
            id: .make(.live), clientID: client, userID: account.user.id, sessionID: session, scope: Scope(names: scope),
            resources: ["https://api.example.com"], authentication: .password(at: time), nonce: nil, claimsRequest: nil,
            keyThumbprint: key, supersedes: previous, createdAt: time, idleExpiresAt: time + 1_000,
            absoluteExpiresAt: time + 100_000)
    }

    /// A live grant that needed no code.
    func openGrant(
        of account: Account, client: String = "web", session: SessionID? = nil, scope: [String] = ["openid"],
        key: String? = nil, superseding previous: GrantID? = nil, at time: UnixTime? = nil
    ) async throws -> Grant {
        let grant = grant(
            of: account, client: client, session: session, scope: scope, key: key, superseding: previous, at: time)
        let isOpen = try await stores.grants.open(
            grant, epoch: try await epoch(of: account), endingOthers: false, at: grant.createdAt)
        try #require(isOpen)
        return grant
    }

    func code(
        _ name: String = "code", key: String? = nil, reauthenticates: SessionID? = nil, since: UnixTime? = nil,
        promotion: AnonymousPromotion? = nil
    ) -> CodeConditions {
        CodeConditions(
            digest: digest(name), redirectURI: "https://app/", codeChallenge: "challenge", keyThumbprint: key,
            reauthenticates: reauthenticates, reauthenticatesSince: since, promotion: promotion, expiresAt: now + 60)
    }

    func attempt(
        _ name: String = "code", client: String = "web", redirectURI: String? = "https://app/", mayOmit: Bool = false,
        challenge: String? = "challenge", key: String? = nil, bindsGrant: Bool = false
    ) -> CodeAttempt {
        CodeAttempt(
            digest: digest(name), clientID: client, redirectURI: redirectURI, mayOmitRedirectURI: mayOmit,
            codeChallenge: challenge, keyThumbprint: key, bindsGrant: bindsGrant)
    }

    /// A grant that waits for its code, `code`, to be redeemed.
    func addGrant(of account: Account, session: SessionID? = nil, scope: [String] = ["openid"]) async throws -> Grant {
        let grant = grant(of: account, session: session, scope: scope)
        let addition = try await stores.grants.add(grant, code: code(), ticket: nil)
        try #require(addition == .added)
        return grant
    }

    /// A grant whose code, `code`, was redeemed.
    func redeemedGrant(of account: Account, session: SessionID? = nil, scope: [String] = ["openid"], key: String? = nil)
        async throws -> Grant
    {
        let grant = try await addGrant(of: account, session: session, scope: scope)
        let redemption = try await stores.grants.redeem(
            attempt(key: key, bindsGrant: key != nil), idleSeconds: 1_000, at: now)
        guard case .granted = redemption else { throw StoreError(.missing) }
        return grant
    }

    func renew(
        _ grant: Grant, counter: Int64, client: String = "web", key: String? = nil, rotates: Bool = true,
        network: String? = nil, kind: String? = nil, shadowed: ShadowedSessions = .tell, at time: UnixTime? = nil
    ) async throws -> Renewal {
        try await stores.grants.renew(
            grant.id, counter: counter, clientID: client, keyThumbprint: key, rotates: rotates,
            by: RefreshParty(network: network, client: kind), shadowed: shadowed, idleSeconds: 1_000, at: time ?? now)
    }

    func isAlive(_ grant: Grant, at time: UnixTime? = nil) async throws -> Bool {
        try await stores.grants.isLive(grant.id, at: time ?? now)
    }

    func device(_ name: String = "device", key: String? = nil) -> DeviceAuthorization {
        DeviceAuthorization(
            id: digest(name), clientID: "television", scope: Scope(names: ["openid"]),
            resources: ["https://api.example.com"], needsSeveralFactors: true, keyThumbprint: key, network: "192.0.2.1",
            createdAt: now, expiresAt: now + 900)
    }

    func poll(_ device: DeviceAuthorization, _ seconds: Int64 = 0, client: String = "television", key: String? = nil)
        async throws -> DeviceAnswer
    {
        try await stores.devices.poll(
            DevicePoll(id: device.id, clientID: client, keyThumbprint: key, bindsGrant: true), idleSeconds: 1_000,
            at: now + seconds)
    }
}

extension Renewal {
    /// The counter that the caller makes its next refresh token of; `nil`: it gets none.
    var counter: Int64? {
        switch self {
        case .renewed(let grant), .ahead(let grant), .repeated(let grant, _), .shadowed(let grant, _, isEnded: false):
            grant.counter
        default: nil
        }
    }

    var isRenewed: Bool { if case .renewed = self { true } else { false } }
    var isReplayed: Bool { if case .replayed = self { true } else { false } }
}
