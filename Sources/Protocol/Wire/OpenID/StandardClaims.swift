/// The claims about a person that OpenID Connect names, and the scopes that ask for them (Core §5.1, §5.4).
public enum StandardClaims {
    /// The scopes that stand for claims.
    public static let scopes = ["profile", "email", "address", "phone"]

    /// The claims that `scope` asks for; none for a scope that stands for something else.
    public static func claims(forScope scope: String) -> [String] {
        switch scope {
        case "profile":
            [
                "name", "family_name", "given_name", "middle_name", "nickname", "preferred_username", "profile",
                "picture", "website", "gender", "birthdate", "zoneinfo", "locale", "updated_at",
            ]
        case "email": ["email", "email_verified"]
        case "address": ["address"]
        case "phone": ["phone_number", "phone_number_verified"]
        default: []
        }
    }

    /// The claims that the names of `scope` ask for together.
    public static func claims(forScopes scope: Scope) -> Set<String> {
        Set(scope.names.flatMap(claims(forScope:)))
    }

    /// Every claim that any scope asks for.
    public static let all: [String] = scopes.flatMap(claims(forScope:))

    /// The members of `address` (Core §5.1.1).
    public static let addressMembers = [
        "formatted", "street_address", "locality", "region", "postal_code", "country",
    ]
}
