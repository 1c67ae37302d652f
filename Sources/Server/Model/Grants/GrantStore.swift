public import KeyturnBase

/// The result of adding a grant.
public enum GrantAddition: Hashable, Sendable {
    case added
    /// The browser session that it comes from is over: no grant is written.
    case sessionEnded
    /// The request was answered before: nothing is written.
    case ticketUsed
}

/// The result of a refresh.
public enum Renewal: Hashable, Sendable {
    /// The current token: the grant as it is now, its counter raised unless it is bound to a key.
    case renewed(Grant)
    /// An honest retry with an older token: the grant as it is, for the same successor.
    case repeated(Grant, Repetition)
    /// The current token, newer than the row, which the database had lost: the grant with the row raised.
    case ahead(Grant)
    /// As ``repeated``, and the token has two holders who use it in turn, which is to be told.
    ///
    /// - Parameter isEnded: whether the grant is over now: then the token is not given.
    case shadowed(Grant, Repetition, isEnded: Bool)
    /// Bound to another key than the proven one: nothing has changed.
    case wrongKey(Grant)
    /// A spent token came back later than an honest client could send it: the grant is over now.
    case replayed(Grant)
    case expired
    /// Over already, and why.
    case ended(Grant.EndReason?)
    /// No such grant, or another client's.
    case unknown

    /// How late an older token came back.
    public enum Repetition: Hashable, Sendable {
        /// Within ``RefreshRules/overlapSeconds``.
        case prompt
        /// Later: forgiven a few times in the life of a grant.
        case late
        /// Later, and from another network than the last refresh.
        case lateElsewhere
    }
}

/// A sign that a refresh token of a grant was copied.
public struct CopiedTokenSign: Hashable, Sendable {
    /// The evidence.
    public enum Kind: Hashable, Sendable {
        /// The grant ended because a spent token came back.
        case ended
        /// The grant lives: older tokens came back late, from another network than the last refresh, `count` times.
        case usedElsewhere(count: Int)
        /// Two clients used each token in turn.
        ///
        /// - Parameter isEnded: whether the grant ended for that.
        case shadowed(isEnded: Bool)
    }

    public let grantID: GrantID
    public let clientID: String
    public let kind: Kind
    public let at: UnixTime

    public init(grantID: GrantID, clientID: String, kind: Kind, at: UnixTime) {
        self.grantID = grantID
        self.clientID = clientID
        self.kind = kind
        self.at = at
    }
}

/// A live grant and, where asked for, its user.
public struct LiveGrant: Hashable, Sendable {
    public let grant: Grant
    public let user: User

    public init(grant: Grant, user: User) {
        self.grant = grant
        self.user = user
    }
}

/// A live grant whose token is presented, and its user.
public struct PresentedGrant: Hashable, Sendable {
    public let grant: Grant
    public let account: Account
    /// What decides whether a token that is not the current one comes from an honest client.
    public let row: RefreshRules.Row

    public init(grant: Grant, account: Account, row: RefreshRules.Row) {
        self.grant = grant
        self.account = account
        self.row = row
    }
}

/// Grants with their codes and refresh counters. The store ensures single use, not the caller.
public protocol GrantStore: Sendable {
    /// Adds a grant that comes alive when its code is redeemed. One statement; a ticket is used up in the same
    /// transaction: of any number of concurrent calls one gets `.added`.
    func add(_ grant: Grant, code: CodeConditions, ticket: TransactionTicket?) async throws(StoreError) -> GrantAddition

    /// The grant that a code would redeem, whatever its state. Changes and reserves nothing.
    func grant(ofCode digest: SecretDigest) async throws(StoreError) -> Grant?

    /// Redeems a code in one atomic step: of any number of concurrent calls, one gets `.granted`. One statement when
    /// it succeeds. A replay ends the grant in the same step.
    ///
    /// - Parameter idleSeconds: how long the grant lives from now when unused; never beyond its absolute end.
    func redeem(_ attempt: CodeAttempt, idleSeconds: Int64, at now: UnixTime) async throws(StoreError) -> Redemption

    /// Uses the refresh token of `counter`, in one guarded statement: raises the counter, or leaves it where the grant
    /// is bound to the key that was proved. Decides by ``RefreshRules`` and ``ShadowRules`` if that fails.
    ///
    /// - Parameters:
    ///   - keyThumbprint: the key that the request proved possession of; `nil` if none.
    ///   - rotates: `false` leaves the counter where it is: the same token stays the current one.
    ///   - party: who makes the request.
    ///   - shadowed: what happens to a grant whose token has two holders.
    func renew(
        _ id: GrantID, counter: Int64, clientID: String, keyThumbprint: String?, rotates: Bool, by party: RefreshParty,
        shadowed: ShadowedSessions, idleSeconds: Int64, at now: UnixTime
    ) async throws(StoreError) -> Renewal

    /// The grant and its user, if both are alive: redeemed, not ended, not expired, user active. One statement.
    ///
    /// - Parameter issuedAt: for an access token of the grant that was issued then: it must have come after each sign-out
    ///   in the browser that the grant outlived. In the same second counts as before. `nil`: for the grant itself.
    func live(_ id: GrantID, forTokenOf issuedAt: UnixTime?, at now: UnixTime) async throws(StoreError) -> LiveGrant?

    /// Whether the grant and its user are alive, as ``live(_:forTokenOf:at:)`` judges. One statement, and nothing is
    /// read.
    func isLive(_ id: GrantID, forTokenOf issuedAt: UnixTime?, at now: UnixTime) async throws(StoreError) -> Bool

    /// Opens a grant that needs no code, in one transaction. It belongs to no browser session and outlives them all.
    ///
    /// The superseded grant's answer did arrive: the grant that it superseded ends.
    ///
    /// - Parameters:
    ///   - epoch: the ``User/epoch`` in which the user was authenticated.
    ///   - endingOthers: ends every other grant of the user, and every browser session.
    /// - Returns: `false` if the user was signed out everywhere since, or may not sign in; nothing is written then.
    func open(_ grant: Grant, epoch: Int64, endingOthers: Bool, at now: UnixTime) async throws(StoreError) -> Bool

    /// Opens a grant that is derived from another one: same user, session and authentication, and it ends with it. One
    /// statement.
    ///
    /// - Returns: `false` if the other one is over, or the user may not sign in; nothing is written then.
    func derive(_ grant: Grant, from parent: GrantID, at now: UnixTime) async throws(StoreError) -> Bool

    /// Binds a live grant to the key with which its app signs other apps in, in one guarded statement: once bound, a
    /// grant keeps its key.
    ///
    /// - Returns: whether the grant is alive and bound to this key now.
    func bind(appKey thumbprint: String, to id: GrantID, at now: UnixTime) async throws(StoreError) -> Bool

    /// The key that ``bind(appKey:to:at:)`` bound; `nil`: none.
    func appKey(of id: GrantID) async throws(StoreError) -> String?

    /// Grants of a user with signs that a refresh token was copied after `since`, the newest first, at most `limit`.
    func signsOfCopies(of user: UserID, since: UnixTime, limit: Int) async throws(StoreError) -> [CopiedTokenSign]

    /// A grant and its user, as ``live(_:forTokenOf:at:)`` judges, with the row for ``RefreshRules``. One statement.
    func presented(_ id: GrantID, at now: UnixTime) async throws(StoreError) -> PresentedGrant?

    /// Selects the tenant of a live grant.
    ///
    /// - Returns: whether it was alive.
    func select(tenant: String?, of id: GrantID, at now: UnixTime) async throws(StoreError) -> Bool

    /// Replaces what the sessions of a live grant say beside their user's own facts.
    ///
    /// - Returns: whether it was alive.
    func set(_ claims: SessionClaims, of id: GrantID, at now: UnixTime) async throws(StoreError) -> Bool

    /// Writes a newer verification into a live grant, in one transaction: its later tokens carry the new facts.
    ///
    /// - Parameters:
    ///   - claims: what its sessions say from now on beside their user's own facts.
    ///   - epoch: the ``User/epoch`` in which the user was authenticated.
    ///   - endingOthers: ends every other grant of the user, and every browser session.
    /// - Returns: `false` if it is over, or the user was signed out everywhere since; nothing is written then.
    func stepUp(
        _ id: GrantID, of user: UserID, to facts: AuthenticationFacts, claims: SessionClaims, epoch: Int64,
        endingOthers: Bool, at now: UnixTime
    ) async throws(StoreError) -> Bool

    /// Ends every live grant and every browser session of a user, in one transaction.
    ///
    /// - Returns: how many grants this call ended.
    func endEverything(of user: UserID, reason: Grant.EndReason, at now: UnixTime) async throws(StoreError) -> Int

    /// Ends one grant of a client. Nothing happens if it is over, or another client's.
    ///
    /// - Returns: whether this call ended it.
    func end(_ id: GrantID, clientID: String, reason: Grant.EndReason, at now: UnixTime)
        async throws(StoreError) -> Bool

    /// Ends one grant of a user. Nothing happens if it is over, or another user's.
    ///
    /// - Returns: whether this call ended it.
    func end(_ id: GrantID, of user: UserID, reason: Grant.EndReason, at now: UnixTime)
        async throws(StoreError) -> Bool

    /// Ends every live grant of a user.
    ///
    /// - Returns: how many this call ended.
    func endAll(of user: UserID, reason: Grant.EndReason, at now: UnixTime) async throws(StoreError) -> Int

    /// Ends every live grant of a user for one client.
    ///
    /// - Returns: how many this call ended.
    func endAll(of user: UserID, clientID: String, reason: Grant.EndReason, at now: UnixTime)
        async throws(StoreError) -> Int

    /// The user's live grants, newest first, at most `limit`: the newest of each client come before a second one of any.
    func grants(of user: UserID, limit: Int, at now: UnixTime) async throws(StoreError) -> [Grant]

    /// How many grants of a client are live. One indexed read.
    ///
    /// - Parameter max: where counting ends.
    func count(ofClient clientID: String, upTo max: Int, at now: UnixTime) async throws(StoreError) -> Int
}

extension GrantStore {
    /// The grant itself and its user, if both are alive.
    public func live(_ id: GrantID, at now: UnixTime) async throws(StoreError) -> LiveGrant? {
        try await live(id, forTokenOf: nil, at: now)
    }

    /// Whether the grant itself and its user are alive.
    public func isLive(_ id: GrantID, at now: UnixTime) async throws(StoreError) -> Bool {
        try await isLive(id, forTokenOf: nil, at: now)
    }

    /// Adds a grant that comes alive when its code is redeemed, without a ticket.
    ///
    /// - Returns: `false` if the browser session that it comes from is over; nothing is written then.
    public func add(_ grant: Grant, code: CodeConditions) async throws(StoreError) -> Bool {
        try await add(grant, code: code, ticket: nil) == .added
    }

    /// Uses the refresh token of `counter`. The kind of client is not known.
    public func renew(
        _ id: GrantID, counter: Int64, clientID: String, keyThumbprint: String?, rotates: Bool = true,
        network: String? = nil, idleSeconds: Int64, at now: UnixTime
    ) async throws(StoreError) -> Renewal {
        try await renew(
            id, counter: counter, clientID: clientID, keyThumbprint: keyThumbprint, rotates: rotates,
            by: RefreshParty(network: network, client: nil), shadowed: .tell, idleSeconds: idleSeconds, at: now)
    }
}
