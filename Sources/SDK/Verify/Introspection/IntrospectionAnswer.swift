public import KeyturnBase
public import KeyturnWire

/// What the authorization server said about a token (RFC 7662 §2.2).
public enum IntrospectionAnswer: Sendable {
    /// The token is good now.
    case active(ActiveToken)
    /// It is not: expired, revoked, unknown or not for us. The server does not say which.
    case inactive

    /// The token, if it is active.
    ///
    /// - Throws: `token.refused` if it is not.
    public func get() throws(AuthError) -> ActiveToken {
        guard case .active(let token) = self else {
            throw AuthError(.tokenRefused, "the authorization server says that the token is not active")
        }
        return token
    }
}

/// A token that the authorization server called active. Nothing else can make one.
public struct ActiveToken: TokenAuthority {
    /// Whom the token speaks for (`sub`); some servers keep it to themselves.
    public let subject: String?
    /// The client it was issued to (`client_id`).
    public let clientID: String?
    /// What the token allows on every object; empty for one that is restricted to single objects.
    public let scope: Scope
    /// The objects that it is good for (`restricted_to`); `nil`: it is not restricted.
    public let restrictedTo: [RestrictedObject]?
    /// What was granted in detail (RFC 9396 §9.2); `nil`: nothing.
    public let authorizationDetails: AuthorizationDetails?
    /// Who acts for the subject, the present actor first (RFC 8693 §4.1).
    public let actors: [TokenActor]
    /// For whom it was issued; empty if the server does not say.
    public let audience: [String]
    /// When it ends (`exp`).
    public let expiresAt: UnixTime?
    /// When it was issued (`iat`).
    public let issuedAt: UnixTime?
    /// When the person last proved who they are (`auth_time`, RFC 9470 §6.2).
    public let authTime: UnixTime?
    /// How strong that proof was (`acr`).
    public let acr: String?
    /// Every member of the answer, known or not.
    public let claims: [String: JSONValue]

    init(_ claims: ClaimReader) throws(AuthError) {
        subject = try claims.textIfPresent("sub")
        clientID = try claims.textIfPresent("client_id")
        let authority = try AuthorityClaims(claims)
        scope = authority.scope
        restrictedTo = authority.restrictedTo
        authorizationDetails = authority.authorizationDetails
        actors = authority.actors
        audience = claims.all["aud"] == nil ? [] : try claims.audience()
        expiresAt = try claims.timeIfPresent("exp")
        issuedAt = try claims.timeIfPresent("iat")
        authTime = claims.timeIfReadable("auth_time")
        acr = claims.textIfReadable("acr")
        self.claims = claims.all
    }
}

extension ActiveToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Shows nothing of the person.
    public var description: String { "ActiveToken" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension AuthError.Code {
    /// The authorization server says that the token is not active.
    public static let tokenRefused = Self(rawValue: "token.refused")
}
