public import KeyturnBase

/// `settings` of `POST /v1/mgmt/sso/oidc`, and `oidc` of what is loaded: an organisation's provider of OpenID Connect.
/// A write replaces everything.
public struct SSOOpenIDSettings: Equatable, Sendable {
    /// The name that is shown.
    public var name: String?
    /// Our client identifier at the provider.
    public var clientID: String?
    /// Our client secret; masked in answers.
    public var clientSecret: Secret?
    /// The issuer, exactly as the provider spells it.
    public var issuer: String?
    /// Where the browser ends if an app names no address.
    public var redirectURL: String?
    /// The authorization endpoint; `nil`: the issuer's discovery says.
    public var authorizationURL: String?
    /// The token endpoint; `nil`: the issuer's discovery says.
    public var tokenURL: String?
    /// The UserInfo endpoint; `nil`: the issuer's discovery says.
    public var userDataURL: String?
    /// The address of the provider's keys; `nil`: the issuer's discovery says.
    public var keysURL: String?
    /// What is asked for.
    public var scope: [String]
    /// `prompt` of each request.
    public var prompt: [String]
    /// Claims of the provider by the names of this wire (`loginId`, `name`, `givenName`, …).
    public var mapping: [String: String]
    /// Whether the provider's tokens are kept.
    public var managesProviderTokens: Bool
    /// The domain of the callback, of another service's set-up.
    public var callbackDomain: String?
    /// `authorization_code` or `implicit`; `nil`: the first.
    public var grantType: String?
    /// Whether PKCE is used; `nil`: as it was.
    public var usesPKCE: Bool?
    /// Members that are given and have no place here, such as `fgaMappings`.
    public var others: Set<String>

    /// Settings of a client at an issuer.
    public init(issuer: String?, clientID: String?, clientSecret: Secret? = nil, scope: [String] = []) {
        self.issuer = issuer
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.scope = scope
        prompt = []
        mapping = [:]
        managesProviderTokens = false
        others = []
    }

    private static let foreign = ["groupsPriority", "fgaMappings"]
}

extension SSOOpenIDSettings: MethodMessage {
    public init(_ body: MethodBody) throws(MethodProblem) {
        self.init(
            issuer: try body.text("issuer"), clientID: try body.text("clientId"),
            clientSecret: try body.secret("clientSecret"), scope: try body.texts("scope"))
        name = try body.text("name")
        redirectURL = try body.text("redirectUrl")
        authorizationURL = try body.text("authUrl")
        tokenURL = try body.text("tokenUrl")
        userDataURL = try body.text("userDataUrl")
        keysURL = try body.text("JWKsUrl")
        prompt = try body.texts("prompt")
        mapping = try body.mapping("userAttrMapping")
        managesProviderTokens = try body.flag("manageProviderTokens") ?? false
        callbackDomain = try body.text("callbackDomain")
        grantType = try body.text("grantType")
        usesPKCE = try body.flag("usePkce")
        others = body.given(of: Self.foreign)
    }

    /// Names every member that is loaded; `usePkce` only if it is said.
    public var json: JSONValue {
        var members: [String: JSONValue] = [
            "name": .string(name ?? ""), "clientId": .string(clientID ?? ""),
            "clientSecret": .string(clientSecret?.exposed() ?? ""), "issuer": .string(issuer ?? ""),
            "redirectUrl": .string(redirectURL ?? ""), "authUrl": .string(authorizationURL ?? ""),
            "tokenUrl": .string(tokenURL ?? ""), "userDataUrl": .string(userDataURL ?? ""),
            "JWKsUrl": .string(keysURL ?? ""), "scope": .array(scope.map { .string($0) }),
            "prompt": .array(prompt.map { .string($0) }),
            "userAttrMapping": .object(mapping.mapValues { .string($0) }),
            "manageProviderTokens": .bool(managesProviderTokens), "callbackDomain": .string(callbackDomain ?? ""),
            "grantType": .string(grantType ?? ""),
        ]
        members.add("usePkce", usesPKCE)
        return .object(members)
    }
}

extension MethodBody {
    /// An object of texts; members that are `null` or empty are left out.
    func mapping(_ name: String) throws(MethodProblem) -> [String: String] {
        var result: [String: String] = [:]
        for (member, value) in try object(name) where value != .null && value != "" {
            guard let text = value.stringValue else {
                throw .invalidArguments.saying("The \(name) field holds texts only")
            }
            result[member] = text
        }
        return result
    }

    /// Those of the members called `names` that say anything.
    func given(of names: [String]) -> Set<String> {
        Set(
            names.filter { name in
                switch members[name] {
                case nil, .null, .string(""), .object([:]), .array([]), .bool(false): false
                default: true
                }
            })
    }
}
