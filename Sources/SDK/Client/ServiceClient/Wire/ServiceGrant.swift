internal import KeyturnBase
internal import KeyturnJose
internal import KeyturnVerify
internal import KeyturnWire

/// One request for tokens.
enum ServiceGrant: Sendable {
    case clientCredentials(subject: BoxSubject?, scope: Scope?, resource: [String])
    /// Signed anew for each attempt.
    case assertion(AssertionKey, subject: BoxSubject, scope: Scope?, resource: [String])
    case refresh(Secret)
    case code(Secret, redirectURI: String?, codeVerifier: Secret)
    case exchange(TokenExchangeRequest, isAuthenticated: Bool)

    /// Whether it may be made again although an answer may have been lost.
    func isRepeatable(at configuration: ServiceConfiguration) -> Bool {
        switch self {
        case .clientCredentials, .assertion, .exchange: true
        case .refresh: configuration.refreshConverges
        case .code: false
        }
    }

    /// Whether the application proves who it is.
    var isAuthenticated: Bool {
        if case .exchange(_, let isAuthenticated) = self { isAuthenticated } else { true }
    }

    /// Whether the statement in it can be out of time.
    var isAssertion: Bool {
        if case .assertion = self { true } else { false }
    }

    /// What is asked for.
    ///
    /// - Throws: `configuration.invalid` if the key cannot sign.
    func request(
        by clientID: String?, at configuration: ServiceConfiguration, now: UnixTime, ambient: Ambient
    ) throws(AuthError) -> TokenRequest {
        switch self {
        case .clientCredentials(let subject, let scope, let resource):
            return .clientCredentials(scope: scope?.text, resource: resource, subject: subject)
        case .assertion(let key, let subject, let scope, let resource):
            let assertion = ServiceAssertion(
                issuer: clientID ?? "", subject: subject.id, boxSubjectType: subject.type,
                audience: configuration.assertionAudience, lifetimeSeconds: Limits.assertionSeconds)
            return .jwtBearer(
                assertion: try assertion.signed(with: key, type: "JWT", at: now, ambient: ambient),
                scope: scope?.text, resource: resource)
        case .refresh(let token): return .refreshToken(token)
        case .code(let code, let redirectURI, let codeVerifier):
            return .authorizationCode(code: code, redirectURI: redirectURI, codeVerifier: codeVerifier)
        case .exchange(let exchange, _): return .tokenExchange(exchange)
        }
    }
}
