/// An authorization request as it travels (RFC 6749 §4.1.1, RFC 7636 §4.3, OpenID Connect Core §3.1.2.1).
///
/// The values are what was sent, not what is allowed: a server compares them with the client's registration.
public struct AuthorizationRequest: Hashable, Sendable {
    /// `client_id` (RFC 6749 §4.1.1).
    public var clientID: String
    /// `redirect_uri`: where the answer goes; one that the client registered.
    public var redirectURI: String?
    /// `response_type`, such as `code`.
    public var responseType: String?
    /// `response_mode`: how the answer travels, such as `query` or `form_post`.
    public var responseMode: String?
    /// `scope`: names with spaces between them.
    public var scope: String?
    /// `state`: handed back with the answer.
    public var state: String?
    /// `nonce`: stands in the ID token (OpenID Connect Core §3.1.2.1).
    public var nonce: String?
    /// `code_challenge` (RFC 7636 §4.3).
    public var codeChallenge: String?
    /// `code_challenge_method`: `S256` (RFC 7636 §4.3).
    public var codeChallengeMethod: String?
    /// `prompt`: `none`, or what must be shown.
    public var prompt: String?
    /// Oldest acceptable sign-in, in seconds.
    public var maxAge: String?
    /// `id_token_hint`: an ID token of the user who is expected.
    public var idTokenHint: String?
    /// `login_hint`: what the user would type as their name.
    public var loginHint: String?
    /// `ui_locales`: languages of the pages, as BCP 47 tags, the preferred one first.
    public var uiLocales: String?
    /// `claims_locales`: languages of claims, as BCP 47 tags, the preferred one first.
    public var claimsLocales: String?
    /// `acr_values`: how the user should sign in, the preferred way first.
    public var acrValues: String?
    /// `display`: the kind of page that is wanted.
    public var display: String?
    /// `claims`: a JSON object with the claims that are wanted (OpenID Connect Core §5.5).
    public var claims: String?
    /// Where the access token is to be used (RFC 8707 §2); may repeat.
    public var resource: [String]
    /// The key that the code will be redeemed with, by its RFC 7638 thumbprint (RFC 9449 §10).
    public var dpopKeyThumbprint: String?
    /// What is wanted in detail, as JSON (RFC 9396 §2); see ``AuthorizationDetails``.
    public var authorizationDetails: String?
    /// Parameters that this type does not know, kept so that services can add their own.
    public var extra: FormParameters

    /// A request of this client, without anything else.
    public init(clientID: String) {
        self.clientID = clientID
        resource = []
        extra = FormParameters()
    }

    /// Reads a query or a form.
    ///
    /// - Throws: ``FormProblem/repeated(_:)`` for a parameter sent twice (RFC 6749 §3.1); ``FormProblem/encoding`` for one
    ///   with a zero byte, which no parameter may have (appendix A).
    public init(_ form: FormParameters) throws(FormProblem) {
        guard !form.holdsZeroByte else { throw .encoding }
        self.init(clientID: "")
        for (name, path) in Self.members { self[keyPath: path] = try form.one(name) }
        clientID = try form.one("client_id") ?? ""
        resource = form.values("resource")
        let known = Set(Self.members.map(\.0) + ["client_id", "resource"])
        for parameter in form.all where !known.contains(parameter.name) {
            extra.append(parameter.name, parameter.value)
        }
        if let name = extra.firstRepeated() { throw .repeated(name) }
    }

    /// The parameters to send.
    public var parameters: FormParameters {
        var form = FormParameters(["client_id": clientID])
        for (name, path) in Self.members { form.append(name, self[keyPath: path]) }
        for uri in resource { form.append("resource", uri) }
        for parameter in extra.all { form.append(parameter.name, parameter.value) }
        return form
    }

    /// Every parameter that is at most once there, beside `client_id`, by its wire name.
    private static var members: [(String, WritableKeyPath<AuthorizationRequest, String?>)] {
        [
            ("redirect_uri", \.redirectURI), ("response_type", \.responseType), ("response_mode", \.responseMode),
            ("scope", \.scope), ("state", \.state), ("nonce", \.nonce), ("code_challenge", \.codeChallenge),
            ("code_challenge_method", \.codeChallengeMethod), ("prompt", \.prompt), ("max_age", \.maxAge),
            ("id_token_hint", \.idTokenHint), ("login_hint", \.loginHint), ("ui_locales", \.uiLocales),
            ("claims_locales", \.claimsLocales), ("acr_values", \.acrValues), ("display", \.display),
            ("claims", \.claims), ("dpop_jkt", \.dpopKeyThumbprint), ("authorization_details", \.authorizationDetails),
        ]
    }
}
