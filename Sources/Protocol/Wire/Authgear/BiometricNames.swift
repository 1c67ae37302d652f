/// Names of the wire by which a key behind a fingerprint signs in (Authgear's biometric grant).
public enum BiometricNames {
    /// `typ` of the signed request.
    public static let requestType = "vnd.authgear.biometric-request"
    /// The whole `error_description` that says that a key is of no use any more, or that the request was none: its owner
    /// forgets the key.
    public static let invalidCredentials = "InvalidCredentials"
    /// The `error_description` where the client may not do this.
    public static let disallowed = "BiometricDisallowed"
    /// The word in `amr` for a sign-in with such a key.
    public static let authenticationMethod = "x_biometric"
    /// The form's parameter that holds the signed request.
    public static let jwt = "jwt"
}

/// What a signed request of a device is for: `action`.
public enum BiometricAction: String, Hashable, Sendable, CaseIterable {
    /// Adds the key in the header to the account of the access token that comes along.
    case setup
    /// Signs the key's owner in.
    case authenticate
}

extension GrantType {
    /// A key behind a fingerprint signs in, or is set up (Authgear).
    public static let biometricRequest = Self(rawValue: "urn:authgear:params:oauth:grant-type:biometric-request")
}
