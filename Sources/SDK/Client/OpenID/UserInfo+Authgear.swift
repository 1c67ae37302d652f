public import KeyturnBase
internal import KeyturnWire

/// What Authgear tells its own apps about a person beside OpenID Connect's claims.
extension UserInfo {
    /// Whether the person has no account yet; `nil`: the service does not say.
    public var isAnonymous: Bool? { claims[AuthgearNames.isAnonymous]?.boolValue }
    /// Whether an address or a number was shown to be the person's; `nil`: the service does not say.
    public var isVerified: Bool? { claims[AuthgearNames.isVerified]?.boolValue }
    /// Whether the person has anything to prove again who they are with; `nil`: the service does not say.
    public var canReauthenticate: Bool? { claims[AuthgearNames.canReauthenticate]?.boolValue }
    /// Whether the person has recovery codes; `nil`: the service does not say.
    public var isRecoveryCodeEnabled: Bool? { claims[AuthgearNames.recoveryCodeEnabled]?.boolValue }
    /// The keys of the person's roles; empty if nothing is told.
    public var roles: [String] { claims[AuthgearNames.roles]?.stringArrayValue ?? [] }
    /// What the operator keeps about the person; empty if nothing is told.
    public var customAttributes: [String: JSONValue] {
        claims[AuthgearNames.customAttributes]?.objectValue ?? [:]
    }
    /// What the person proves with who they are; empty if nothing is told.
    public var authenticators: [Authenticator] {
        (claims[AuthgearNames.authenticators]?.arrayValue ?? []).compactMap(\.objectValue).map(Authenticator.init)
    }
    /// What the person is known by; empty if nothing is told.
    public var identities: [Identity] {
        (claims[AuthgearNames.identities]?.arrayValue ?? []).compactMap(\.objectValue).map(Identity.init)
    }

    /// One thing that a person proves with who they are.
    public struct Authenticator: Hashable, Sendable {
        /// `password`, `oob_otp_email`, `oob_otp_sms`, `totp`, `passkey`, or one that came later; `nil`: not told.
        public let type: String?
        /// `primary` or `secondary`; `nil`: not told.
        public let kind: String?
        /// When it was set up; `nil`: not told.
        public let createdAt: UnixTime?
        /// When it last changed; `nil`: not told.
        public let updatedAt: UnixTime?

        init(_ members: [String: JSONValue]) {
            type = members["type"]?.stringValue
            kind = members["kind"]?.stringValue
            createdAt = members["created_at"]?.stringValue.flatMap(InternetTime.parse)
            updatedAt = members["updated_at"]?.stringValue.flatMap(InternetTime.parse)
        }
    }

    /// One thing that a person is known by.
    public struct Identity: Hashable, Sendable {
        /// `login_id`, `oauth`, `anonymous`, `biometric`, `passkey`, or one that came later; `nil`: not told.
        public let type: String?
        /// The operator's name for the kind of login identifier; `nil`: it is none.
        public let loginIDKey: String?
        /// `email`, `phone` or `username`; `nil`: it is no login identifier.
        public let loginIDType: String?
        /// The kind of another provider, such as `google`; `nil`: there is none.
        public let providerType: String?
        /// The operator's name for another provider, for ``SettingsMethods/Change/unlinkProvider(_:)``; `nil`: none.
        public let providerAlias: String?
        /// When it was added; `nil`: not told.
        public let createdAt: UnixTime?
        /// When it last changed; `nil`: not told.
        public let updatedAt: UnixTime?

        init(_ members: [String: JSONValue]) {
            type = members["type"]?.stringValue
            loginIDKey = members["login_id_key"]?.stringValue
            loginIDType = members["login_id_type"]?.stringValue
            providerType = members["oauth_provider_type"]?.stringValue
            providerAlias = members["oauth_provider_alias"]?.stringValue
            createdAt = members["created_at"]?.stringValue.flatMap(InternetTime.parse)
            updatedAt = members["updated_at"]?.stringValue.flatMap(InternetTime.parse)
        }
    }
}
