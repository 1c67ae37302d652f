public import KeyturnBase
internal import KeyturnJose
public import KeyturnWire
public import Model
internal import Synchronization

/// A presented access token of this server, verified. The store knows whether its grant still lives.
public struct PresentedAccessToken: Hashable, Sendable {
    /// The server's own issuer, or that of a realm.
    public let issuer: String
    public let subject: String
    public let clientID: String
    public internal(set) var scope: Scope
    public internal(set) var audience: [String]
    public let issuedAt: UnixTime
    public let expiresAt: UnixTime
    public let tokenID: String
    /// `nil` for a client's own token.
    public let grantID: GrantID?
    /// The key that the presenter must prove (`cnf.jkt`, RFC 9449 §6.1); `nil`: a bearer token.
    public let keyThumbprint: String?
    /// The tokens that it was made from by exchange, the first one first: it ends with any of them.
    public let ancestors: [String]
    /// How often it was exchanged.
    let exchanges: Int64
    /// The client that the first of its ancestors was issued to, or itself: the one whose rights it depends on.
    let firstClientID: String
    /// The only objects that it is valid for (`restricted_to`); `nil`: it is not restricted.
    public internal(set) var restrictedTo: [RestrictedObject]?
    /// The granted details (RFC 9396 §9.1).
    public internal(set) var authorizationDetails: AuthorizationDetails?
    /// The actor for its subject (RFC 8693 §4.1); `nil`: none but the subject.
    public let actor: JSONValue?
    /// Claims that an exchanged token repeats: about the sign-in, the grant, the tenant.
    let carried: [String: JSONValue]

    /// The claims of ``carried``.
    static let carriedClaims = ["gid", "sid", "auth_time", "acr", "amr", "tenant", "uep", "acg"]

    /// The user's ``User/epoch``, for a user who did not sign in; `nil`: it has a grant, or no user.
    var userEpoch: Int64? { carried["uep"]?.integerValue }
    /// The user that it speaks for; `nil`: a client.
    var userID: UserID? {
        let id = UserID(rawValue: subject)
        return id.isClients ? nil : id
    }
    /// Whether a client got it for itself, and not to act for a user, in a tenant, or in place of another token.
    package var isClientsOwn: Bool {
        grantID == nil && userID == nil && tenantID == nil && ancestors.isEmpty && actor == nil
    }
    /// The grants of actors who signed in: it ends with any of them.
    var actorGrants: [GrantID] { (carried["acg"]?.stringArrayValue ?? []).compactMap(GrantID.init(text:)) }
    /// The tenant in which a client acts with an account of its own.
    public var tenantID: String? { carried["tenant"]?.stringValue }
}

/// Checks this server's access tokens. A verified signature is not checked again: genuine tokens are cached in two
/// bounded generations.
public final class AccessTokenReader: Sendable {
    private struct Memory: Sendable {
        var young: [String: PresentedAccessToken] = [:]
        var old: [String: PresentedAccessToken] = [:]
    }

    private let memory = Mutex(Memory())
    private let issuer: String
    private let keys: KeyRing

    public init(issuer: String, keys: KeyRing) {
        self.issuer = issuer
        self.keys = keys
    }

    /// The token; `nil` if it is not a valid access token of this server.
    public func read(_ token: Secret, at now: UnixTime) -> PresentedAccessToken? {
        let text = token.exposed()
        let presented = recall(text) ?? verify(text, at: now)
        guard let presented, now < presented.expiresAt else { return nil }
        return presented
    }

    /// Forgets every token: a signing key was removed.
    public func forgetAll() {
        memory.withLock { $0 = Memory() }
    }

    private func recall(_ text: String) -> PresentedAccessToken? {
        memory.withLock { $0.young[text] ?? $0.old[text] }
    }

    private func remember(_ text: String, _ token: PresentedAccessToken) {
        memory.withLock { memory in
            if memory.young.count >= Limits.verifiedTokensMax {
                memory.old = memory.young
                memory.young = [:]
            }
            memory.young[text] = token
        }
    }

    private func verify(_ text: String, at now: UnixTime) -> PresentedAccessToken? {
        guard text.utf8.count <= Limits.tokenBytesMax, let jws = try? UnverifiedJWS(text),
            jws.header.type == TokenKind.accessToken, let keyID = jws.header.keyID,
            let key = keys.verificationKey(keyID, at: now),
            let claims = try? jws.verify(with: key).claims(),
            let presented = Self.presented(claims, issuer: issuer)
        else { return nil }
        remember(text, presented)
        return presented
    }

    private static func presented(_ claims: JSONValue, issuer: String) -> PresentedAccessToken? {
        guard let named = claims["iss"]?.stringValue, Project.isIssuer(named, of: issuer),
            let subject = claims["sub"]?.stringValue,
            let clientID = claims["client_id"]?.stringValue,
            let scope = claims["scope"]?.stringValue.flatMap(Scope.init),
            let expiresAt = claims["exp"]?.integerValue, let issuedAt = claims["iat"]?.integerValue,
            let tokenID = claims["jti"]?.stringValue,
            let audience = claims["aud"]?.stringArrayValue ?? claims["aud"]?.stringValue.map({ [$0] })
        else { return nil }
        let restricted = claims["restricted_to"]?.arrayValue?.map(RestrictedObject.init(json:))
        let details = claims["authorization_details"].map { AuthorizationDetails(json: $0) }
        // A restriction that cannot be read cannot be enforced.
        guard (claims["restricted_to"] == nil) == (restricted == nil), restricted?.contains(nil) != true,
            details != .some(nil)
        else { return nil }
        return PresentedAccessToken(
            issuer: named, subject: subject, clientID: clientID, scope: scope, audience: audience,
            issuedAt: UnixTime(rawValue: issuedAt), expiresAt: UnixTime(rawValue: expiresAt), tokenID: tokenID,
            grantID: claims["gid"]?.stringValue.flatMap(GrantID.init(text:)),
            keyThumbprint: claims["cnf"]?["jkt"]?.stringValue,
            ancestors: claims["anc"]?.stringArrayValue ?? [], exchanges: claims["anx"]?.integerValue ?? 0,
            firstClientID: claims["anp"]?.stringValue ?? clientID, restrictedTo: restricted?.compactMap(\.self),
            authorizationDetails: details ?? nil, actor: claims["act"],
            carried: (claims.objectValue ?? [:]).filter { PresentedAccessToken.carriedClaims.contains($0.key) })
    }
}
