/// A client of a ``TestServer``, as a plain value: an app, a web application or a backend.
public struct TestClient: Hashable, Sendable {
    /// The `client_id`.
    public var id: String
    /// `nil` for apps, which cannot keep one.
    public var secret: String?
    /// The redirect URIs that are registered. No browser is opened, so that any scheme will do.
    public var redirectURIs: [String]
    /// What it may ask for, separated by spaces.
    public var scope: String
    /// Whether users are asked for their consent.
    public var asksForConsent: Bool
    /// Where the server tells that a session was ended (OpenID Connect Back-Channel Logout 1.0); `nil`: nowhere. See
    /// ``TestServer/endSessions(of:)``.
    public var backchannelLogoutURI: String?

    /// A client for sign-ins in a browser, with refresh tokens; one with a secret may also ask for tokens of its own
    /// (RFC 6749 §4.4).
    ///
    /// - Parameters:
    ///   - id: the `client_id`.
    ///   - secret: `nil` for apps.
    ///   - redirectURIs: the first is where ``TestServer/accessToken(for:client:scope:audience:)`` returns to.
    ///   - scope: what it may ask for; add the scopes of your own API.
    ///   - asksForConsent: whether users are asked for their consent.
    public init(
        _ id: String, secret: String? = nil, redirectURIs: [String] = ["http://127.0.0.1/callback"],
        scope: String = "openid profile email phone address offline_access", asksForConsent: Bool = false
    ) {
        self.id = id
        self.secret = secret
        self.redirectURIs = redirectURIs
        self.scope = scope
        self.asksForConsent = asksForConsent
    }

    /// `app`, a public client without consent: the client of a server that is told no others.
    public static let app = TestClient("app")
}
