import KeyturnBase
import Model

/// Hands every call on to `base`. A fault conforms, and does one thing otherwise.
protocol ForwardingGrantStore: GrantStore {
    var base: any GrantStore { get }
}

extension ForwardingGrantStore {
    func add(_ grant: Grant, code: CodeConditions, ticket: TransactionTicket?) async throws(StoreError) -> GrantAddition
    {
        try await base.add(grant, code: code, ticket: ticket)
    }

    func grant(ofCode digest: SecretDigest) async throws(StoreError) -> Grant? {
        try await base.grant(ofCode: digest)
    }

    func redeem(_ attempt: CodeAttempt, idleSeconds: Int64, at now: UnixTime) async throws(StoreError) -> Redemption {
        try await base.redeem(attempt, idleSeconds: idleSeconds, at: now)
    }

    func renew(
        _ id: GrantID, counter: Int64, clientID: String, keyThumbprint: String?, rotates: Bool, by party: RefreshParty,
        shadowed: ShadowedSessions, idleSeconds: Int64, at now: UnixTime
    ) async throws(StoreError) -> Renewal {
        try await base.renew(
            id, counter: counter, clientID: clientID, keyThumbprint: keyThumbprint, rotates: rotates, by: party,
            shadowed: shadowed, idleSeconds: idleSeconds, at: now)
    }

    func live(_ id: GrantID, forTokenOf issuedAt: UnixTime?, at now: UnixTime) async throws(StoreError) -> LiveGrant? {
        try await base.live(id, forTokenOf: issuedAt, at: now)
    }

    func count(ofClient clientID: String, upTo max: Int, at now: UnixTime) async throws(StoreError) -> Int {
        try await base.count(ofClient: clientID, upTo: max, at: now)
    }

    func isLive(_ id: GrantID, forTokenOf issuedAt: UnixTime?, at now: UnixTime) async throws(StoreError) -> Bool {
        try await base.isLive(id, forTokenOf: issuedAt, at: now)
    }

    func open(_ grant: Grant, epoch: Int64, endingOthers: Bool, at now: UnixTime) async throws(StoreError) -> Bool {
        try await base.open(grant, epoch: epoch, endingOthers: endingOthers, at: now)
    }

    func derive(_ grant: Grant, from parent: GrantID, at now: UnixTime) async throws(StoreError) -> Bool {
        try await base.derive(grant, from: parent, at: now)
    }

    func bind(appKey thumbprint: String, to id: GrantID, at now: UnixTime) async throws(StoreError) -> Bool {
        try await base.bind(appKey: thumbprint, to: id, at: now)
    }

    func appKey(of id: GrantID) async throws(StoreError) -> String? {
        try await base.appKey(of: id)
    }

    func signsOfCopies(of user: UserID, since: UnixTime, limit: Int) async throws(StoreError) -> [CopiedTokenSign] {
        try await base.signsOfCopies(of: user, since: since, limit: limit)
    }

    func presented(_ id: GrantID, at now: UnixTime) async throws(StoreError) -> PresentedGrant? {
        try await base.presented(id, at: now)
    }

    func select(tenant: String?, of id: GrantID, at now: UnixTime) async throws(StoreError) -> Bool {
        try await base.select(tenant: tenant, of: id, at: now)
    }

    func set(_ claims: SessionClaims, of id: GrantID, at now: UnixTime) async throws(StoreError) -> Bool {
        try await base.set(claims, of: id, at: now)
    }

    func stepUp(
        _ id: GrantID, of user: UserID, to facts: AuthenticationFacts, claims: SessionClaims, epoch: Int64,
        endingOthers: Bool, at now: UnixTime
    ) async throws(StoreError) -> Bool {
        try await base.stepUp(
            id, of: user, to: facts, claims: claims, epoch: epoch, endingOthers: endingOthers, at: now)
    }

    func endEverything(of user: UserID, reason: Grant.EndReason, at now: UnixTime) async throws(StoreError) -> Int {
        try await base.endEverything(of: user, reason: reason, at: now)
    }

    func end(_ id: GrantID, clientID: String, reason: Grant.EndReason, at now: UnixTime) async throws(StoreError)
        -> Bool
    {
        try await base.end(id, clientID: clientID, reason: reason, at: now)
    }

    func end(_ id: GrantID, of user: UserID, reason: Grant.EndReason, at now: UnixTime) async throws(StoreError) -> Bool
    {
        try await base.end(id, of: user, reason: reason, at: now)
    }

    func endAll(of user: UserID, reason: Grant.EndReason, at now: UnixTime) async throws(StoreError) -> Int {
        try await base.endAll(of: user, reason: reason, at: now)
    }

    func endAll(of user: UserID, clientID: String, reason: Grant.EndReason, at now: UnixTime)
        async throws(StoreError) -> Int
    {
        try await base.endAll(of: user, clientID: clientID, reason: reason, at: now)
    }

    func grants(of user: UserID, limit: Int, at now: UnixTime) async throws(StoreError) -> [Grant] {
        try await base.grants(of: user, limit: limit, at: now)
    }
}

/// Hands every call on to `base`. A fault conforms, and does one thing otherwise.
protocol ForwardingSessionStore: SessionStore {
    var base: any SessionStore { get }
}

extension ForwardingSessionStore {
    func create(
        _ session: BrowserSession, epoch: Int64, digest: SecretDigest, replacing old: SecretDigest?, at now: UnixTime
    ) async throws(StoreError) -> Bool {
        try await base.create(session, epoch: epoch, digest: digest, replacing: old, at: now)
    }

    func session(_ digest: SecretDigest, at now: UnixTime) async throws(StoreError) -> (BrowserSession, User)? {
        try await base.session(digest, at: now)
    }

    func end(_ id: SessionID, of user: UserID, at now: UnixTime) async throws(StoreError) -> Bool {
        try await base.end(id, of: user, at: now)
    }

    func endByProvider(_ id: SessionID, of user: UserID, at now: UnixTime) async throws(StoreError) -> Bool {
        try await base.endByProvider(id, of: user, at: now)
    }

    func sessions(of user: UserID, limit: Int, at now: UnixTime) async throws(StoreError) -> [OpenSession] {
        try await base.sessions(of: user, limit: limit, at: now)
    }

    func replaceCookie(of id: SessionID, by digest: SecretDigest, at now: UnixTime) async throws(StoreError) -> Bool {
        try await base.replaceCookie(of: id, by: digest, at: now)
    }

    func strengthen(_ id: SessionID, to facts: AuthenticationFacts, at now: UnixTime) async throws(StoreError) {
        try await base.strengthen(id, to: facts, at: now)
    }

    func endOthers(of user: UserID, keeping kept: SessionID, at now: UnixTime) async throws(StoreError) {
        try await base.endOthers(of: user, keeping: kept, at: now)
    }

    func endVouched(by tenant: String, of user: UserID, at now: UnixTime) async throws(StoreError) -> Bool {
        try await base.endVouched(by: tenant, of: user, at: now)
    }
}
