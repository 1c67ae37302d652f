internal import KeyturnBase
internal import KeyturnWire

extension Service {
    /// Authgear's own service, or a server that speaks its wire.
    ///
    /// Sign-ins ask for full access, as Authgear's SDK does, so the client must be a first-party one. Refresh tokens are
    /// bound to this device if the service takes DPoP proofs (RFC 9449); access tokens are `Bearer`.
    ///
    /// - Parameters:
    ///   - clientID: A native client of the project.
    ///   - endpoint: The project's address, such as `https://myapp.authgear.cloud`, without or with a slash at its end. It
    ///     must be the one that the service names as its issuer: where a project has a domain of its own, that domain.
    ///     Plain `http` only for loopback addresses.
    ///   - isSSOEnabled: Whether apps of this project and the browser share a sign-in. Without it nothing is kept in the
    ///     browser, and sheets of Apple's systems are ephemeral.
    ///   - isPreAuthenticatedURLEnabled: Whether sign-ins also ask for what ``Keyturn/preAuthenticatedURL(opening:as:state:)``
    ///     needs. The client must be allowed to.
    public static func authgear(
        clientID: String, endpoint: String, isSSOEnabled: Bool = false, isPreAuthenticatedURLEnabled: Bool = false
    ) -> Service {
        var issuer = endpoint
        while issuer.hasSuffix("/") { issuer.removeLast() }
        let authgear = AuthgearWire(
            isSSOEnabled: isSSOEnabled, isPreAuthenticatedURLEnabled: isPreAuthenticatedURLEnabled)
        return Service(
            kind: .authgear, issuer: issuer, clientID: clientID, projectID: nil, clientAuthentication: .none,
            defaultScope: authgear.scope, binding: .refreshToken, legacySession: .authgear(name: "default"),
            wire: Wire(
                pageParameter: "x_page", colorSchemeParameter: "x_color_scheme", alwaysSendsIssuer: false,
                canReauthenticateClaim: AuthgearNames.canReauthenticate, authgear: authgear,
                reauthenticatesSession: true, hasSettings: true,
                settingsActions: [
                    .changePassword, .deleteAccount, .addEmail, .addPhone, .addUsername, .changeEmail, .changePhone,
                    .changeUsername, .linkOAuth, .unlinkOAuth,
                ],
                authorizationParameters: authgear.authorizationParameters, hasAnonymousUsers: true))
    }
}

/// What differs at Authgear beyond the names of parameters.
struct AuthgearWire: Sendable {
    /// Whether apps and the browser share a sign-in.
    let isSSOEnabled: Bool
    /// Whether sessions may open pages of web applications signed in.
    let isPreAuthenticatedURLEnabled: Bool

    /// What a sign-in asks for. The order matters: the last scope counts only after the one before it.
    var scope: Scope {
        let usual = [Scope.openID, Scope.offlineAccess, AuthgearNames.fullAccess]
        let more = [AuthgearNames.deviceSSO, AuthgearNames.preAuthenticatedURL]
        return Scope(names: isPreAuthenticatedURLEnabled ? usual + more : usual)
    }

    /// What a reauthentication asks for: it is answered for the session that there is.
    static let reauthenticationScope = Scope(names: [Scope.openID, AuthgearNames.fullAccess])
    /// What a sign-in without an account brings, whatever is asked for.
    static let anonymousScope = settingsScope
    /// What settings ask for.
    static let settingsScope = Scope(names: [Scope.openID, Scope.offlineAccess, AuthgearNames.fullAccess])

    /// Sent with every authorization request. The second is for servers that do not know the first.
    var authorizationParameters: [(name: String, value: String)] {
        var parameters = [(name: "x_sso_enabled", value: isSSOEnabled ? "true" : "false")]
        if !isSSOEnabled { parameters.append((name: "x_suppress_idp_session_cookie", value: "true")) }
        #if os(iOS)
            parameters.append((name: "x_platform", value: "ios"))
        #endif
        return parameters
    }
}
