public import KeyturnBase
public import KeyturnWire
public import Model

/// UserInfo's response to apps of Authgear, whose SDK decodes nothing without it.
public enum AuthgearUserInfo {
    /// Three facts about the account for every app, and with full access all claims.
    ///
    /// - Parameters:
    ///   - account: of the user behind `live`, as the store has it now.
    ///   - scope: of the access token.
    public static func answer(_ live: LiveGrant, account: Account, scope: Scope) -> JSONValue {
        var answer = UserClaims.userInfo(live, scope: scope).objectValue ?? [:]
        let hasFullAccess = scope.contains(AuthgearNames.fullAccess)
        if hasFullAccess {
            let known = UserClaims.all(of: live.user).filter { StandardClaims.all.contains($0.key) }
            answer.merge(known) { told, _ in told }
        }
        answer[AuthgearNames.isAnonymous] = .bool(account.user.isAnonymous)
        answer[AuthgearNames.isVerified] = .bool(account.hasProvenAddress)
        answer[AuthgearNames.canReauthenticate] = .bool(account.canReauthenticate)
        answer[AuthgearNames.customAttributes] = .object(hasFullAccess ? live.user.attributes : [:])
        return .object(answer)
    }
}
