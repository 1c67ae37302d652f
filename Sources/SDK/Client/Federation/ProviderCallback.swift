internal import KeyturnBase
internal import KeyturnWire

/// The address with which the browser comes back from a sign-in at a provider. Nothing in it is verified.
struct ProviderCallback: Sendable {
    /// What the address must begin with: the redirect address without its query.
    let base: String
    /// What must come back. The wire has no `state`: it travels in the redirect address's own query.
    let state: String

    /// - Throws: `configuration.invalid` for a redirect address that cannot take a query.
    init(redirectURI: String, ambient: Ambient) throws(AuthError) {
        guard let (base, query) = URLText.split(redirectURI), !base.isEmpty, !redirectURI.contains("#"),
            let parameters = try? FormParameters(parsing: query), parameters.values("state").isEmpty
        else { throw AuthError(.misconfigured, "the redirect address must be a URL without a fragment or a state") }
        self.base = String(base)
        state = ambient.randomToken(byteCount: 32)
    }

    /// The redirect address to ask for.
    func redirectURL(_ redirectURI: String) -> String {
        URLText.adding(FormParameters(["state": state]), to: redirectURI)
    }

    /// The code of an address.
    ///
    /// - Throws: `sign_in.callback_mismatch`; `sign_in.cancelled` if the user declined at the provider;
    ///   `server.refused` with what the service said.
    func code(from url: String) throws(AuthError) -> Secret {
        guard url.utf8.count <= Limits.callbackMaxBytes, let (came, query) = URLText.split(url), came == base else {
            throw AuthError(.callbackMismatch, "the callback came to another address")
        }
        let sent: String?
        let code: String?
        let refusal: String?
        do throws(FormProblem) {
            let parameters = try FormParameters(parsing: query)
            sent = try parameters.one("state")
            code = try parameters.one("code")
            let (err, error) = (try parameters.one("err"), try parameters.one("error"))
            refusal = err ?? error
        } catch {
            throw AuthError(.callbackMismatch, "the callback is malformed")
        }
        guard let sent, ConstantTime.equal(Array(sent.utf8), Array(state.utf8)) else {
            throw AuthError(.callbackMismatch, "the callback has another state")
        }
        if let refusal { throw Self.problem(refusal) }
        guard let code, !code.isEmpty, code.utf8.count <= Limits.methodTextMaxBytes else {
            throw AuthError(.callbackMismatch, "the callback has no code")
        }
        return Secret(code)
    }

    /// The address is a redirect's, so that is its status.
    private static func problem(_ text: String) -> AuthError {
        let server = AuthError.ServerAnswer(status: 302, code: Exchange.clean(text, max: 128))
        guard !["access_denied", "cancelled"].contains(text) else {
            return AuthError(.cancelled, "the person declined at the provider", server: server)
        }
        return AuthError(.refused, "the sign-in at the provider failed", server: server)
    }
}

/// A sign-in at a provider, from the first request to the stored session.
struct ProviderSignIn: Sendable {
    let access: MethodAccess
    let browser: any BrowserAgent

    /// - Parameters:
    ///   - path: Of the exchange.
    ///   - redirectURI: Where the browser returns to.
    ///   - begin: Asks for the page; its argument is the redirect address to name.
    func run(
        _ path: String, redirectURI: String, _ begin: @Sendable (String) async throws(AuthError) -> String
    ) async throws(AuthError) -> AuthenticationResponse {
        // The user is not asked for what could not be kept.
        _ = try access.endpoint()
        try await access.keeper.checkStore()
        let webSession = try await browser.prepare(redirectURI: redirectURI)
        let code: Secret
        do throws(AuthError) {
            let callback = try ProviderCallback(redirectURI: webSession.redirectURI, ambient: access.ambient)
            let url = try await begin(callback.redirectURL(webSession.redirectURI))
            code = try callback.code(from: try await webSession.open(url, state: callback.state))
        } catch {
            await webSession.close()
            throw error
        }
        await webSession.close()
        return try await access.prove(path, ExchangeCodeRequest(code: code), showsSession: true)
    }

    /// The page of an answer: it goes to a browser, so it is nothing but the web.
    static func page(_ reply: MethodReply) throws(AuthError) -> String {
        let url = try reply.message(FederationStartAnswer.self).url
        guard url.utf8.count <= Limits.callbackMaxBytes, URLText.isAcceptableEndpoint(url) else {
            throw AuthError(.protocolViolation, "the answer names no page of the web")
        }
        return url
    }
}
