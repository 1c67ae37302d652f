public import KeyturnBase
public import KeyturnWire

/// A registered client with every default filled in.
public struct Client: Hashable, Sendable {
    public let id: String
    /// What it registered, names as in RFC 7591.
    public var metadata: ClientMetadata {
        get { record.metadata }
        set { record = Record(newValue) }
    }
    private var record: Record
    /// Digests of the secrets that are valid now; empty for a public client. Several during a rotation.
    public var secretDigests: [SecretDigest]
    /// Belongs to the operator: no consent page.
    public let isFirstParty: Bool
    /// Audiences whose tokens it may introspect beside its own.
    public let resources: [String]
    /// Audiences that its assertions may name, beside the issuer (RFC 7523 §3).
    public let assertionAudiences: [String]
    /// The longest lifetime of an assertion it presents for a token, in seconds; `nil`: the server's default
    /// (``Limits/grantAssertionSeconds``).
    public let assertionSeconds: Int64?
    /// The users it may act for.
    public let mayImpersonate: [ImpersonationRule]
    /// A set of rules beyond OAuth's own.
    public let profile: ClientProfile
    /// Whether the strict rules hold for its assertions outside FAPI, too: see ``requiresStrictAssertions``.
    public let strictAssertions: Bool
    /// Whether its `backchannel_logout_uri` and `backchannel_client_notification_endpoint` may lie in a private network.
    public let allowsPrivateLogoutAddress: Bool
    /// Registered by the configuration file rather than by hand.
    public let isFromConfiguration: Bool
    /// Whether others had made it before the configuration file named it. Changed only by ``ClientStore``.
    public var wasOthers = false
    /// Its own registration; `nil`: the operator registered it.
    public let registration: ClientRegistration?
    /// When the store got it: no token from before is its own. `nil`: it is not stored, or since before this was recorded.
    public var createdAt: UnixTime?

    public init(
        id: String, metadata: ClientMetadata, secretDigests: [SecretDigest], isFirstParty: Bool = false,
        resources: [String] = [], assertionAudiences: [String] = [], assertionSeconds: Int64? = nil,
        mayImpersonate: [ImpersonationRule] = [], profile: ClientProfile = .standard, strictAssertions: Bool = false,
        allowsPrivateLogoutAddress: Bool = false, isFromConfiguration: Bool = false,
        registration: ClientRegistration? = nil
    ) {
        self.id = id
        record = Record(metadata)
        self.secretDigests = secretDigests
        self.isFirstParty = isFirstParty
        self.resources = resources
        self.assertionAudiences = assertionAudiences
        self.assertionSeconds = assertionSeconds
        self.mayImpersonate = mayImpersonate
        self.profile = profile
        self.strictAssertions = strictAssertions
        self.allowsPrivateLogoutAddress = allowsPrivateLogoutAddress
        self.isFromConfiguration = isFromConfiguration
        self.registration = registration
    }

    /// Some forty members, most of them texts. Every request passes a client around several times: a reference is
    /// cheaper than copies.
    private final class Record: Hashable, Sendable {
        let metadata: ClientMetadata

        init(_ metadata: ClientMetadata) {
            self.metadata = metadata
        }

        static func == (one: Record, other: Record) -> Bool {
            one === other || one.metadata == other.metadata
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(metadata)
        }
    }
}

extension Client {
    /// The name shown on pages.
    public var name: String { metadata.clientName ?? id }

    /// The one way it authenticates (RFC 7591 §2): basic unless registered otherwise; none without a secret.
    public var authenticationMethod: ClientAuthenticationMethod? {
        guard let method = metadata.tokenEndpointAuthMethod else {
            return secretDigests.isEmpty ? ClientAuthenticationMethod.none : .clientSecretBasic
        }
        return ClientAuthenticationMethod(rawValue: method)
    }

    /// Whether ending a session of the app in the settings leaves its biometric keys, as Authgear does.
    public var keepsBiometricKeys: Bool { profile == .authgear }

    /// Whether it cannot keep a secret (RFC 6749 §2.1).
    public var isPublic: Bool { authenticationMethod == ClientAuthenticationMethod.none }

    /// The grants it may use; `authorization_code` unless registered otherwise (RFC 7591 §2).
    public func allows(_ grantType: GrantType) -> Bool {
        (metadata.grantTypes ?? [GrantType.authorizationCode.rawValue]).contains(grantType.rawValue)
    }

    /// The scope it may ask for; everything that the project offers unless registered otherwise.
    public var scope: Scope? { metadata.scope.flatMap(Scope.init) }

    /// The algorithm of its ID tokens; RS256 unless registered otherwise (OpenID Connect Registration §2), which FAPI
    /// 2.0 does not allow (§5.4).
    public var idTokenAlgorithm: String { metadata.idTokenSignedResponseAlg ?? (profile == .fapi2 ? "ES256" : "RS256") }
}
