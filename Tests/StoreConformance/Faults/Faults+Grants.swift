import KeyturnBase
import Model

extension Fault {
    static let grants = [
        Fault("a code is looked up first, and redeemed then") {
            $0.replacing(grants: LooksUpThenRedeems(base: $0.grants))
        } check: {
            try await CodeRedemptionTests()
                .`26: of a hundred redemptions one is granted, the others are replays, and the grant is over`($0)
        },
        Fault("a refusal consumes the code") {
            $0.replacing(grants: ConsumesRefusedCodes(base: $0.grants))
        } check: {
            try await CodeRedemptionTests().`what does not fit is refused, consumes nothing and ends nothing`($0)
        },
        Fault("a refresh takes any counter") {
            $0.replacing(grants: RenewsWithoutGuard(base: $0.grants))
        } check: {
            try await RefreshTests()
                .`a spent token gets its successor again for a minute, and ends the grant when its successor was used`(
                    $0)
        },
        Fault("a lost refresh race is a replay") {
            $0.replacing(grants: RepeatsNothing(base: $0.grants))
        } check: {
            try await RefreshTests().`46: of a hundred renewals one renews, and all get the same successor`($0)
        },
        Fault("a refresh forgets who asks") {
            $0.replacing(grants: ForgetsParties(base: $0.grants))
        } check: {
            try await ShadowTests()
                .`where shadowed sessions end, the grant is over at that moment, and is shown as such`($0)
        },
        Fault("a revocation forgets links, codes, sessions and the epoch") {
            $0.replacing(grants: EndsGrantsAlone(base: $0.grants))
        } check: {
            try await RevocationTests().`everything ends, and what was on its way opens nothing any more`(
                $0, .endEverything)
        },
        Fault("a session is inserted whatever the epoch") {
            $0.replacing(sessions: CreatesInAnyEpoch(base: $0.sessions, users: $0.users))
        } check: {
            try await RevocationTests().`one sign-in and one revocation at once, many times: no session outlives it`(
                $0, .endEverything)
        },
        Fault("a grant is opened whatever the epoch") {
            $0.replacing(grants: OpensInAnyEpoch(base: $0.grants, users: $0.users))
        } check: {
            try await GrantTests().`of a hundred sign-ins that end the others one stays`($0)
        },
        Fault("a grant is added to a session that is over") {
            $0.replacing(grants: AddsWithoutSession(base: $0.grants))
        } check: {
            try await CodeRedemptionTests().`no grant is written from a session that is over, or of another user`($0)
        },
        Fault("a derived grant outlives its parent") {
            $0.replacing(grants: DerivesFreely(base: $0.grants, users: $0.users))
        } check: {
            try await GrantTests().`a derived grant has its parent's user and session, and ends with it`($0)
        },
        Fault("grants are listed oldest first") {
            $0.replacing(grants: ListsOldestGrantsFirst(base: $0.grants))
        } check: {
            try await GrantTests().`live grants are listed newest first, and no others`($0)
        },
    ]
}

private struct LooksUpThenRedeems: ForwardingGrantStore {
    let base: any GrantStore

    func redeem(_ attempt: CodeAttempt, idleSeconds: Int64, at now: UnixTime) async throws(StoreError) -> Redemption {
        guard let grant = try await base.grant(ofCode: attempt.digest), try await !base.isLive(grant.id, at: now) else {
            return try await base.redeem(attempt, idleSeconds: idleSeconds, at: now)
        }
        await Fault.pause()
        let redemption = try await base.redeem(attempt, idleSeconds: idleSeconds, at: now)
        if case .replayed = redemption { return .granted(grant) }
        return redemption
    }
}

private struct ConsumesRefusedCodes: ForwardingGrantStore {
    let base: any GrantStore

    func redeem(_ attempt: CodeAttempt, idleSeconds: Int64, at now: UnixTime) async throws(StoreError) -> Redemption {
        let redemption = try await base.redeem(attempt, idleSeconds: idleSeconds, at: now)
        if redemption == .mismatched, let grant = try await base.grant(ofCode: attempt.digest) {
            _ = try await base.end(grant.id, clientID: attempt.clientID, reason: .codeReplay, at: now)
        }
        return redemption
    }
}

private struct RenewsWithoutGuard: ForwardingGrantStore {
    let base: any GrantStore

    func renew(
        _ id: GrantID, counter: Int64, clientID: String, keyThumbprint: String?, rotates: Bool, by party: RefreshParty,
        shadowed: ShadowedSessions, idleSeconds: Int64, at now: UnixTime
    ) async throws(StoreError) -> Renewal {
        let current = try await base.presented(id, at: now)?.row.counter ?? counter
        return try await base.renew(
            id, counter: current, clientID: clientID, keyThumbprint: keyThumbprint, rotates: rotates, by: party,
            shadowed: shadowed, idleSeconds: idleSeconds, at: now)
    }
}

private struct ForgetsParties: ForwardingGrantStore {
    let base: any GrantStore

    func renew(
        _ id: GrantID, counter: Int64, clientID: String, keyThumbprint: String?, rotates: Bool, by party: RefreshParty,
        shadowed: ShadowedSessions, idleSeconds: Int64, at now: UnixTime
    ) async throws(StoreError) -> Renewal {
        try await base.renew(
            id, counter: counter, clientID: clientID, keyThumbprint: keyThumbprint, rotates: rotates, by: .unknown,
            shadowed: shadowed, idleSeconds: idleSeconds, at: now)
    }
}

private struct RepeatsNothing: ForwardingGrantStore {
    let base: any GrantStore

    func renew(
        _ id: GrantID, counter: Int64, clientID: String, keyThumbprint: String?, rotates: Bool, by party: RefreshParty,
        shadowed: ShadowedSessions, idleSeconds: Int64, at now: UnixTime
    ) async throws(StoreError) -> Renewal {
        let renewal = try await base.renew(
            id, counter: counter, clientID: clientID, keyThumbprint: keyThumbprint, rotates: rotates, by: party,
            shadowed: shadowed, idleSeconds: idleSeconds, at: now)
        guard case .repeated(let grant, _) = renewal else { return renewal }
        _ = try await base.end(id, clientID: clientID, reason: .refreshReplay, at: now)
        return .replayed(grant)
    }
}

private struct EndsGrantsAlone: ForwardingGrantStore {
    let base: any GrantStore

    func endEverything(of user: UserID, reason: Grant.EndReason, at now: UnixTime) async throws(StoreError) -> Int {
        try await base.endAll(of: user, reason: reason, at: now)
    }
}

private struct CreatesInAnyEpoch: ForwardingSessionStore {
    let base: any SessionStore
    let users: any UserStore

    func create(
        _ session: BrowserSession, epoch: Int64, digest: SecretDigest, replacing old: SecretDigest?, at now: UnixTime
    ) async throws(StoreError) -> Bool {
        await Fault.pause()
        let current = try await users.account(session.userID)?.user.epoch ?? epoch
        return try await base.create(session, epoch: current, digest: digest, replacing: old, at: now)
    }
}

private struct OpensInAnyEpoch: ForwardingGrantStore {
    let base: any GrantStore
    let users: any UserStore

    func open(_ grant: Grant, epoch: Int64, endingOthers: Bool, at now: UnixTime) async throws(StoreError) -> Bool {
        let current = try await users.account(grant.userID)?.user.epoch ?? epoch
        return try await base.open(grant, epoch: current, endingOthers: endingOthers, at: now)
    }
}

private struct AddsWithoutSession: ForwardingGrantStore {
    let base: any GrantStore

    func add(_ grant: Grant, code: CodeConditions, ticket: TransactionTicket?) async throws(StoreError) -> GrantAddition
    {
        var free = grant
        free.sessionID = nil
        return try await base.add(free, code: code, ticket: ticket)
    }
}

private struct DerivesFreely: ForwardingGrantStore {
    let base: any GrantStore
    let users: any UserStore

    func derive(_ grant: Grant, from parent: GrantID, at now: UnixTime) async throws(StoreError) -> Bool {
        guard let live = try await base.live(parent, at: now) else { return false }
        var free = grant
        free.sessionID = live.grant.sessionID
        let epoch = try await users.account(grant.userID)?.user.epoch ?? 0
        return try await base.open(free, epoch: epoch, endingOthers: false, at: now)
    }
}

private struct ListsOldestGrantsFirst: ForwardingGrantStore {
    let base: any GrantStore

    func grants(of user: UserID, limit: Int, at now: UnixTime) async throws(StoreError) -> [Grant] {
        try await base.grants(of: user, limit: limit, at: now).reversed()
    }
}
