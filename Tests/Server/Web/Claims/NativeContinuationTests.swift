import Foundation
import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

/// RFC 8252 §8.6: a program that claims an app's loopback address or scheme gets nothing by the browser's session alone.
@Suite("Native apps: nothing is answered silently")
struct NativeContinuationTests {
    /// A browser that is signed in, by another app.
    private func signedIn(_ server: TestServer) async throws -> ScriptedBrowser {
        let browser = server.browser()
        _ = try await server.signIn(TestClients.portal, proof: nil, in: browser)
        return browser
    }

    private static func app(_ redirectURI: String, isFirstParty: Bool = true, secret: String? = nil) -> Client {
        TestClients.make(
            "native", method: secret == nil ? "none" : "client_secret_post", secret: secret, firstParty: isFirstParty
        ) { $0.redirectURIs = [redirectURI] }
    }

    private func ask(
        _ client: Client, _ server: TestServer, in browser: ScriptedBrowser,
        _ change: (inout AuthorizationRequest) -> Void = { _ in }
    ) async throws -> ScriptedBrowser.Screen {
        var request = server.request(client, proof: PKCE(ambient: .live))
        request.scope = "openid profile"
        change(&request)
        return try await server.authorize(request, in: browser)
    }

    @Test(arguments: [
        "http://127.0.0.1/callback", "http://[::1]/callback", "http://localhost:9000/callback",
        "https://localhost/callback", "com.example.app:/callback",
    ])
    func `a signed-in browser shows a page, and prompt=none says so`(_ redirectURI: String) async throws {
        let client = Self.app(redirectURI)
        let server = try await TestServer.start(clients: [client])
        let browser = try await signedIn(server)
        let silent = try await ask(client, server, in: browser) { $0.prompt = "none" }
        #expect(try TestServer.callback(silent)?.refusal == .interactionRequired)
        let page = try await ask(client, server, in: browser)
        #expect(page.page == "continue" && page.status == 200)
        #expect(page.body.contains("Continue to Client native?") && page.body.contains("Andy Rhoads"))
        #expect(page.body.components(separatedBy: "<h1").count == 2)
        // Browsers follow the answer of a form to no other place than the policy names.
        let origin =
            redirectURI.contains("://")
            ? String(redirectURI.split(separator: "/").prefix(2).joined(separator: "//")) : "com.example.app:"
        #expect(page.header("content-security-policy")?.contains("form-action 'self' \(origin)") == true)
        let answer = try await browser.submit(page, ["action": "continue"])
        #expect(answer.header("location")?.hasPrefix(redirectURI) == true)
        #expect(try TestServer.callback(answer)?.code != nil)
        #expect(try await ask(client, server, in: browser).page == "continue", "each time")
        await server.stop()
    }

    @Test func `to refuse is access_denied, and another account signs in instead`() async throws {
        let client = Self.app("com.example.app:/callback")
        let server = try await TestServer.start(clients: [client])
        try await server.addBea()
        let browser = try await signedIn(server)
        let page = try await ask(client, server, in: browser)
        let refused = try await browser.submit(page, ["action": "deny"])
        #expect(try TestServer.callback(refused)?.refusal == .accessDenied)
        let login = try await browser.submit(try await ask(client, server, in: browser), ["action": "other"])
        #expect(login.page == "login")
        let answer = try await browser.submit(
            login, ["username": "bea@example.com", "password": TestServer.password])
        #expect(try TestServer.callback(answer)?.code != nil, "whoever has just signed in has acted")
        await server.stop()
    }

    @Test func `no other site continues for the user, and no other action does`() async throws {
        let client = Self.app("com.example.app:/callback")
        let server = try await TestServer.start(clients: [client])
        let browser = try await signedIn(server)
        let page = try await ask(client, server, in: browser)
        let sealed = try #require(page.hiddenFields.first { $0.name == "transaction" }?.value)
        let forged = try await browser.post(
            "/continue", FormParameters(["transaction": sealed, "action": "continue", "csrf": "forged"]))
        #expect(forged.status == 403 && forged.header("location") == nil)
        for action in ["allow", "", "none"] {
            let again = try await browser.submit(page, ["action": action])
            #expect(again.page == "continue", "\(action)")
        }
        // Nor does its address alone.
        #expect(try await browser.open("/continue?transaction=\(sealed)&action=continue").page == "continue")
        await server.stop()
    }

    @Test func `who proves the app, or has just signed in here, is not asked`() async throws {
        let confidential = Self.app("http://127.0.0.1/callback", secret: TestClients.webSecret)
        let claimed = TestClients.make("claimed", method: "none", secret: nil, firstParty: true) {
            $0.redirectURIs = ["https://app.example/callback"]
        }
        let tool = TestClients.tool
        let server = try await TestServer.start(clients: [confidential, claimed])
        let browser = try await signedIn(server)
        for client in [confidential, claimed] {
            let silent = try await ask(client, server, in: browser) { $0.prompt = "none" }
            #expect(try TestServer.callback(silent)?.code != nil)
        }
        let fresh = server.browser()
        let login = try await ask(tool, server, in: fresh)
        let answer = try await fresh.submit(
            login, ["username": TestServer.username, "password": TestServer.password])
        #expect(try TestServer.callback(answer)?.code != nil)
        // Also where the user of an older session was asked again in this request.
        let again = try await ask(tool, server, in: fresh) { $0.prompt = "login" }
        let later = try await fresh.submit(
            again, ["username": TestServer.username, "password": TestServer.password])
        #expect(try TestServer.callback(later)?.code != nil)
        await server.stop()
    }

    @Test func `another company's app asks once for consent, and afterwards to continue`() async throws {
        let client = Self.app("com.example.app:/callback", isFirstParty: false)
        let server = try await TestServer.start(clients: [client])
        let browser = try await signedIn(server)
        let consent = try await ask(client, server, in: browser)
        #expect(consent.page == "consent")
        #expect(try TestServer.callback(try await browser.submit(consent, ["action": "allow"]))?.code != nil)
        let page = try await ask(client, server, in: browser)
        #expect(page.page == "continue")
        #expect(
            try TestServer.callback(try await ask(client, server, in: browser) { $0.prompt = "none" })?.refusal
                == .interactionRequired)
        await server.stop()
    }
}
