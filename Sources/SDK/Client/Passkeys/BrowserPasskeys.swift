public import KeyturnBase
public import KeyturnWebAuthn
internal import KeyturnWire

/// The person's browser as an authenticator: a page of the service performs the ceremony there, with passkeys, phones
/// and security keys alike, and the answer comes back to this program.
///
/// For command line tools and other programs that have no authenticator of their own. Works with the methods that end
/// with a session at a Keyturn server; other services have no such page.
public struct BrowserPasskeys: PasskeyAuthenticator {
    private let browser: any BrowserAgent
    private let redirectURI: String
    private let ambient: Ambient

    /// - Parameters:
    ///   - browser: Shows the page and receives the answer.
    ///   - redirectURI: Where the answer comes to; on the loopback interface its port is chosen when it is needed.
    ///   - ambient: Randomness, for the request's state.
    public init(
        _ browser: any BrowserAgent, redirectURI: String = "http://127.0.0.1/passkey", ambient: Ambient = .live
    ) {
        self.browser = browser
        self.redirectURI = redirectURI
        self.ambient = ambient
    }

    /// Autofill and upgrades have no place here: a page must be shown.
    public var availability: PasskeyAvailability {
        get async { PasskeyAvailability(passkeys: true, securityKeys: true) }
    }

    public func create(
        _ options: PublicKeyCredentialCreationOptions, in ceremony: PasskeyCeremony
    ) async throws(AuthError) -> RegistrationResponse {
        let json = try await openBrowser(ceremony)
        do throws(WebAuthnProblem) {
            let response = try RegistrationResponse(json: json)
            try Self.check(response.unverifiedChallenge, options.challenge)
            return response
        } catch {
            throw Self.unusable(error)
        }
    }

    public func get(
        _ options: PublicKeyCredentialRequestOptions, in ceremony: PasskeyCeremony
    ) async throws(AuthError) -> KeyturnWebAuthn.AuthenticationResponse {
        let json = try await openBrowser(ceremony)
        do throws(WebAuthnProblem) {
            let response = try KeyturnWebAuthn.AuthenticationResponse(json: json)
            try Self.check(response.unverifiedChallenge, options.challenge)
            return response
        } catch {
            throw Self.unusable(error)
        }
    }

    private func openBrowser(_ ceremony: PasskeyCeremony) async throws(AuthError) -> JSONValue {
        guard !ceremony.isConditional else { throw .passkeyNeedsPrompt("a browser must show its page") }
        guard let page = ceremony.page else {
            throw .passkeyUnavailable("this service has no page that performs a passkey ceremony for a program")
        }
        let webSession = try await browser.prepare(redirectURI: redirectURI)
        let state = ambient.randomToken()
        var query = FormParameters()
        query.append("transaction", page.name)
        query.append("redirect_uri", webSession.redirectURI)
        query.append("state", state)
        let base = String(page.baseURL.reversed().drop { $0 == "/" }.reversed())
        let callback: String
        do throws(AuthError) {
            callback = try await webSession.open(URLText.adding(query, to: base + "/passkey"), state: state)
        } catch {
            await webSession.close()
            throw error
        }
        await webSession.close()
        return try Self.response(in: callback, redirectURI: webSession.redirectURI, state: state)
    }

    /// What the page sent back.
    static func response(
        in callback: String, redirectURI: String, state: String
    ) throws(AuthError) -> JSONValue {
        guard callback.utf8.count <= Limits.callbackMaxBytes, let (base, query) = URLText.split(callback),
            base == redirectURI.prefix(while: { $0 != "?" }), let form = try? FormParameters(parsing: query),
            let sent = try? form.one("state"), ConstantTime.equal(Array(sent.utf8), Array(state.utf8))
        else { throw AuthError(.callbackMismatch, "the callback does not belong to this ceremony") }
        if let code = try? form.one("error") { throw failure(PasskeyClientCode(rawValue: code)) }
        guard let text = try? form.one("response"), let bytes = Base64URL.decode(text),
            let json = try? JSONValue(parsing: bytes)
        else { throw PasskeyEndpoint.malformed("the page's answer is not JSON in base64url") }
        return json
    }

    /// What a page's code means here.
    static func failure(_ code: PasskeyClientCode) -> AuthError {
        let detail = "the page could not perform the ceremony"
        return switch code {
        case .canceledByUser: .passkeyCancelled("the person gave up, or did not answer in time")
        case .timeout: .passkeyTimeout
        case .invalidDomain: .passkey(.passkeyDomain, code, .failed, detail)
        case .webauthnUnavailable: .passkey(.passkeyUnavailable, code, .unsupportedOnPlatform, detail)
        case .apiUnsupported: .passkey(.passkeyUnavailable, code, .unsupportedOnPlatform, detail)
        case .networkError: .passkey(.unavailable, code, .networkInterruption, detail)
        case .serverError: .passkey(.unavailable, code, .serverError, detail)
        case .badRequest: .passkey(.refused, code, .badRequest, detail)
        case .browserBug: .passkey(.passkeyFailed, code, .invalidResponse, detail)
        default: .passkey(.passkeyFailed, .unexpected, .unknown, detail)
        }
    }

    private static func check(_ answered: [UInt8]?, _ asked: [UInt8]) throws(WebAuthnProblem) {
        guard answered == asked else { throw WebAuthnProblem(.challengeMismatch, "it answers another challenge") }
    }

    private static func unusable(_ problem: WebAuthnProblem) -> AuthError {
        AuthError(
            .passkeyFailed, problem.detail, cause: PasskeyError(.browserBug, .invalidResponse))
    }
}
