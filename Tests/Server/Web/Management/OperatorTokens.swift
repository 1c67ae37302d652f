import Authority
import HTTPTypes
import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@testable import Web

/// Operators who call the management interface with their own access token.
extension TestServer {
    /// An operator's access token, from a session with these methods.
    func operatorToken(
        _ client: Client, _ role: ConsoleRole, scope: String = "openid \(Scope.management)",
        methods: [String] = TestServer.strongMethods, ago seconds: Int64 = 0
    ) async throws -> String {
        try await makeOperator(role)
        let browser = browser()
        let cookie = try await sessionCookie(methods: methods, ago: seconds)
        browser.cookieJar["keyturn-session"] = cookie.exposed()
        return try await tokens(client, in: browser) { $0.scope = scope }.accessToken
    }

    func asOperator(
        _ method: String, _ path: String, _ token: String, _ body: String? = nil
    ) async throws -> EndpointAnswer {
        let body = body ?? (method == "GET" ? nil : "{}")
        return try await send(
            method, path, headers: [("Authorization", "Bearer \(token)"), ("Content-Type", "application/json")],
            body: body)
    }
}
