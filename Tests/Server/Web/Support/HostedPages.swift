import Foundation
import Identity
import KeyturnBase
import KeyturnWire
import ServerTesting
import SignIn
import Testing

/// Ways through the hosted pages that several tests take.
extension TestServer {
    /// The login page, in whatever state the request puts it.
    func loginPage(
        _ browser: ScriptedBrowser, proof: PKCE? = nil, _ change: (inout AuthorizationRequest) -> Void = { _ in }
    ) async throws -> ScriptedBrowser.Screen {
        var request = request(TestClients.portal, proof: proof)
        change(&request)
        return try await authorize(request, in: browser)
    }

    func askForCode(
        _ browser: ScriptedBrowser, name: String = TestServer.username, proof: PKCE? = nil,
        _ change: (inout AuthorizationRequest) -> Void = { _ in }
    ) async throws -> ScriptedBrowser.Screen {
        try await browser.submit(
            try await loginPage(browser, proof: proof, change), ["username": name, "action": "code"])
    }

    func askForLink(_ browser: ScriptedBrowser, proof: PKCE? = nil) async throws -> ScriptedBrowser.Screen {
        try await browser.submit(
            try await loginPage(browser, proof: proof), ["username": TestServer.username, "action": "link"])
    }

    func openReset(_ browser: ScriptedBrowser) async throws -> ScriptedBrowser.Screen {
        try await browser.open("/login/reset?transaction=\(transaction(of: try await loginPage(browser)))")
    }

    func openSignUp(_ browser: ScriptedBrowser) async throws -> ScriptedBrowser.Screen {
        try await browser.open("/signup?transaction=\(transaction(of: try await loginPage(browser)))")
    }

    func transaction(of page: ScriptedBrowser.Screen) -> String {
        page.hiddenFields.first { $0.name == "transaction" }?.value ?? ""
    }

    /// The claims of the ID token that a finished sign-in leads to.
    func claims(of screen: ScriptedBrowser.Screen, proof: PKCE?) async throws -> JSONValue {
        let response = try #require(try TestServer.callback(screen))
        guard case .code(let code) = response.outcome else { throw TestFailure("refused: \(response.outcome)") }
        let answer = try await redeem(code, TestClients.portal, proof: proof)
        return TestServer.claims(answer.json["id_token"]?.stringValue.map(Secret.init))
    }
}
