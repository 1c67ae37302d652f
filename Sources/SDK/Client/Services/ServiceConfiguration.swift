/// Where a service is, and how much it promises. A value: change what differs, the rest keeps its default.
///
/// Every address is `https`, or plain `http` on a loopback address; a request to any other throws
/// `configuration.invalid`. A path in a base is kept: `https://host/prefix` has its token endpoint at
/// `https://host/prefix/oauth2/token`.
public struct ServiceConfiguration: Hashable, Sendable {
    /// The base of the API and of the endpoints for tokens, without a slash at its end.
    public var apiURL: String
    /// The base of ``ServiceClient/upload(_:attributes:file:named:)``, without a slash at its end.
    public var uploadURL: String
    /// The page where a person gives an application access: the whole address.
    public var authorizeURL: String
    /// The audience of assertions (`aud`, RFC 7523 §3). Box takes one constant, wherever its API is reached.
    public var assertionAudience: String
    /// The issuer, audience of `private_key_jwt`; `nil`: the service knows no such thing, and asking for it throws
    /// `service.unsupported`.
    public var issuer: String?
    /// A token is renewed so many seconds before its end, but never before half of its life. 0 or more.
    public var leewaySeconds: Int64 = 60
    /// How long one answer may take, in seconds; 1…600.
    public var timeoutSeconds = 30
    /// When requests are made again.
    public var retry = RetryPolicy()
    /// Whether the service answers a refresh token that it has just replaced with the same successor, so that a lost
    /// answer may be asked for again.
    public var refreshConverges: Bool
    /// Whether `redirect_uri` is repeated when a code is redeemed (RFC 6749 §4.1.3).
    public var repeatsRedirectURI: Bool
    /// Whether the application proves who it is when it exchanges a token for another audience, or with an actor. Box wants
    /// the token alone. See ``TokenRestriction/provesApplication``.
    public var authenticatesExchange: Bool

    /// Box: the addresses of its production service.
    ///
    /// - Parameters:
    ///   - apiURL: The base of the API.
    ///   - uploadURL: The base of uploads.
    ///   - authorizeURL: The authorization page.
    public static func box(
        apiURL: String = "https://api.box.com", uploadURL: String = "https://upload.box.com/api",
        authorizeURL: String = "https://account.box.com/api/oauth2/authorize"
    ) -> ServiceConfiguration {
        ServiceConfiguration(
            apiURL: apiURL, uploadURL: uploadURL, authorizeURL: authorizeURL,
            assertionAudience: "https://api.box.com/oauth2/token", issuer: nil, refreshConverges: false,
            repeatsRedirectURI: false, authenticatesExchange: false)
    }

    /// Box as it is in production.
    public static var box: ServiceConfiguration { box() }

    /// A Keyturn server.
    ///
    /// - Parameters:
    ///   - issuer: Its issuer, such as `https://id.example.com`.
    ///   - apiURL: The base of the API that tokens are for; `nil`: the issuer's.
    public static func keyturn(issuer: String, apiURL: String? = nil) -> ServiceConfiguration {
        let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        var configuration = ServiceConfiguration(
            apiURL: apiURL ?? base, uploadURL: apiURL ?? base, authorizeURL: base + "/oauth2/authorize",
            assertionAudience: issuer, issuer: issuer, refreshConverges: true, repeatsRedirectURI: true,
            authenticatesExchange: true)
        configuration.tokenBase = base
        return configuration
    }

    /// Where tokens are made, if not below ``apiURL``.
    private var tokenBase: String?

    /// `POST`: every grant.
    public var tokenURL: String { (tokenBase ?? apiURL) + "/oauth2/token" }
    /// `POST`: the end of a token (RFC 7009).
    public var revokeURL: String { (tokenBase ?? apiURL) + "/oauth2/revoke" }
    /// Who the bearer of a token is.
    var userURL: String { apiURL + Self.userPath }

    static let userPath = "/2.0/users/me"

    private init(
        apiURL: String, uploadURL: String, authorizeURL: String, assertionAudience: String, issuer: String?,
        refreshConverges: Bool, repeatsRedirectURI: Bool, authenticatesExchange: Bool
    ) {
        self.apiURL = apiURL
        self.uploadURL = uploadURL
        self.authorizeURL = authorizeURL
        self.assertionAudience = assertionAudience
        self.issuer = issuer
        self.refreshConverges = refreshConverges
        self.repeatsRedirectURI = repeatsRedirectURI
        self.authenticatesExchange = authenticatesExchange
    }
}
