public import KeyturnBase
public import KeyturnVerify
public import KeyturnWire

/// A person's way to give an application access, for programs that show the page and take the callback by themselves:
/// a web application, for one. Apps use ``Keyturn`` with `Service.box(…)`.
///
/// ```swift
/// let authorization = try ServiceAuthorization(application, redirectURI: callback)
/// session["box"] = authorization.saved
/// // send the browser to authorization.url, and when it comes back:
/// let restored = try ServiceAuthorization(saved: session["box"], application: application)
/// let tokens = try await restored.redeem(callbackURL: url)
/// let client = ServiceClient(.threeLegged(uniqueID: user, tokens: tokens), application: application, store: store)
/// ```
///
/// Each has a `state` and PKCE (RFC 7636) of its own; neither is an option.
public struct ServiceAuthorization: Sendable {
    /// Where to send the browser.
    public let url: String
    /// What the callback must bring back.
    public let state: String
    private let redirectURI: String
    private let proofKey: PKCE
    private let endpoint: ServiceTokenEndpoint

    /// - Parameters:
    ///   - application: Who asks for access.
    ///   - redirectURI: Where the browser returns to, as registered at the service.
    ///   - scope: What to ask for; `nil`: what the application was given.
    ///   - configuration: Where the service is.
    ///   - transport: Carries the requests; `nil`: a URL session of its own.
    ///   - ambient: Clock and randomness.
    /// - Throws: `configuration.invalid` for an authorization page without protection.
    public init(
        _ application: ServiceApplication, redirectURI: String, scope: Scope? = nil,
        configuration: ServiceConfiguration = .box, transport: (any HTTPTransport)? = nil, ambient: Ambient = .live
    ) throws(AuthError) {
        guard URLText.isAcceptableEndpoint(configuration.authorizeURL) else {
            throw AuthError(.misconfigured, "the authorization page must be an https URL")
        }
        state = ambient.randomToken()
        proofKey = PKCE(ambient: ambient)
        self.redirectURI = redirectURI
        endpoint = Self.endpoint(application, configuration, transport, ambient)
        let form = FormParameters([
            "response_type": "code", "client_id": application.clientID, "redirect_uri": redirectURI,
            "state": state, "code_challenge": proofKey.codeChallenge, "code_challenge_method": PKCE.method,
            "scope": scope?.text,
        ])
        url = URLText.adding(form, to: configuration.authorizeURL)
    }

    /// Goes on with what ``saved`` kept, in this process or in another one of the same application.
    ///
    /// - Parameters:
    ///   - saved: What ``saved`` was.
    ///   - application: Who asks for access; as at first.
    ///   - configuration: Where the service is; as at first.
    ///   - transport: Carries the requests; `nil`: a URL session of its own.
    ///   - ambient: Clock and randomness.
    /// - Throws: `argument.invalid` if it is not such a value.
    public init(
        saved: Secret, application: ServiceApplication, configuration: ServiceConfiguration = .box,
        transport: (any HTTPTransport)? = nil, ambient: Ambient = .live
    ) throws(AuthError) {
        guard saved.exposed().utf8.count <= Limits.savedAuthorizationMaxBytes,
            let json = try? JSONValue(parsing: Array(saved.exposed().utf8)), let url = json["url"]?.stringValue,
            let state = json["state"]?.stringValue, let redirectURI = json["redirect_uri"]?.stringValue,
            let proofKey = json["code_verifier"]?.stringValue.flatMap(PKCE.init(codeVerifier:))
        else { throw AuthError(.invalidArgument, "this is no saved authorization") }
        self.url = url
        self.state = state
        self.redirectURI = redirectURI
        self.proofKey = proofKey
        endpoint = Self.endpoint(application, configuration, transport, ambient)
    }

    /// All that the callback needs, for a web application of several processes: kept in the browser's session, where the
    /// callback finds it. A secret, for its PKCE verifier: in a cookie only if it is encrypted.
    public var saved: Secret {
        let json: JSONValue = [
            "url": .string(url), "state": .string(state), "redirect_uri": .string(redirectURI),
            "code_verifier": .string(proofKey.codeVerifier.exposed()),
        ]
        return Secret(String(decoding: json.serialized, as: UTF8.self))
    }

    private static func endpoint(
        _ application: ServiceApplication, _ configuration: ServiceConfiguration, _ transport: (any HTTPTransport)?,
        _ ambient: Ambient
    ) -> ServiceTokenEndpoint {
        ServiceTokenEndpoint(
            configuration: configuration, application: application, transport: transport ?? URLSessionTransport(),
            clock: ServiceClock(ambient), ambient: ambient, pause: { try await Task.sleep(for: $0) })
    }

    /// Takes the URL that the browser was sent to, and trades the code in it for tokens. Each callback counts once.
    ///
    /// - Throws: `sign_in.callback_mismatch` if it answers another request; `sign_in.cancelled` if the person gave up or
    ///   refused; `server.refused`; `transport.unavailable`, after which the code may be spent: begin again.
    public func redeem(callbackURL: String) async throws(AuthError) -> ServiceTokens {
        let (base, response) = try Callback.parse(callbackURL)
        guard base == redirectURI.prefix(while: { $0 != "?" }) else {
            throw AuthError(.callbackMismatch, "the callback came to another redirect URI")
        }
        guard let sent = response.state, ConstantTime.equal(Array(sent.utf8), Array(state.utf8)) else {
            throw AuthError(.callbackMismatch, "the callback has another state")
        }
        let configuration = endpoint.configuration
        guard response.issuer == nil || configuration.issuer == nil || response.issuer == configuration.issuer else {
            throw AuthError(.callbackMismatch, "the callback comes from another issuer (RFC 9207)")
        }
        guard case .code(let code) = response.outcome else {
            guard case .refused(let problem) = response.outcome else { preconditionFailure("a code or a refusal") }
            throw Callback.error(problem)
        }
        let grant = ServiceGrant.code(
            Secret(code), redirectURI: configuration.repeatsRedirectURI ? redirectURI : nil,
            codeVerifier: proofKey.codeVerifier)
        return try ServiceTokens(answer: try await endpoint.ask(grant), at: endpoint.ambient.now())
    }
}

extension ServiceAuthorization: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Shows nothing.
    public var description: String { "ServiceAuthorization" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
