public import KeyturnBase

/// What a client hands in at the token endpoint, beside its own authentication.
public enum TokenRequest: Sendable {
    /// RFC 6749 §4.1.3, RFC 7636 §4.5.
    case authorizationCode(code: Secret, redirectURI: String?, codeVerifier: Secret?, resource: [String] = [])
    /// RFC 6749 §6. `scope` asks for less than was granted.
    case refreshToken(Secret, scope: String? = nil, resource: [String] = [])
    /// RFC 6749 §4.4.2.
    case clientCredentials(scope: String? = nil, resource: [String] = [], subject: BoxSubject? = nil)
    /// RFC 7523 §2.1.
    case jwtBearer(assertion: Secret, scope: String? = nil, resource: [String] = [])
    /// RFC 8693 §2.1.
    case tokenExchange(TokenExchangeRequest)
    /// RFC 8628 §3.4.
    case deviceCode(Secret)

    /// The parameters to send.
    public var parameters: FormParameters {
        var form = FormParameters()
        switch self {
        case .authorizationCode(let code, let redirectURI, let codeVerifier, let resource):
            form.append("grant_type", GrantType.authorizationCode.rawValue)
            form.append("code", code.exposed())
            form.append("redirect_uri", redirectURI)
            form.append("code_verifier", codeVerifier?.exposed())
            for uri in resource { form.append("resource", uri) }
        case .refreshToken(let token, let scope, let resource):
            form.append("grant_type", GrantType.refreshToken.rawValue)
            form.append("refresh_token", token.exposed())
            form.append("scope", scope)
            for uri in resource { form.append("resource", uri) }
        case .clientCredentials(let scope, let resource, let subject):
            form.append("grant_type", GrantType.clientCredentials.rawValue)
            form.append("scope", scope)
            for uri in resource { form.append("resource", uri) }
            form.append("box_subject_type", subject?.type.rawValue)
            form.append("box_subject_id", subject?.id)
        case .jwtBearer(let assertion, let scope, let resource):
            form.append("grant_type", GrantType.jwtBearer.rawValue)
            form.append("assertion", assertion.exposed())
            form.append("scope", scope)
            for uri in resource { form.append("resource", uri) }
        case .tokenExchange(let exchange):
            form.append("grant_type", GrantType.tokenExchange.rawValue)
            exchange.append(to: &form)
        case .deviceCode(let code):
            form.append("grant_type", GrantType.deviceCode.rawValue)
            form.append("device_code", code.exposed())
        }
        return form
    }
}
