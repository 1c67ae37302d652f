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
