internal import KeyturnBase
internal import KeyturnWire
internal import Model

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

    /// The claims about a user that a client may be told, before it is asked which ones it may have.
    static func all(of user: User, for client: Client) -> [String: JSONValue] {
        var claims = user.claims(withUnverifiedContacts: client.hearsUnverifiedContacts).filter {
            !protocolClaims.contains($0.key)
        }
        claims["updated_at"] = .integer(user.updatedAt.rawValue)
        return claims
    }
}

/// Which claims about users a client hears (OpenID Connect Core §3.1.2.4, §5.4, §5.5): those of granted scopes; those
/// that the operator lists for it; and of those that a request names, the ones of scopes that the client may have. Beyond
/// the granted scopes the user must have agreed to each; for the operator's own clients the operator has.
struct ClaimRules: Sendable {
    let client: Client

    /// The part of a request that the client may make. Claims about the sign-in stay: they are no user's data.
    func permitted(_ request: ClaimsRequest) -> ClaimsRequest {
        request.keeping(client.claimsToRequest.union(UserClaims.protocolClaims))
    }

    /// The claims that the user must agree to by name, beside the scope.
    func toConsent(_ request: ClaimsRequest?, scope: Scope) -> Set<String> {
        // Without it there is no token that would have them.
        guard scope.contains(Scope.openID) else { return [] }
        let asked = Set((request ?? .none).userinfo.keys).union((request ?? .none).idToken.keys)
        return asked.intersection(client.claimsToRequest)
            .union(client.idTokenClaims).union(client.userinfoClaims)
            .subtracting(UserClaims.protocolClaims)
            .subtracting(StandardClaims.claims(forScopes: scope))
    }

    /// Where claims are told.
    enum Place: Sendable {
        case idToken, userInfo
    }

    /// The claims that a place has by name.
    func named(_ request: ClaimsRequest?, in place: Place) -> Set<String> {
        let request = request ?? .none
        let names =
            switch place {
            case .idToken: client.idTokenClaims.union(request.idToken.keys)
            case .userInfo: client.userinfoClaims.union(request.userinfo.keys)
            }
        return names.intersection(client.claimsToRequest).subtracting(UserClaims.protocolClaims)
    }

    /// Those of the named claims that need no look at what the user agreed to.
    func covered(_ names: Set<String>, by scope: Scope) -> Set<String> {
        client.isFirstParty ? names : names.intersection(StandardClaims.claims(forScopes: scope))
    }

    /// Those of the named claims that the user agreed to.
    func covered(_ names: Set<String>, by consent: Consent) -> Set<String> {
        names.filter { consent.covers(Consent(scope: .none, claims: [$0])) }
    }
}
