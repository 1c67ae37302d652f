public import KeyturnBase
public import KeyturnWire

/// What one sign-in gave one client: the one row that a session is.
///
/// It is born with its authorization code, comes alive when the code is redeemed, is renewed by each refresh, and
/// ends once: by logout, revocation, replay or time.
public struct Grant: Hashable, Sendable {
    public let id: GrantID
    public let clientID: String
    public let userID: UserID
    /// The browser session it came from; after a reauthentication, the session that was reauthenticated.
    public var sessionID: SessionID?
    public let scope: Scope
    /// Where its access tokens will be used (RFC 8707); empty: at this server.
    public let resources: [String]
    public let authentication: AuthenticationFacts
    /// For the first ID token alone.
    public let nonce: String?
    /// The `claims` parameter as it was sent (OpenID Connect Core §5.5).
    public let claimsRequest: String?
    /// What was granted in detail (RFC 9396); `nil`: nothing beyond ``scope``.
    public var authorizationDetails: AuthorizationDetails?
    /// The key without which its refresh token is refused (RFC 9449 §5); `nil`: not bound.
    public var keyThumbprint: String?
    /// Whether its client asked, when it redeemed the code, for bearer access tokens although it proved a key. It
    /// cannot ask later: a stolen refresh token would gain value.
    public var wantsBearer: Bool
    /// The tenant that a session of the methods is for; `nil`: none was selected.
    public var tenantID: String?
    /// What a session of the methods says beside its user's own facts.
    public var sessionClaims: SessionClaims
    /// The session that this one continues, which ends at the first use of this one: until then its answer may have
    /// been lost.
    public var supersedes: GrantID?
    /// Whether the user has a factor to reauthenticate with, as the store has just read it; `nil`: not read.
    public var canReauthenticate: Bool?
    /// Whether the user has no account, as the store has just read it; `nil`: not read.
    public var isAnonymous: Bool?
    /// How many refresh tokens came before the current one.
    public var counter: Int64
    public let createdAt: UnixTime
    /// Over at this time if unused.
    public var idleExpiresAt: UnixTime
    /// Over at this time in any case.
    public let absoluteExpiresAt: UnixTime

    public init(
        id: GrantID, clientID: String, userID: UserID, sessionID: SessionID?, scope: Scope, resources: [String],
        authentication: AuthenticationFacts, nonce: String?, claimsRequest: String?,
        authorizationDetails: AuthorizationDetails? = nil, keyThumbprint: String? = nil,
        wantsBearer: Bool = false, tenantID: String? = nil, sessionClaims: SessionClaims = .none,
        supersedes: GrantID? = nil, counter: Int64 = 0, createdAt: UnixTime, idleExpiresAt: UnixTime,
        absoluteExpiresAt: UnixTime
    ) {
        self.id = id
        self.clientID = clientID
        self.userID = userID
        self.sessionID = sessionID
        self.scope = scope
        self.resources = resources
        self.authentication = authentication
        self.nonce = nonce
        self.claimsRequest = claimsRequest
        self.authorizationDetails = authorizationDetails
        self.keyThumbprint = keyThumbprint
        self.wantsBearer = wantsBearer
        self.tenantID = tenantID
        self.sessionClaims = sessionClaims
        self.supersedes = supersedes
        self.counter = counter
        self.createdAt = createdAt
        self.idleExpiresAt = idleExpiresAt
        self.absoluteExpiresAt = absoluteExpiresAt
    }

    /// Whether its ID tokens say if the user can reauthenticate: to clients of Authgear's profile, to those that asked
    /// for the claim (OpenID Connect Core §5.5), and after Authgear's biometric request, which has no parameter to ask
    /// with.
    package func tellsCanReauthenticate(_ client: Client) -> Bool {
        if client.readsAuthgearClaims || isAnonymous == true
            || authentication.methods == [BiometricNames.authenticationMethod]
        {
            return true
        }
        guard let claimsRequest, claimsRequest.contains(AuthgearNames.canReauthenticate) else { return false }
        return ClaimsRequest(parsing: claimsRequest)?.idToken[AuthgearNames.canReauthenticate] != nil
    }

    /// The `sid` of its tokens: the browser session's; without one, its own.
    public var tokenSessionID: SessionID { sessionID ?? SessionID(of: id) }

    /// Whether it outlives the browser session (OpenID Connect Core §11).
    public var isOffline: Bool { scope.contains(Scope.offlineAccess) }

    /// Why a grant is over.
    public enum EndReason: String, Hashable, Sendable, CaseIterable {
        /// The user signed out, in the app or in the browser.
        case logout
        /// The client revoked the token (RFC 7009).
        case revoked
        /// A spent refresh token came back: there is a copy.
        case refreshReplay = "refresh_replay"
        /// Two clients used its refresh tokens in turn: there is a copy.
        case shadowed
        /// A spent code came back.
        case codeReplay = "code_replay"
        /// The password was changed or reset.
        case credentialChanged = "credential_changed"
        /// The user was disabled or deleted.
        case userDisabled = "user_disabled"
        /// An administrator ended it.
        case administrator
        /// Another session replaced it.
        case superseded
    }
}

/// An authorization code's conditions, kept beside its grant until it is redeemed.
public struct CodeConditions: Hashable, Sendable {
    public let digest: SecretDigest
    /// As it was sent with the authorization request; `nil` if the request left it out.
    public let redirectURI: String?
    /// RFC 7636; `nil` when a confidential client sent none.
    public let codeChallenge: String?
    /// The key that the request announced for the redemption (`dpop_jkt`, RFC 9449 §10); `nil`: none.
    public let keyThumbprint: String?
    /// The session that this sign-in reauthenticates: its grants of the same client and user get the new facts when the
    /// code is redeemed. `nil`: it is a sign-in of its own.
    public let reauthenticates: SessionID?
    /// Grants of an earlier sign-in in that session, which its name outlives, stay as they are.
    public let reauthenticatesSince: UnixTime?
    /// The anonymous user who gets an account when the code is redeemed; `nil`: none.
    public let promotion: AnonymousPromotion?
    public let expiresAt: UnixTime

    public init(
        digest: SecretDigest, redirectURI: String?, codeChallenge: String?, keyThumbprint: String? = nil,
        reauthenticates: SessionID? = nil, reauthenticatesSince: UnixTime? = nil, promotion: AnonymousPromotion? = nil,
        expiresAt: UnixTime
    ) {
        self.digest = digest
        self.redirectURI = redirectURI
        self.codeChallenge = codeChallenge
        self.keyThumbprint = keyThumbprint
        self.reauthenticates = reauthenticates
        self.reauthenticatesSince = reauthenticatesSince
        self.promotion = promotion
        self.expiresAt = expiresAt
    }
}
