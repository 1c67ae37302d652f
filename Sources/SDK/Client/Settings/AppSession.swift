internal import KeyturnBase
internal import KeyturnWire

/// Authgear's pages know the user by the app's session, which a token takes into the browser.
extension Keyturn {
    /// A `login_hint` with which one page is opened in this session.
    ///
    /// - Throws: `session.signed_out`; `session.ended` if the service says that the session is over;
    ///   `service.unsupported` for a session without a refresh token.
    func appSessionHint() async throws(AuthError) -> String {
        for isLast in [false, true] {
            _ = try await keeper.start()
            guard let record = await keeper.machine.record else {
                throw AuthError(.signedOut, "nobody is signed in")
            }
            guard let token = record.refreshToken else {
                throw AuthError(.unsupported, "pages are opened with a refresh token, and there is none")
            }
            do throws(AuthError) {
                let hint = try await provider.appSessionToken(token, boundTo: record.keyThumbprint)
                return AuthgearNames.loginHint([("type", "app_session_token"), ("app_session_token", hint)])
            } catch {
                // The token may have been replaced meanwhile. Whether the session is over, its renewal says.
                guard ["InvalidGrant", "invalid_grant"].contains(error.server?.code), !isLast else { throw error }
                _ = try await forceRefresh()
            }
        }
        throw AuthError(.unavailable, "the session changed while a page was opened: try again")
    }

    /// The address that opens a page of Authgear's settings, signed in.
    func authgearSettingsURL(
        _ page: SettingsMethods.Page, _ wishes: FormParameters
    ) async throws(AuthError) -> String {
        let hint = try await appSessionHint()
        guard let endpoint = try await provider.metadata().authorizationEndpoint else {
            throw AuthError(.protocolViolation, "the discovery document names no authorization endpoint")
        }
        var request = AuthorizationRequest(clientID: service.clientID)
        request.responseType = "none"
        request.scope = AuthgearWire.settingsScope.text
        request.prompt = Prompt.none.rawValue
        request.loginHint = hint
        request.redirectURI = URLText.adding(wishes, to: try await provider.pagesOrigin() + page.authgearPath)
        for parameter in service.wire.authorizationParameters {
            request.extra.append(parameter.name, parameter.value)
        }
        return URLText.adding(request.parameters, to: endpoint)
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
