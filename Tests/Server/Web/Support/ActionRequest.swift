import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

/// What an app sends a user to the settings for, in its own session and in the browser's.
struct ActionRequest {
    let server: TestServer
    let browser: ScriptedBrowser

    /// Opens the page of an action, with the ID token of a session of this browser.
    func open(_ action: String, _ extra: [(String, String)] = []) async throws -> ScriptedBrowser.Screen {
        let idToken = try await server.tokens(TestClients.tool, in: browser).idToken
        return try await open(action, extra, hint: nil, idToken: idToken)
    }

    /// Opens the page of an action in the app's own session, in a browser that knows no user.
    ///
    /// - Parameter refreshToken: of that session; `nil`: a new one.
    func openInApp(
        _ action: String, _ extra: [(String, String)] = [], session refreshToken: String? = nil
    ) async throws -> ScriptedBrowser.Screen {
        var refreshToken = refreshToken
        if refreshToken == nil { refreshToken = try await server.tokens(TestClients.tool).refreshToken }
        let body: JSONValue = ["refresh_token": .string(refreshToken ?? "")]
        let answer = try await server.send(
            "POST", "/oauth2/app_session_token", headers: [("Content-Type", "application/json")],
            body: String(decoding: body.serialized, as: UTF8.self))
        let token = try #require(answer.json["result"]?["app_session_token"]?.stringValue, "\(answer.body)")
        let hint = AuthgearNames.loginHint([("type", "app_session_token"), ("app_session_token", token)])
        return try await open(action, extra, hint: hint, idToken: nil)
    }

    private func open(
        _ action: String, _ extra: [(String, String)], hint: String?, idToken: String?
    ) async throws -> ScriptedBrowser.Screen {
        var request = server.request(TestClients.tool, proof: PKCE(ambient: .live))
        request.responseType = SettingsAction.responseType
        request.loginHint = hint
        request.idTokenHint = idToken
        request.extra.append(SettingsAction.parameter, action)
        for (name, value) in extra { request.extra.append(name, value) }
        return try await server.authorize(request, in: browser)
    }

    /// Whether the browser ended at the app, with a code.
    static func isDone(_ screen: ScriptedBrowser.Screen) throws -> Bool {
        guard let answer = try TestServer.callback(screen), case .code = answer.outcome else { return false }
        return true
    }

    /// The error with which the browser ended at the app.
    static func error(_ screen: ScriptedBrowser.Screen) throws -> String? {
        guard case .refused(let problem)? = try TestServer.callback(screen)?.outcome else { return nil }
        return problem.code.rawValue
    }
}
