package import KeyturnBase

/// A connection to a provider of OpenID Connect, or of OAuth 2.0 alone.
public struct OpenIDConnectionSettings: Hashable, Sendable, Codable {
    /// The provider's preset, such as `google`; `nil`: OpenID Connect by ``issuer``.
    public var preset: String?
    /// The issuer, exactly as its discovery document and tokens spell it; a preset has its own.
    public var issuer: String?
    /// Our client identifier at the provider.
    public var clientID: String
    /// Our client secret, or the private key that a preset signs one with (PKCS #8, PEM); `nil`: a public client.
    public var clientSecret: String?
    /// What else the preset needs, such as Apple's `team_id` and `key_id`, GitHub Enterprise's `host`, Microsoft's
    /// `tenant`.
    public var parameters: [String: String]
    /// Asked for beside the preset's.
    public var scopes: [String]
    /// Other audiences of tokens that apps got from the provider themselves (native sign-in).
    public var nativeClientIDs: [String]
    /// The operator's word that a verified address of this provider may link accounts.
    public var trustsEmail: Bool
    /// Endpoints by the names of OpenID Connect Discovery, for providers without a discovery document.
    public var endpoints: [String: String]
    /// Members of the claims by the names that we use, such as `email: mail`.
    public var mapping: [String: String]
    /// `prompt` of each request; empty: none.
    public var prompt: [String]
    /// Whether the provider's tokens are kept, sealed.
    public var keepsTokens: Bool

    public init(
        preset: String? = nil, issuer: String? = nil, clientID: String, clientSecret: String? = nil,
        parameters: [String: String] = [:], scopes: [String] = [], nativeClientIDs: [String] = [],
        trustsEmail: Bool = false, endpoints: [String: String] = [:], mapping: [String: String] = [:],
        prompt: [String] = [], keepsTokens: Bool = false
    ) {
        self.preset = preset
        self.issuer = issuer
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.parameters = parameters
        self.scopes = scopes
        self.nativeClientIDs = nativeClientIDs
        self.trustsEmail = trustsEmail
        self.endpoints = endpoints
        self.mapping = mapping
        self.prompt = prompt
        self.keepsTokens = keepsTokens
    }

    /// What tells the provider, and this server's registration there, from all others. Secrets and keys may change.
    package var registration: JSONValue {
        let told = parameters.filter { !Self.changeable.contains($0.key) }
        return [
            "preset": preset.map(JSONValue.string) ?? .null, "issuer": issuer.map(JSONValue.string) ?? .null,
            "client_id": .string(clientID), "parameters": .object(told.mapValues(JSONValue.string)),
            "endpoints": .object(endpoints.mapValues(JSONValue.string)),
        ]
    }

    private static let changeable: Set = ["key_id", "allowed_tenants", "version"]
}
