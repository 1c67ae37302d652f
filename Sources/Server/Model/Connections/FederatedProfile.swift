public import KeyturnBase

/// What an identity provider said about a user, after every check of its protocol passed.
public struct FederatedProfile: Hashable, Sendable {
    /// The provider's identifier: the issuer of OpenID Connect, the entityID of SAML, a constant of ours for providers
    /// that have none.
    public var issuer: String
    /// The user's identifier at the provider: never an address or a name that can be given to another person.
    public var subject: String
    /// The user's name at the provider in plain words, if ``subject`` is made of more: the text of a NameID.
    public var subjectName: String?
    /// Whether the users of one organisation alone sign in at the provider, and it tells them apart by names of the
    /// organisation's own.
    public var isOfOneOrganisation = false
    /// The address as the provider wrote it; `nil`: none was told.
    public var email: String?
    /// How far the provider's word about ``email`` goes.
    public var emailTrust: EmailTrust
    /// With a leading `+`; never trusted.
    public var phone: String?
    /// `name`, `given_name`, `family_name`, `picture`, `locale`, `preferred_username`, by OpenID Connect's names (Core
    /// §5.1).
    public var claims: [String: JSONValue]
    /// Groups or roles by the provider's names. `nil`: the provider has more than it tells, or tells none at all by its
    /// nature; that changes no role. A list that is not there is empty.
    public var groups: [String]?
    /// When the user authenticated at the provider; `nil`: it does not say.
    public var authenticatedAt: UnixTime?
    /// When the provider said it, if an app or a browser brings it, which may have kept it for a while; `nil`: it came
    /// just now.
    public var issuedAt: UnixTime?
    /// `acr`, or the AuthnContextClassRef.
    public var context: String?
    /// `amr` (RFC 8176).
    public var methods: [String]
    /// The provider's session: `sid`, or the SessionIndex.
    public var session: String?
    /// What messages of single logout call the user: see ``FederatedOrigin/providerName``.
    public var sessionName: String?
    /// When the provider's session ends (SessionNotOnOrAfter); `nil`: it does not say.
    public var sessionEndsAt: UnixTime?
    /// What counts once: a user signs in with it only if it was not used before.
    public var replay: ReplayMark?
    /// Everything that was told, for mapping: at most 16 KiB.
    public var raw: [String: JSONValue]
    /// The provider's tokens, if the connection keeps them.
    public var tokens: ProviderTokens?

    /// How far a provider's word about an address goes.
    public enum EmailTrust: String, Hashable, Sendable {
        /// The provider controls the mailbox's domain, or checks addresses again: it may link accounts.
        case trusted
        /// It was verified once, or by another: good for messages, not for linking.
        case verified
        /// Anything else.
        case unverified
        /// The provider says that it is not verified.
        case denied
    }

    public init(
        issuer: String, subject: String, email: String? = nil, emailTrust: EmailTrust = .unverified,
        phone: String? = nil, claims: [String: JSONValue] = [:], groups: [String]? = nil,
        authenticatedAt: UnixTime? = nil, context: String? = nil, methods: [String] = [], session: String? = nil,
        sessionEndsAt: UnixTime? = nil, raw: [String: JSONValue] = [:]
    ) {
        self.issuer = issuer
        self.subject = subject
        self.email = email
        self.emailTrust = emailTrust
        self.phone = phone
        self.claims = claims
        self.groups = groups
        self.authenticatedAt = authenticatedAt
        self.context = context
        self.methods = methods
        self.session = session
        self.sessionEndsAt = sessionEndsAt
        self.raw = raw
    }
}
