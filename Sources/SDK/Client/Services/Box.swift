internal import KeyturnBase
internal import KeyturnWire

extension Service {
    /// Box, or a server that speaks its wire: a person gives the app access on Box's page.
    ///
    /// Plain OAuth 2.0: there is no ID token (``SignInResult/idToken`` is `nil`), and who signed in is asked of the
    /// API. Each sign-in has a `state` and PKCE all the same. Backends use ``ServiceClient``. The session
    /// that Box's SDK left on this device is taken over, see ``Service/importing(_:)``.
    ///
    /// - Parameters:
    ///   - clientID: The application.
    ///   - clientSecret: Its secret, which Box wants of every application; sent in the form. Someone who takes an app
    ///     apart finds it: an app that is handed out should have a backend redeem its codes.
    ///   - configuration: Where the service is.
    public static func box(
        clientID: String, clientSecret: String?, configuration: ServiceConfiguration = .box
    ) -> Service {
        Service(
            kind: .box, issuer: configuration.apiURL, clientID: clientID, projectID: nil,
            clientAuthentication: .secret(orNone: clientSecret), defaultScope: .none, binding: .none,
            legacySession: .box(), wire: Wire(alwaysSendsIssuer: false, endpoints: configuration))
    }

    /// Whether sign-ins end with an ID token (OpenID Connect Core §3.1.3.3).
    var issuesIDTokens: Bool { wire.endpoints == nil }
}

extension ServiceConfiguration {
    /// What a discovery document would say.
    ///
    /// - Throws: `configuration.invalid` for an address without protection.
    func metadata() throws(AuthError) -> ServerMetadata {
        guard [authorizeURL, tokenURL, revokeURL, userURL].allSatisfy(URLText.isAcceptableEndpoint) else {
            throw AuthError(.misconfigured, "the service's addresses must be https URLs")
        }
        var metadata = ServerMetadata(issuer: apiURL)
        metadata.authorizationEndpoint = authorizeURL
        metadata.tokenEndpoint = tokenURL
        metadata.revocationEndpoint = revokeURL
        metadata.userinfoEndpoint = userURL
        metadata.tokenEndpointAuthMethodsSupported = [ClientAuthenticationMethod.clientSecretPost.rawValue]
        return metadata
    }
}

/// What Box's API says about a person (`GET /2.0/users/me`).
enum BoxUserAnswer {
    /// The same in OpenID Connect's words, beside Box's own; `nil` if it names no user.
    static func claims(_ json: JSONValue) -> [String: JSONValue]? {
        guard var claims = json.objectValue, let id = claims["id"]?.stringValue, !id.isEmpty else { return nil }
        claims["sub"] = .string(id)
        // What people sign in with at Box is their address, which Box has checked.
        claims["email"] = claims["login"]
        return claims
    }
}
