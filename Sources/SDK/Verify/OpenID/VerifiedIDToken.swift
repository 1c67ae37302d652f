public import KeyturnBase

/// An ID token that an ``IDTokenVerifier`` accepted (OpenID Connect Core §2). Nothing else can make one.
///
/// Claims that inform and decide nothing (`auth_time`, `acr`, `amr`, `sid`) are absent if they have another type than
/// the standard says; ``claims`` has them as they came.
public struct VerifiedIDToken: Sendable {
    /// Who issued it (`iss`).
    public let issuer: String
    /// The person at this issuer (`sub`). Unique together with ``issuer`` only.
    public let subject: String
    /// For whom it was issued; contains the client.
    public let audience: [String]
    /// When it was issued (`iat`).
    public let issuedAt: UnixTime
    /// When it ends (`exp`).
    public let expiresAt: UnixTime
    /// When the person last proved who they are (`auth_time`).
    public let authTime: UnixTime?
    /// How strong that proof was (`acr`).
    public let acr: String?
    /// By which methods it was given (`amr`, RFC 8176).
    public let amr: [String]
    /// The issuer's name for the browser session (`sid`).
    public let sessionID: String?
    /// Whether the person has anything to prove again who they are with, if the issuer says: the claim
    /// `https://authgear.com/claims/user/can_reauthenticate`.
    public let canReauthenticate: Bool?
    /// Every claim, known or not.
    public let claims: [String: JSONValue]

    init(_ claims: ClaimReader, audience: [String], lifetime: Lifetime) throws(AuthError) {
        issuer = try claims.text("iss")
        subject = try claims.text("sub")
        self.audience = audience
        issuedAt = lifetime.issuedAt
        expiresAt = lifetime.expiresAt
        authTime = claims.timeIfReadable("auth_time")
        acr = claims.textIfReadable("acr")
        amr = claims.textsIfReadable("amr")
        sessionID = claims.textIfReadable("sid")
        canReauthenticate = claims.all["https://authgear.com/claims/user/can_reauthenticate"]?.boolValue
        self.claims = claims.all
    }

    /// Any claim by its name.
    public subscript(claim: String) -> JSONValue? { claims[claim] }
}

extension VerifiedIDToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Shows nothing of the person.
    public var description: String { "VerifiedIDToken" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
