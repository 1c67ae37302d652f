/// Names of the wire of Authgear's SDK, beside those of ``BiometricNames``.
public enum AuthgearNames {
    /// The scope of the operator's own apps: everything that is known about the person.
    public static let fullAccess = "https://authgear.com/scopes/full-access"
    /// Whether the person has no account yet.
    public static let isAnonymous = claim("is_anonymous")
    /// Whether an address or a number of the person was shown to be theirs.
    public static let isVerified = claim("is_verified")
    /// Whether the person has anything to prove again who they are with.
    public static let canReauthenticate = claim("can_reauthenticate")
    /// What the operator keeps about the person, as an object.
    public static let customAttributes = "custom_attributes"

    private static func claim(_ name: String) -> String {
        "https://authgear.com/claims/user/\(name)"
    }
}

extension GrantType {
    /// An access token brings the session's ID token anew, and nothing else (Authgear).
    public static let idToken = Self(rawValue: "urn:authgear:params:oauth:grant-type:id-token")
}
