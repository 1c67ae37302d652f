public import KeyturnBase
public import Model

/// A grant with its code, its refresh counters and its end.
public struct GrantRow: Hashable, Sendable {
    public var grant: Grant
    /// `nil`: it was opened without a code.
    public var code: CodeConditions?
    public var redeemedAt: UnixTime?
    public var endedAt: UnixTime?
    public var endReason: Grant.EndReason?
    /// Whether it outlives its browser session.
    public var isOffline: Bool
    /// The grant that it derives from.
    public var parent: GrantID?
    /// The biometric key that opened it.
    public var biometricKey: String?
    /// The key with which its app signs other apps in.
    public var appKey: String?
    /// Access tokens that were issued until then are over.
    public var tokensAfter: UnixTime?

    /// As ``RefreshRules/Row/rotations``.
    public var rotations: [RefreshRules.Rotation] = []
    public var lateRepetition: RefreshRules.Rotation?
    public var lateRepetitions: Int64 = 0
    /// How many of these came from another network, and when the last one did.
    public var lateElsewhere = 0
    public var lateElsewhereAt: UnixTime?
    public var refreshedBy = RefreshParty.unknown
    public var shadow: ShadowRules.Run?
    public var shadowedAt: UnixTime?

    init(_ grant: Grant, code: CodeConditions? = nil, isOffline: Bool, redeemedAt: UnixTime?, parent: GrantID? = nil) {
        self.grant = grant
        self.code = code
        self.isOffline = isOffline
        self.redeemedAt = redeemedAt
        self.parent = parent
    }
}

extension GrantRow {
    /// Whether it was redeemed, has not ended, and has not expired.
    func isLive(at now: UnixTime) -> Bool { redeemedAt != nil && isOpen(at: now) }

    /// As ``isLive(at:)``, redeemed or not.
    func isOpen(at now: UnixTime) -> Bool {
        endedAt == nil && now < grant.idleExpiresAt && now < grant.absoluteExpiresAt
    }

    /// Whether a token that was issued then came after each sign-out that the grant outlived.
    func counts(forTokenOf issuedAt: UnixTime?) -> Bool {
        guard let issuedAt, let tokensAfter else { return true }
        return tokensAfter < issuedAt
    }

    var refreshRow: RefreshRules.Row {
        RefreshRules.Row(
            counter: grant.counter, rotations: rotations, lateRepetition: lateRepetition,
            lateRepetitions: lateRepetitions)
    }

    var found: RefreshRules.Found {
        RefreshRules.Found(
            grant: grant, row: refreshRow, isRedeemed: redeemedAt != nil, isEnded: endedAt != nil,
            endReason: endReason,
            shadow: ShadowRules.Row(refreshedBy: refreshedBy, run: shadow, toldAt: shadowedAt))
    }
}

extension Grant {
    /// The same grant with other facts, as a store keeps them: without ``AuthenticationFacts/signals``.
    func with(_ facts: AuthenticationFacts) -> Grant {
        var grant = Grant(
            id: id, clientID: clientID, userID: userID, sessionID: sessionID, scope: scope, resources: resources,
            authentication: facts.stored, nonce: nonce, claimsRequest: claimsRequest,
            authorizationDetails: authorizationDetails, keyThumbprint: keyThumbprint, wantsBearer: wantsBearer,
            tenantID: tenantID, sessionClaims: sessionClaims, supersedes: supersedes, counter: counter,
            createdAt: createdAt, idleExpiresAt: idleExpiresAt, absoluteExpiresAt: absoluteExpiresAt)
        grant.canReauthenticate = canReauthenticate
        grant.isAnonymous = isAnonymous
        return grant
    }
}

extension AuthenticationFacts {
    var stored: AuthenticationFacts {
        AuthenticationFacts(time: time, methods: methods, contextClass: contextClass, tenantID: tenantID)
    }
}
