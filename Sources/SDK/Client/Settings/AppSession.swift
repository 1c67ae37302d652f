internal import KeyturnBase
internal import KeyturnWire

/// Pages know the user by the app's session, which a token takes into the browser: at Authgear, and at Keyturn.
extension Keyturn {
    /// A `login_hint` with which one page is opened in this session.
    ///
    /// - Throws: `session.signed_out`; `session.ended` if the service says that the session is over;
    ///   `service.unsupported` for a session without a refresh token.
    func appSessionHint() async throws(AuthError) -> String {
        let hint = try await presentingSession { (token, thumbprint) async throws(AuthError) in
            try await provider.appSessionToken(
                at: try await provider.metadata().appSessionTokenEndpoint, token, boundTo: thumbprint)
        }
        return AuthgearNames.loginHint([("type", "app_session_token"), ("app_session_token", hint)])
    }

    /// Makes a call with the session's refresh token, which is not spent, and the key that it is bound to; once more if the
    /// token was replaced meanwhile.
    ///
    /// - Throws: `session.signed_out`; `session.ended` if the service says that the session is over;
    ///   `service.unsupported` for a session without a refresh token; what the call throws.
    func presentingSession<Answer: Sendable>(
        _ call: (_ refreshToken: String, _ thumbprint: String?) async throws(AuthError) -> Answer
    ) async throws(AuthError) -> Answer {
        for isLast in [false, true] {
            _ = try await keeper.start()
            guard let record = await keeper.machine.record else {
                throw AuthError(.signedOut, "nobody is signed in")
            }
            guard let token = record.refreshToken else {
                throw AuthError(.unsupported, "this is done with a refresh token, and there is none")
            }
            do throws(AuthError) {
                return try await call(token, record.keyThumbprint)
            } catch {
                // The token may have been replaced meanwhile. Whether the session is over, its renewal says.
                guard ["InvalidGrant", "invalid_grant"].contains(error.server?.code), !isLast else { throw error }
                _ = try await forceRefresh()
            }
        }
        throw AuthError(.unavailable, "the session changed meanwhile: try again")
    }

    /// ``appSessionHint()`` where the service is a Keyturn server that takes this session into a browser; `nil`: the
    /// browser's own session counts there, because the server is older, or the app is not the operator's own.
    func ownAppSessionHint() async throws(AuthError) -> String? {
        guard service.wire.takesAppSessions, try await keeper.start().isSignedIn,
            try await provider.metadata().appSessionTokenEndpoint != nil,
            await keeper.machine.record?.refreshToken != nil
        else { return nil }
        do throws(AuthError) {
            return try await appSessionHint()
        } catch {
            let code = error.server?.code
            guard error == AuthError(.unsupported, "") || ["SessionNotAllowed", "insufficient_scope"].contains(code)
            else {
                throw error
            }
            return nil
        }
    }

    /// The address that opens a page of the settings, signed in.
    ///
    /// - Parameter hint: ``appSessionHint()``.
    func settingsURL(
        _ page: SettingsMethods.Page, _ wishes: FormParameters, _ hint: String
    ) async throws(AuthError) -> String {
        guard let endpoint = try await provider.metadata().authorizationEndpoint else {
            throw AuthError(.protocolViolation, "the discovery document names no authorization endpoint")
        }
        var request = AuthorizationRequest(clientID: service.clientID)
        request.responseType = "none"
        let isAuthgear = service.wire.authgear != nil
        request.scope = isAuthgear ? AuthgearWire.settingsScope.text : Scope.openID
        request.prompt = Prompt.none.rawValue
        request.loginHint = hint
        let address = isAuthgear ? try await provider.pagesOrigin() + page.authgearPath : settingsAddress(page)
        request.redirectURI = URLText.adding(wishes, to: address)
        for parameter in service.wire.authorizationParameters {
            request.extra.append(parameter.name, parameter.value)
        }
        return URLText.adding(request.parameters, to: endpoint)
    }

    /// The address of a page of a Keyturn server's settings.
    func settingsAddress(_ page: SettingsMethods.Page) -> String {
        let issuer = service.issuer
        return (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + page.rawValue
    }
}

extension SettingsMethods.Page {
    /// Authgear's name for the page.
    fileprivate var authgearPath: String {
        switch self {
        case .identifiers: "/settings/identities"
        default: rawValue
        }
    }
}
