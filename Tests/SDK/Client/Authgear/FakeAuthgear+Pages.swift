import KeyturnBase
import KeyturnClientAuthenticator
import KeyturnJose
import KeyturnVerify
import KeyturnWire

@testable import Keyturn

/// The authorization endpoint, and the person in front of it.
extension FakeAuthgear {
    /// What Authgear's SDK sends, and beside it `state` and `nonce`, which are defined by OpenID Connect.
    private static let known: Set<String> = [
        "response_type", "client_id", "redirect_uri", "scope", "code_challenge", "code_challenge_method", "state",
        "nonce", "prompt", "login_hint", "id_token_hint", "ui_locales", "x_color_scheme", "max_age", "x_page",
        "x_settings_action", "x_settings_action_query", "x_oauth_provider_alias", "x_authentication_flow_group",
        "x_state", "x_sso_enabled", "x_suppress_idp_session_cookie", "dpop_jkt", "response_mode",
        "x_pre_authenticated_url_token",
    ]

    /// Follows an authorization request, and comes back with the callback.
    func follow(_ url: String) throws -> String {
        guard url.hasPrefix(Self.origin + "/oauth2/authorize?") else { throw Refusal("invalid_request", url) }
        let form = try FormParameters(parsing: String(url.split(separator: "?", maxSplits: 1)[1]))
        let page = Dictionary(form.all.map { ($0.name, $0.value) }) { _, second in second + " (repeated)" }
        notePage(page)
        guard Set(page.keys).isSubset(of: Self.known) else {
            throw Refusal("invalid_request", "\(Set(page.keys).subtracting(Self.known))")
        }
        let callback = page["redirect_uri"] ?? ""
        if let pageError {
            self.pageError = nil
            return callback + "?error=\(pageError)&error_description=no" + (page["state"].map { "&state=\($0)" } ?? "")
        }
        guard page["scope"]?.split(separator: " ").contains("openid") == true else {
            throw Refusal("invalid_scope", page["scope"] ?? "")
        }
        guard page["prompt"] != "none" || page["max_age"] == nil else { throw Refusal("invalid_request", "max_age") }
        let (subject, session) = try person(page)
        guard page["response_type"] != "none" else { return callback }
        guard page["code_challenge_method"] == "S256", let challenge = page["code_challenge"] else {
            throw Refusal("invalid_request", "no code challenge")
        }
        let code = next("code")
        codes[code] = Code(
            challenge: challenge, redirectURI: callback, nonce: page["nonce"], scope: page["scope"] ?? "",
            thumbprint: page["dpop_jkt"], session: page["max_age"] == nil ? nil : session, subject: subject,
            isAction: page["response_type"] == SettingsAction.responseType)
        return callback + "?code=\(code)" + (page["state"].map { "&state=\($0)" } ?? "")
    }

    /// Who signs in on the page, and whose session the page knows.
    private func person(_ page: [String: String]) throws -> (subject: String, session: String?) {
        var hinted: String?
        if let hint = page["id_token_hint"] {
            let claims = try JSONValue(parsing: UnverifiedJWS(hint).unverifiedPayload)
            guard let id = claims["sid"]?.stringValue, let expiresAt = claims["exp"]?.integerValue,
                sessions[id] != nil, clock.now.rawValue < expiresAt
            else { throw Refusal("invalid_request", "the hint is too old: an ordinary sign-in page") }
            hinted = id
        }
        guard let hint = page["login_hint"] else {
            // Nobody is asked where the page is told not to.
            guard page["prompt"] != "none" else { throw Refusal("login_required", "") }
            return (subject, hinted)
        }
        let prefix = "https://authgear.com/login_hint?"
        guard hint.hasPrefix(prefix) else { return (subject, hinted) }
        let form = try FormParameters(parsing: String(hint.dropFirst(prefix.count)))
        switch try form.one("type") {
        case "app_session_token":
            guard let token = try form.one("app_session_token"), let id = appSessions.removeValue(forKey: token),
                let session = sessions[id]
            else { throw Refusal("invalid_request", "app session token") }
            return (session.subject, id)
        case "anonymous":
            let user = try anonymousUser(try form.one("jwt"), action: "promote")
            keys = keys.filter { $0.value.subject != user }
            return (user, nil)
        default: throw Refusal("invalid_request", hint)
        }
    }
}

/// A browser whose user signs in, or closes whatever is shown.
struct AuthgearBrowser: BrowserAgent {
    let server: FakeAuthgear
    var closes = false
    /// What becomes of the callback on its way back.
    var bend: @Sendable (String) -> String = { $0 }

    func prepare(redirectURI: String) async throws(AuthError) -> any WebAuthenticationSession {
        Session(browser: self, redirectURI: redirectURI)
    }

    struct Session: WebAuthenticationSession {
        let browser: AuthgearBrowser
        let redirectURI: String

        func open(_ url: String, state: String) async throws(AuthError) -> String {
            do {
                let callback = try await browser.server.follow(url)
                // A page without a callback is read until it is closed.
                guard !browser.closes, redirectURI != "nocallback://settings/closed" else {
                    throw AuthError(.cancelled, "the sheet was closed")
                }
                return browser.bend(callback)
            } catch let error as AuthError {
                throw error
            } catch {
                throw AuthError(.protocolViolation, "the page: \(error)")
            }
        }

        func close() async {}
    }
}

/// One device, and Authgear.
struct AuthgearWorld: Sendable {
    let clock = VirtualClock()
    let server: FakeAuthgear
    let store = FragileStore()
    let device = SoftwareBiometrics()

    static let redirectURI = "com.example.harbour://host/path"
    static let prompt = BiometricPrompt(reason: "to sign in")

    init() {
        server = FakeAuthgear(clock)
    }

    func container(
        _ name: String = "default", service: Service? = nil, storage: SessionStorage? = nil, closes: Bool = false,
        bend: @escaping @Sendable (String) -> String = { $0 }
    ) -> Keyturn {
        Keyturn(
            service ?? .authgear(clientID: FakeAuthgear.clientID, endpoint: FakeAuthgear.origin), name: name,
            storage: storage ?? .custom(store), browser: AuthgearBrowser(server: server, closes: closes, bend: bend),
            biometricDevice: device, transport: server, ambient: clock.ambient)
    }

    func signedIn(_ name: String = "default", service: Service? = nil) async throws -> Keyturn {
        let auth = container(name, service: service)
        try await auth.authorize(redirectURI: Self.redirectURI)
        return auth
    }

    var pages: [[String: String]] { get async { await server.pages } }
}
