public import KeyturnBase
public import KeyturnWire
public import Model

/// What is told about a person, and to whom.
public enum UserClaims {
    /// Claims that belong to the token, not to the person: a user's data can never speak in their name.
    public static let protocolClaims: Set<String> = [
        "iss", "sub", "aud", "exp", "nbf", "iat", "jti", "auth_time", "nonce", "acr", "amr", "azp", "at_hash", "c_hash",
        "s_hash", "sid", "gid", "events", "act", "cnf", "client_id", "scope",
        "anc", "anx", "anp", "acg", "uep", "tenant", "restricted_to", "authorization_details", "ds_hash",
        "drn", "rt", "su", "dct", "nsec", "rexp", "dsub", canReauthenticate, AuthgearNames.isAnonymous,
        AuthgearNames.isVerified, AuthgearNames.customAttributes,
    ]

    /// Whether the user has anything to reauthenticate with, in ID tokens of those who ask for it (Authgear).
    public static let canReauthenticate = AuthgearNames.canReauthenticate

    /// Everything known about a person that may be told.
    static func all(of user: User) -> [String: JSONValue] {
        var claims = user.claims.filter { !protocolClaims.contains($0.key) }
        claims["updated_at"] = .integer(user.updatedAt.rawValue)
        return claims
    }

    /// What UserInfo answers (OpenID Connect Core §5.3.2, §5.4): the subject, what the token's scopes stand for, and
    /// what was asked for by name.
    public static func userInfo(_ live: LiveGrant, scope: Scope) -> JSONValue {
        var names = Set(scope.names.flatMap(StandardClaims.claims(forScope:)))
        if let text = live.grant.claimsRequest, let request = ClaimsRequest(parsing: text) {
            names.formUnion(request.userinfo.keys)
        }
        var answer = all(of: live.user).filter { names.contains($0.key) }
        answer["sub"] = .string(live.user.id.rawValue)
        return .object(answer)
    }
}
