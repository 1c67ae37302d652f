public import KeyturnBase

/// What a client presents to redeem a code. The store compares; the caller computed the challenge from the verifier.
public struct CodeAttempt: Hashable, Sendable {
    public let digest: SecretDigest
    public let clientID: String
    public let redirectURI: String?
    /// Whether the redirect URI may be missing although the request had one. If present, it must be right.
    public let mayOmitRedirectURI: Bool
    /// The S256 challenge of the verifier that was sent; `nil` if none was.
    public let codeChallenge: String?
    /// The key that the request proved possession of; `nil` if none.
    public let keyThumbprint: String?
    /// Whether the grant is bound to that key: a public client's (RFC 9449 §5).
    public let bindsGrant: Bool
    /// See ``Grant/wantsBearer``.
    public let wantsBearer: Bool

    public init(
        digest: SecretDigest, clientID: String, redirectURI: String?, mayOmitRedirectURI: Bool = false,
        codeChallenge: String?, keyThumbprint: String? = nil, bindsGrant: Bool = false, wantsBearer: Bool = false
    ) {
        self.digest = digest
        self.clientID = clientID
        self.redirectURI = redirectURI
        self.mayOmitRedirectURI = mayOmitRedirectURI
        self.codeChallenge = codeChallenge
        self.keyThumbprint = keyThumbprint
        self.bindsGrant = bindsGrant
        self.wantsBearer = wantsBearer
    }
}

/// The state of a code, as a store found it when the code was not redeemed.
public struct FoundCode: Hashable, Sendable {
    public let grant: Grant
    public let conditions: CodeConditions
    /// `nil`: it was not.
    public let redeemedAt: UnixTime?
    public let isEnded: Bool

    public init(grant: Grant, conditions: CodeConditions, redeemedAt: UnixTime?, isEnded: Bool) {
        self.grant = grant
        self.conditions = conditions
        self.redeemedAt = redeemedAt
        self.isEnded = isEnded
    }
}

extension CodeAttempt {
    /// Whether the redirect URI is missing, and may be.
    public var omitsRedirectURI: Bool { mayOmitRedirectURI && redirectURI == nil }

    /// Why the code was not redeemed. With `.replayed` the store ends the grant. The code alone is `.mismatched`.
    ///
    /// - Parameters:
    ///   - now: when the attempt began.
    ///   - waited: how long it has waited for the database since.
    public func judge(_ found: FoundCode?, at now: UnixTime, waited: Duration) -> Redemption {
        guard let found, found.grant.clientID == clientID else { return .unknown }
        let conditions = found.conditions
        guard conditions.redirectURI == redirectURI || omitsRedirectURI, conditions.codeChallenge == codeChallenge,
            conditions.keyThumbprint == nil || conditions.keyThumbprint == keyThumbprint
        else { return .mismatched }
        if let redeemedAt = found.redeemedAt {
            let isOvertaken = waited > Limits.redemptionWaitMax && redeemedAt + Limits.clockDifferenceMax > now
            return isOvertaken ? .overtaken : .replayed(found.grant.id)
        }
        return found.isEnded ? .ended : .expired
    }
}

/// The result of redeeming a code.
public enum Redemption: Hashable, Sendable {
    case granted(Grant)
    /// Granted, and the anonymous user has an account now: the grant is of the user who stays.
    case promoted(Grant, AnonymousPromotion)
    /// The anonymous user has an account already, or is gone, or the request was used: nothing of them has changed, and
    /// the grant is over.
    case promotionRefused
    /// Used before: its grant is over now (RFC 6749 §4.1.2).
    case replayed(GrantID)
    /// Used by another request while this one waited for the database: a client that got no answer asked again. Nothing
    /// has changed.
    case overtaken
    case expired
    /// No such code, another client's, or for another redirect: not consumed.
    case unknown
    /// The right code and client, but not the right redirect, verifier or key: not consumed.
    case mismatched
    /// The grant ended before its code was redeemed.
    case ended
}

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
    /// is bound to the key that was proved. Decides by ``RefreshRules`` if that fails.
    ///
    /// - Parameters:
    ///   - keyThumbprint: the key that the request proved possession of; `nil` if none.
    ///   - rotates: `false` leaves the counter where it is: the same token stays the current one.
    ///   - network: where the request comes from (``NetworkAddress/network``); `nil` if unknown.
    func renew(
        _ id: GrantID, counter: Int64, clientID: String, keyThumbprint: String?, rotates: Bool, network: String?,
        idleSeconds: Int64, at now: UnixTime
    ) async throws(StoreError) -> Renewal

    /// The grant and its user, if both are alive: redeemed, not ended, not expired, user active. One statement.
    func live(_ id: GrantID, at now: UnixTime) async throws(StoreError) -> LiveGrant?

    /// Whether the grant and its user are alive, as ``live(_:at:)`` judges. One statement, and nothing is read.
    func isLive(_ id: GrantID, at now: UnixTime) async throws(StoreError) -> Bool

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

    /// A grant and its user, as ``live(_:at:)`` judges, with the row for ``RefreshRules``. One statement.
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

    /// The user's live grants, newest first, at most `limit`.
    func grants(of user: UserID, limit: Int, at now: UnixTime) async throws(StoreError) -> [Grant]
}

extension GrantStore {
    /// Adds a grant that comes alive when its code is redeemed, without a ticket.
    ///
    /// - Returns: `false` if the browser session that it comes from is over; nothing is written then.
    public func add(_ grant: Grant, code: CodeConditions) async throws(StoreError) -> Bool {
        try await add(grant, code: code, ticket: nil) == .added
    }

    /// Uses the refresh token of `counter`, which rotates.
    public func renew(
        _ id: GrantID, counter: Int64, clientID: String, keyThumbprint: String?, network: String? = nil,
        idleSeconds: Int64, at now: UnixTime
    ) async throws(StoreError) -> Renewal {
        try await renew(
            id, counter: counter, clientID: clientID, keyThumbprint: keyThumbprint, rotates: true, network: network,
            idleSeconds: idleSeconds, at: now)
    }
}
