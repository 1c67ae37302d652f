internal import KeyturnBase
internal import Model

/// UserInfo beside an ID token (OpenID Connect Core §5.3.2).
enum UserInfoClaims {
    /// Claims that say something about another one: they count only beside it. `email_verified` is about the `email` in the
    /// same document (§5.1), and not about one that the provider tells elsewhere.
    private static let companions: [String: [String]] = [
        "email": ["email_verified", "xms_edov", "is_private_email", "hd"], "phone_number": ["phone_number_verified"],
    ]
    /// What only a signed token says: who authenticated, how, when, and for whom.
    private static let signedAlone: Set<String> = [
        "iss", "aud", "azp", "exp", "iat", "nbf", "nonce", "auth_time", "acr", "amr", "sid", "tid", "at_hash", "c_hash",
    ]

    /// Whether the token tells the user's address, so that UserInfo is not asked.
    static func hasAddress(_ claims: JSONValue, _ settings: OpenIDConnectionSettings) -> Bool {
        isTold(claims[settings.mapping["email"] ?? "email"])
    }

    /// The claims of both. UserInfo must be about the same user, and changes nothing that was signed.
    ///
    /// - Throws: ``ConnectionFault`` for another user.
    static func merged(_ claims: JSONValue, _ told: JSONValue) throws(ConnectionFault) -> JSONValue {
        guard let subject = claims["sub"]?.stringValue, told["sub"]?.stringValue == subject,
            var signed = claims.objectValue, var more = told.objectValue
        else { throw ConnectionFault(.refused, "userinfo_sub") }
        more = more.filter { !signedAlone.contains($0.key) }
        for (name, others) in companions {
            if isTold(signed[name]) {
                for other in others { more[other] = nil }
            } else {
                signed[name] = nil
                for other in others { signed[other] = nil }
            }
        }
        return .object(more.merging(signed) { _, signed in signed })
    }

    private static func isTold(_ claim: JSONValue?) -> Bool { claim?.stringValue.map { !$0.isEmpty } ?? false }
}
