public import KeyturnBase
public import KeyturnWire
public import Model

/// UserInfo's response to apps of Authgear, whose SDK decodes nothing without it.
public enum AuthgearUserInfo {
    /// The claims that a token shows beside those of its scopes: with full access all of them.
    public static func claims(_ scope: Scope) -> Set<String> {
        scope.contains(AuthgearNames.fullAccess) ? Set(StandardClaims.all) : []
    }

    /// Three facts about the account for every app, and with full access its attributes.
    ///
    /// - Parameters:
    ///   - told: the claims that the app is told.
    ///   - account: of the user, as the store has it now.
    ///   - scope: of the access token.
    public static func answer(_ told: [String: JSONValue], account: Account, scope: Scope) -> JSONValue {
        var answer = told
        answer[AuthgearNames.isAnonymous] = .bool(account.user.isAnonymous)
        answer[AuthgearNames.isVerified] = .bool(account.hasProvenAddress)
        answer[AuthgearNames.canReauthenticate] = .bool(account.canReauthenticate)
        answer[AuthgearNames.customAttributes] = .object(
            scope.contains(AuthgearNames.fullAccess) ? account.user.attributes : [:])
        return .object(answer)
    }
}
