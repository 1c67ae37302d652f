public import KeyturnBase
public import KeyturnWire
public import Model

/// What clients are told about a user.
public enum UserClaims {
    /// Claims of the token, not of the user: a user's data can never set them.
    public static let protocolClaims: Set<String> = [
        "iss", "sub", "aud", "exp", "nbf", "iat", "jti", "auth_time", "nonce", "acr", "amr", "azp", "at_hash", "c_hash",
        "s_hash", "sid", "gid", "events", "act", "cnf", "client_id", "scope",
        "anc", "anx", "anp", "acg", "uep", "tenant", "restricted_to", "authorization_details", "ds_hash",
        "drn", "rt", "su", "dct", "nsec", "rexp", "dsub", canReauthenticate, AuthgearNames.isAnonymous,
        AuthgearNames.isVerified, AuthgearNames.customAttributes,
    ]

    /// Whether the user has a factor to reauthenticate with, in ID tokens for clients that ask for it (Authgear).
    public static let canReauthenticate = AuthgearNames.canReauthenticate

    /// All claims about a user that may be told.
    static func all(of user: User) -> [String: JSONValue] {
        var claims = user.claims.filter { !protocolClaims.contains($0.key) }
        claims["updated_at"] = .integer(user.updatedAt.rawValue)
        return claims
    }

    /// UserInfo's response (OpenID Connect Core §5.3.2, §5.4): the subject, the claims of the token's scopes, and the
    /// claims requested by name.
    public static func userInfo(_ live: LiveGrant, scope: Scope) -> JSONValue {
        var names = Set(scope.names.flatMap(StandardClaims.claims(forScope:)))
        if let text = live.grant.claimsRequest, let request = ClaimsRequest(parsing: text) {
            names.formUnion(request.userinfo.keys)
        }
        var answer = all(of: live.user).filter { names.contains($0.key) }
        answer["sub"] = .string(live.user.id.rawValue)
        return .object(answer)
    }

    /// As ``userInfo(_:scope:)``, and whether the user has no account: for clients with anonymous users.
    public static func userInfo(_ live: LiveGrant, anonymous account: Account, scope: Scope) -> JSONValue {
        var answer = userInfo(live, scope: scope).objectValue ?? [:]
        answer[AuthgearNames.isAnonymous] = .bool(account.user.isAnonymous)
        return .object(answer)
    }
}
