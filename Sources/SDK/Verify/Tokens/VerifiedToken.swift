public import KeyturnBase
public import KeyturnWire

/// An access token that a ``TokenVerifier`` accepted (RFC 9068 §2.2). Nothing else can make one. Where client, scope,
/// roles and audience stood is said by the verifier's ``TokenProfile``.
///
/// It was true at the moment of verification; ask ``expiresAt`` before keeping it. Claims that only inform
/// (`auth_time`, `acr`, `amr`, `sid`, `gid`) are absent if they have another type than the standard says, and then
/// satisfy no policy; ``claims`` has them as they came.
public struct VerifiedToken: TokenAuthority {
    /// Who issued it (`iss`).
    public let issuer: String
    /// Whom the token speaks for: a person, or the client itself (`sub`).
    public let subject: String
    /// The client that it was issued to (`client_id`).
    public let clientID: String
    /// What the token allows on every object; empty for one that is restricted to single objects.
    public let scope: Scope
    /// The roles (`roles`, RFC 9068 §2.2.3.1); `nil`: the token does not say, or not in a list of names.
    public let roles: [String]?
    /// The objects that it is good for (`restricted_to`); `nil`: it is not restricted. Only a verifier that was told to
    /// takes such tokens.
    public let restrictedTo: [RestrictedObject]?
    /// What was granted in detail (`authorization_details`, RFC 9396 §9.1); `nil`: nothing.
    public let authorizationDetails: AuthorizationDetails?
    /// Who acts for the subject, the present actor first (`act`, RFC 8693 §4.1).
    public let actors: [TokenActor]
    /// For whom it was issued; contains the verifier's audience.
    public let audience: [String]
    /// When it was issued (`iat`).
    public let issuedAt: UnixTime
    /// When it ends (`exp`).
    public let expiresAt: UnixTime
    /// The token's own name (`jti`).
    public let tokenID: String?
    /// When the person last proved who they are (`auth_time`).
    public let authTime: UnixTime?
    /// How strong that proof was (`acr`).
    public let acr: String?
    /// By which methods it was given (`amr`, RFC 8176).
    public let amr: [String]
    /// The issuer's name for the browser session (`sid`).
    public let sessionID: String?
    /// The issuer's name for what the sign-in created (`gid`); the same in every token of one session.
    public let grantID: String?
    /// Every claim, known or not.
    public let claims: [String: JSONValue]

    init(_ claims: ClaimReader, audience: [String], expiresAt: UnixTime) throws(AuthError) {
        issuer = try claims.text("iss")
        subject = try claims.text("sub")
        clientID = try claims.clientID()
        roles = claims.roles()
        let authority = try AuthorityClaims(claims)
        scope = authority.scope
        restrictedTo = authority.restrictedTo
        authorizationDetails = authority.authorizationDetails
        actors = authority.actors
        self.audience = audience
        issuedAt = try claims.time("iat")
        self.expiresAt = expiresAt
        tokenID = try claims.textIfPresent("jti")
        authTime = claims.timeIfReadable("auth_time")
        acr = claims.textIfReadable("acr")
        amr = claims.textsIfReadable("amr")
        sessionID = claims.textIfReadable("sid")
        grantID = claims.textIfReadable("gid")
        self.claims = claims.all
    }

    /// Whether the token speaks for its client alone, and for no person. A Keyturn server names such subjects `client:`
    /// and the identifier, so that none can be taken for a user's. Of another provider's token it is `false`: each says
    /// this in a claim of its own.
    public var isClientsOwn: Bool { subject == "client:" + clientID }

    /// Any claim by its name.
    public subscript(claim: String) -> JSONValue? { claims[claim] }
}

extension VerifiedToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Shows nothing of the person.
    public var description: String { "VerifiedToken" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
