public import KeyturnBase
internal import KeyturnWire

extension Keyturn {
    /// Signs out, and then shows the service's page that ends the browser's own session as well (OpenID Connect
    /// RP-Initiated Logout §2). ``logout(force:)`` leaves that session: the next sign-in in the same browser may ask
    /// nothing.
    ///
    /// The service asks the person first if the ID token does not name the browser's session: after a sign-in by a
    /// method or with a fingerprint, for instance. A browser sheet that shares no cookies has no session to end.
    ///
    /// - Parameters:
    ///   - redirectURI: Where the service sends the browser afterwards, as registered there, with its port;
    ///     `nil`: the service's own page stays, and this returns when it was closed, where the browser tells.
    ///   - uiLocales: Languages of the page, best first, as BCP 47 tags.
    /// - Throws: `service.unsupported` if the service has no such page; `configuration.invalid`,
    ///   `transport.unavailable`, `server.refused` and `store.unavailable`, and nothing was ended, or as
    ///   ``logout(force:)`` says. Once the session here is over: `sign_in.cancelled` if the page was closed before it led
    ///   back, `sign_in.callback_mismatch`, or as the browser. The browser's session may then go on.
    public func logoutInBrowser(redirectURI: String? = nil, uiLocales: [String] = []) async throws(AuthError) {
        let state = ambient.randomToken()
        var webSession: (any WebAuthenticationSession)?
        if let redirectURI { webSession = try await browser.prepare(redirectURI: redirectURI) }
        do throws(AuthError) {
            let address = try await endSessionURL(
                postLogoutRedirectURI: webSession?.redirectURI, state: webSession == nil ? nil : state,
                uiLocales: uiLocales)
            guard let address else {
                throw AuthError(.unsupported, "the service has no page that ends the browser's session")
            }
            try await logout()
            guard let webSession else { return try await browser.show(address) }
            let callbackURL = try await webSession.open(address, state: state)
            guard Self.leadsBack(callbackURL, to: webSession.redirectURI, state) else {
                throw AuthError(.callbackMismatch, "the callback answers no sign-out under way")
            }
            await webSession.close()
        } catch {
            await webSession?.close()
            throw error
        }
    }

    private static func leadsBack(_ callbackURL: String, to redirectURI: String, _ state: String) -> Bool {
        guard callbackURL.utf8.count <= Limits.callbackMaxBytes, let (base, query) = URLText.split(callbackURL),
            base == redirectURI.prefix(while: { $0 != "?" }),
            let form = try? FormParameters(parsing: query), let sent = try? form.one("state")
        else { return false }
        return ConstantTime.equal(Array(sent.utf8), Array(state.utf8))
    }
}
