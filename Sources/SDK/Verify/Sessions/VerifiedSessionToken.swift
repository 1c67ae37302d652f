public import KeyturnBase

/// A session token that a ``SessionTokenVerifier`` accepted. Nothing else can make one.
///
/// It was true at the moment of verification; ask ``expiresAt`` before keeping it.
public struct VerifiedSessionToken: Sendable {
    /// What its holder may do somewhere.
    public struct Rights: Hashable, Sendable {
        /// The names of the permissions that the roles bring (`permissions`).
        public let permissions: [String]
        /// The names of the roles (`roles`).
        public let roles: [String]
    }

    /// Who issued it, project included (`iss`).
    public let issuer: String
    /// The user; of a token that an access key was exchanged for, the key (`sub`).
    public let subject: String
    /// The user whom an access key acts for (`dsub`); `nil` if it acts for no user, and for users themselves.
    public let actsFor: String?
    /// Who acts in the user's name (`act`): an operator who impersonates the user; `nil`: the user.
    public let actor: String?
    /// When it was issued (`iat`).
    public let issuedAt: UnixTime
    /// When it ends (`exp`).
    public let expiresAt: UnixTime
    /// The methods by which its holder proved who they are, in the service's words: `email`, `pwd`, `totp` …
    public let amr: [String]
    /// Whether they were of two factors (`mfa` in ``amr``).
    public let hasSeveralFactors: Bool
    /// Whether its holder stepped up for it (`su`). A renewed token does not say so again.
    public let isSteppedUp: Bool
    /// The service's name for what the sign-in created (`gid`); the same in every token of one session.
    public let grantID: String?
    /// The tenant that the session is for (`dct`).
    public let currentTenant: String?
    /// What its holder may do wherever they are.
    public let rights: Rights
    /// The tenants that its holder belongs to, and what they may do there.
    public let tenants: [String: Rights]
    /// What the app itself put into the token (`nsec`). It is not verified: good for telling requests apart, and never
    /// for granting a right.
    public let unvouchedClaims: [String: JSONValue]
    /// Every claim, known or not.
    public let claims: [String: JSONValue]

    init(_ claims: ClaimReader, lifetime: Lifetime) throws(AuthError) {
        issuer = try claims.text("iss")
        subject = try claims.text("sub")
        actsFor = try claims.textIfPresent("dsub")
        actor = try claims.membersIfPresent("act").map { members throws(AuthError) in
            try ClaimReader(members).text("sub")
        }
        issuedAt = lifetime.issuedAt
        expiresAt = lifetime.expiresAt
        amr = claims.textsIfReadable("amr")
        hasSeveralFactors = amr.contains("mfa")
        isSteppedUp = try claims.flagIfPresent("su") ?? false
        grantID = claims.textIfReadable("gid")
        currentTenant = try claims.textIfPresent("dct")
        rights = try Rights(claims)
        var tenants: [String: Rights] = [:]
        let named = try claims.membersIfPresent("tenants") ?? [:]
        for id in named.keys {
            tenants[id] = try Rights(ClaimReader(try ClaimReader(named).membersIfPresent(id) ?? [:]))
        }
        self.tenants = tenants
        unvouchedClaims = claims.all["nsec"]?.objectValue ?? [:]
        self.claims = claims.all
    }

    /// What its holder may do.
    ///
    /// - Parameter tenant: In which tenant; `nil`: wherever they are. Empty for a tenant that they do not belong to.
    public func permissions(tenant: String? = nil) -> [String] {
        rights(in: tenant).permissions
    }

    /// The roles that its holder has.
    ///
    /// - Parameter tenant: In which tenant; `nil`: wherever they are. Empty for a tenant that they do not belong to.
    public func roles(tenant: String? = nil) -> [String] {
        rights(in: tenant).roles
    }

    /// Any claim by its name.
    public subscript(claim: String) -> JSONValue? { claims[claim] }

    private func rights(in tenant: String?) -> Rights {
        guard let tenant else { return rights }
        return tenants[tenant] ?? Rights(permissions: [], roles: [])
    }
}

extension VerifiedSessionToken.Rights {
    init(_ claims: ClaimReader) throws(AuthError) {
        permissions = try claims.textsIfPresent("permissions")
        roles = try claims.textsIfPresent("roles")
    }
}

extension VerifiedSessionToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Shows nothing of the person.
    public var description: String { "VerifiedSessionToken" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
