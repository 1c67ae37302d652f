public import KeyturnBase

/// `POST /v1/auth/oauth/authorize`: begins a sign-in at a social provider.
///
/// Provider and address are in the query, and the body is the login options themselves, not `loginOptions`.
public struct SocialStartRequest: Equatable, Sendable {
    /// The provider, such as `google`.
    public var provider: String
    /// Where the browser ends, with `code` or `err` in its query; `nil`: where the project says.
    public var redirectURL: String?
    /// What is asked for beside the sign-in.
    public var options: LoginOptions

    /// A request to begin at a provider.
    public init(provider: String, redirectURL: String? = nil, options: LoginOptions = .none) {
        self.provider = provider
        self.redirectURL = redirectURL
        self.options = options
    }

    /// Reads query and body.
    ///
    /// - Throws: ``MethodProblem/missing(_:)`` without a provider; ``MethodProblem/invalidArguments``.
    public init(query: FormParameters, body: MethodBody) throws(MethodProblem) {
        let query = MethodQuery(query)
        provider = try query.required("provider")
        redirectURL = try query.text("redirectURL", "redirectUrl")
        options = try LoginOptions(body)
    }

    /// The query to send.
    public var query: FormParameters {
        FormParameters(["provider": provider, "redirectURL": redirectURL])
    }
}

/// `POST /v1/auth/sso/authorize`, and `/v1/auth/saml/authorize` with fewer parameters: begins a sign-in at the identity
/// provider of an organisation.
public struct SSOStartRequest: Equatable, Sendable {
    /// The tenant's identifier or name, a domain, or an email address.
    public var tenant: String
    /// Where the browser ends, with `code` or `err` in its query; `nil`: where the project says.
    public var redirectURL: String?
    /// What the provider must or must not ask (`prompt` of OpenID Connect); `nil`: it decides.
    public var prompt: String?
    /// Which of a tenant's configurations; `nil`: the default one.
    public var ssoID: String?
    /// The name to fill in at the provider.
    public var loginHint: String?
    /// Whether the provider must ask the user again.
    public var forcesAuthentication: Bool
    /// What is asked for beside the sign-in.
    public var options: LoginOptions

    /// A request to begin at an organisation's provider.
    public init(
        tenant: String, redirectURL: String? = nil, prompt: String? = nil, ssoID: String? = nil,
        loginHint: String? = nil, forcesAuthentication: Bool = false, options: LoginOptions = .none
    ) {
        self.tenant = tenant
        self.redirectURL = redirectURL
        self.prompt = prompt
        self.ssoID = ssoID
        self.loginHint = loginHint
        self.forcesAuthentication = forcesAuthentication
        self.options = options
    }

    /// Reads query and body.
    ///
    /// - Throws: ``MethodProblem/missing(_:)`` without a tenant; ``MethodProblem/invalidArguments``.
    public init(query: FormParameters, body: MethodBody) throws(MethodProblem) {
        let query = MethodQuery(query)
        tenant = try query.required("tenant")
        redirectURL = try query.text("redirectURL", "redirectUrl")
        prompt = try query.text("prompt")
        ssoID = try query.text("ssoId")
        loginHint = try query.text("loginHint")
        switch try query.text("forceAuthn")?.lowercased() {
        case nil, "false": forcesAuthentication = false
        case "true": forcesAuthentication = true
        default: throw .invalidArguments.saying("The forceAuthn parameter is true or false")
        }
        options = try LoginOptions(body)
    }

    /// The query to send.
    public var query: FormParameters {
        FormParameters([
            "tenant": tenant, "redirectURL": redirectURL, "prompt": prompt, "ssoId": ssoID, "loginHint": loginHint,
            "forceAuthn": forcesAuthentication ? "true" : nil,
        ])
    }
}

/// Where the browser goes for a sign-in at a provider.
public struct FederationStartAnswer: Equatable, Sendable {
    /// The address to open in the user's browser.
    public var url: String

    /// An answer with an address.
    public init(url: String) {
        self.url = url
    }
}

extension FederationStartAnswer: MethodMessage {
    public init(_ body: MethodBody) throws(MethodProblem) {
        url = try body.requiredText("url")
    }

    public var json: JSONValue { ["url": .string(url)] }
}

/// `POST /v1/auth/{oauth,sso,saml}/exchange`: the code with which the browser came back.
public struct ExchangeCodeRequest: Equatable, Sendable {
    /// What the address carried as `code`; counts once.
    public var code: Secret

    /// A request for the session of a code.
    public init(code: Secret) {
        self.code = code
    }
}

extension ExchangeCodeRequest: MethodMessage {
    public init(_ body: MethodBody) throws(MethodProblem) {
        code = try body.requiredSecret("code")
    }

    public var json: JSONValue { ["code": .string(code.exposed())] }
}

/// A query as this wire reads it: a name stands there at most once, and `""` means missing.
struct MethodQuery {
    private let parameters: FormParameters

    init(_ parameters: FormParameters) {
        self.parameters = parameters
    }

    /// The first of the parameters called `names` that holds a text.
    func text(_ names: String...) throws(MethodProblem) -> String? {
        for name in names {
            let values = parameters.values(name)
            guard values.count <= 1 else { throw .invalidArguments.saying("The \(name) parameter is repeated") }
            guard let value = values.first, !value.isEmpty else { continue }
            guard !value.utf8.contains(0) else { throw .invalidArguments.saying("The \(name) parameter holds a zero") }
            return value
        }
        return nil
    }

    /// - Throws: ``MethodProblem/missing(_:)``.
    func required(_ name: String) throws(MethodProblem) -> String {
        guard let value = try text(name) else { throw .missing(name) }
        return value
    }
}
