/// Names of the wire of Authgear's SDK, beside those of ``BiometricNames``.
public enum AuthgearNames {
    /// The scope of the operator's own apps: everything that is known about the person.
    public static let fullAccess = "https://authgear.com/scopes/full-access"
    /// The scope that brings a device secret (OpenID Connect Native SSO §3.1).
    public static let deviceSSO = "device_sso"
    /// The scope of sessions that open pages of web applications signed in. It counts only after ``deviceSSO``.
    public static let preAuthenticatedURL = "https://authgear.com/scopes/pre-authenticated-url"
    /// Whether the person has no account yet.
    public static let isAnonymous = claim("is_anonymous")
    /// Whether an address or a number of the person was shown to be theirs.
    public static let isVerified = claim("is_verified")
    /// Whether the person has anything to prove again who they are with.
    public static let canReauthenticate = claim("can_reauthenticate")
    /// The keys of the person's roles, as an array.
    public static let roles = claim("roles")
    /// What the person proves with who they are, as an array.
    public static let authenticators = claim("authenticators")
    /// What the person is known by, as an array.
    public static let identities = claim("identities")
    /// Whether the person has recovery codes.
    public static let recoveryCodeEnabled = claim("recovery_code_enabled")
    /// What the operator keeps about the person, as an object.
    public static let customAttributes = "custom_attributes"
    /// `response_type` of a request that opens a page of a web application signed in: a set of two words.
    public static let preAuthenticatedResponseType =
        "urn:authgear:params:oauth:response-type:pre-authenticated-url token"
    /// `response_mode` of such a request.
    public static let cookieResponseMode = "cookie"
    /// The parameter of such a request that holds the token.
    public static let preAuthenticatedURLToken = "x_pre_authenticated_url_token"
    /// The form's parameter that describes the device: JSON in base64url.
    public static let deviceInfo = "x_device_info"
    /// The form's parameter and the answer's member that hold a device secret.
    public static let deviceSecret = "device_secret"

    private static func claim(_ name: String) -> String {
        "https://authgear.com/claims/user/\(name)"
    }

    /// A `login_hint` that says how the user is to be known: its parameters are encoded here, the whole of it once more
    /// where it becomes a parameter itself.
    ///
    /// - Parameter parameters: Names and values as they are, `type` first.
    public static func loginHint(_ parameters: [(name: String, value: String)]) -> String {
        var form = FormParameters()
        for parameter in parameters { form.append(parameter.name, parameter.value) }
        return loginHintPrefix + form.encoded
    }

    /// The parameters of a ``loginHint(_:)``; `nil`: the text is another hint, such as an address.
    public static func parameters(ofLoginHint text: String) -> FormParameters? {
        guard text.hasPrefix(loginHintPrefix) else { return nil }
        return try? FormParameters(parsing: text.dropFirst(loginHintPrefix.count), parametersMax: 16)
    }

    private static let loginHintPrefix = "https://authgear.com/login_hint?"
    /// The `type` of a hint with an app session token, and the name of its parameter.
    public static let appSessionToken = "app_session_token"
}

extension TokenTypeIdentifier {
    /// What opens one page of a web application signed in (Authgear).
    public static let preAuthenticatedURLToken = Self(
        rawValue: "urn:authgear:params:oauth:token-type:pre-authenticated-url-token")
}

extension GrantType {
    /// An app that has a session signs another app in (Authgear).
    public static let appToApp = Self(rawValue: "urn:authgear:params:oauth:grant-type:app2app-request")
    /// An access token brings the session's ID token anew, and nothing else (Authgear).
    public static let idToken = Self(rawValue: "urn:authgear:params:oauth:grant-type:id-token")
    /// A key of a user without an account signs in (Authgear).
    public static let anonymousRequest = Self(rawValue: "urn:authgear:params:oauth:grant-type:anonymous-request")
}
