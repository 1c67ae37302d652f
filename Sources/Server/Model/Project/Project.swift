public import Authority
package import KeyturnWire

/// One isolated set of users, clients, keys and policy: its configuration.
public struct Project: Sendable {
    public let id: String
    /// The name shown on pages.
    public let name: String
    /// Its issuer identifier, exactly as in tokens.
    public let issuer: String
    /// Lifetime of an access token, in seconds.
    public let accessTokenSeconds: Int64
    /// How long a grant lives unused, in seconds.
    public let idleSeconds: Int64
    /// How long a grant lives at most, in seconds.
    public let absoluteSeconds: Int64
    /// Days without a session after which an anonymous user is removed.
    public let anonymousPurgeDays: Int
    /// Days after which an event of the audit log is removed.
    public let auditRetentionDays: Int
    public let passwordPolicy: PasswordPolicy
    /// Forbidden passwords, beside the common ones; `nil`: no list.
    public let breachedPasswords: BreachedPasswords?
    /// The server's signature algorithms; the first is that of access tokens.
    public let signingAlgorithms: [String]
    /// The allowed resources of access tokens (RFC 8707); `nil`: any, since the resource itself must decide.
    public let resources: Set<String>?
    /// The types of `authorization_details` that may be requested (RFC 9396 §10); none unless listed.
    public let authorizationDetailTypes: [String]
    /// Sign-ins on the pages that differ from the built-in one.
    public let journeys: [Journey]
    /// What is done about unusual sign-ins.
    public let risk: RiskSettings
    /// Whether the operator has a push service that tells users of requests for a sign-in.
    public let hasPushService: Bool
    /// What the operator loosened or tightened of the rules about who may do what.
    public let authority: AuthorityPolicy
    /// What happens to a session whose refresh tokens two clients use in turn.
    public let shadowedSessions: ShadowedSessions
    /// The realms below this server, each with its own issuer; `nil`: none. Set where the services are put together.
    package var realms: KeyServiceSettings?

    public init(
        id: String, name: String, issuer: String, accessTokenSeconds: Int64 = 600, idleSeconds: Int64 = 2_592_000,
        absoluteSeconds: Int64 = 31_536_000, anonymousPurgeDays: Int = Limits.anonymousPurgeDays,
        auditRetentionDays: Int = Limits.auditRetentionDays,
        passwordPolicy: PasswordPolicy = PasswordPolicy(),
        breachedPasswords: BreachedPasswords? = nil,
        signingAlgorithms: [String] = ["ES256", "RS256"], resources: Set<String>? = nil,
        authorizationDetailTypes: [String] = [], journeys: [Journey] = [], risk: RiskSettings = RiskSettings(),
        hasPushService: Bool = false, authority: AuthorityPolicy = AuthorityPolicy(),
        shadowedSessions: ShadowedSessions = .tell
    ) {
        precondition(!signingAlgorithms.isEmpty, "something must sign")
        self.id = id
        self.name = name
        self.issuer = issuer
        self.accessTokenSeconds = accessTokenSeconds
        self.idleSeconds = idleSeconds
        self.absoluteSeconds = absoluteSeconds
        self.anonymousPurgeDays = anonymousPurgeDays
        self.auditRetentionDays = auditRetentionDays
        self.passwordPolicy = passwordPolicy
        self.breachedPasswords = breachedPasswords
        self.signingAlgorithms = signingAlgorithms
        self.resources = resources
        self.authorizationDetailTypes = authorizationDetailTypes
        self.journeys = journeys
        self.risk = risk
        self.hasPushService = hasPushService
        self.authority = authority
        self.shadowedSessions = shadowedSessions
    }

    /// The journey of a name; `nil`: there is none.
    public func journey(_ name: String) -> Journey? { journeys.first { $0.name == name } }

    /// The address of the token endpoint, which some clients name as the audience of their assertions.
    package var tokenEndpoint: String {
        (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + Self.tokenPath
    }

    static let tokenPath = "/oauth2/token"

    /// The types of `authorization_details` that a client may request: the project's, or those of them that it
    /// registered.
    package func detailTypes(of client: Client) -> [String] {
        guard let registered = client.metadata.authorizationDetailsTypes else { return authorizationDetailTypes }
        return authorizationDetailTypes.filter(registered.contains)
    }

    /// Whether tokens may be for a resource: which one, the operator may change.
    package func allows(resource uri: String) -> Bool { resources?.contains(uri) ?? true }

    /// The resources that are not this server itself: what a user is asked about. This server keeps to a token's scope.
    package func othersResources(_ uris: some Sequence<String>) -> Set<String> { Set(uris).subtracting([issuer]) }

    /// The resource indicators of a request, checked (RFC 8707 §2).
    ///
    /// - Throws: `invalid_target` for one that is no absolute URI without fragment, or that the project does not know.
    package func checkedResources(_ uris: [String]) throws(OAuthProblem) -> [String] {
        guard uris.count <= Limits.resourcesMax else { throw OAuthProblem(.invalidTarget, "too many resources") }
        for uri in uris {
            guard RedirectURI.flaw(in: uri) == nil, uri.utf8.count <= Limits.resourceBytesMax else {
                throw OAuthProblem(.invalidTarget, "a resource is an absolute URI without a fragment")
            }
            guard allows(resource: uri) else {
                throw OAuthProblem(.invalidTarget, "this server issues no tokens for that resource")
            }
        }
        return uris
    }
}
