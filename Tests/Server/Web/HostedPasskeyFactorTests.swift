import KeyturnAuthenticator
import KeyturnBase
import KeyturnWebAuthn
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("Passkeys in the place of a second factor")
struct HostedPasskeyFactorTests {
    private static let several = "urn:keyturn:acr:mfa"

    private func password(_ device: PasskeyDevice, _ page: ScriptedBrowser.Screen) async throws
        -> ScriptedBrowser.Screen
    {
        try await device.browser.submit(page, ["username": TestServer.username, "password": TestServer.password])
    }

    @Test(arguments: ["authenticator", "recovery", "ways"])
    func `after the password a passkey does for the code`(_ place: String) async throws {
        let server = try await TestServer.startWithPasskeys()
        _ = try await server.giveAuthenticator()
        try await server.addBea()
        var device = PasskeyDevice(server)
        // Not found without being named: the page names it.
        device.authenticator.behaviour.isResident = false
        let passkey = try await server.givePasskey(on: &device)
        let proof = PKCE(ambient: .live)
        var page = try await password(device, try await server.loginPage(device.browser, proof: proof))
        #expect(page.page == "code" && page.url.contains("/login/authenticator"))
        if place != "authenticator" { page = try await device.browser.submit(page, ["action": "other"]) }
        if place == "recovery" { page = try await device.browser.submit(page, ["method": "recovery"]) }
        #expect(page.passkeyOptions?["allowCredentials"]?.arrayValue?.count == 1)

        var bea = PasskeyDevice(server)
        try await server.givePasskey(to: "bea@example.com", on: &bea)
        var anybody = try PublicKeyCredentialRequestOptions(json: try #require(page.passkeyOptions))
        anybody.allowCredentials = []
        let hers = try await device.post(page, try bea.authenticator.authenticate(anybody).json.text)
        #expect(hers.status == 422 && hers.hasProblem && device.browser.cookieJar["keyturn-session"] == nil)
        #expect(hers.url.contains("/login/"), "on the same page")

        let done = try await device.press(hers)
        let claims = try await server.claims(of: done, proof: proof)
        #expect(claims["amr"]?.stringArrayValue == ["pwd", "hwk", "mfa"] && claims["acr"] == .string(Self.several))
        #expect(try await server.passkeys().first { $0.id == passkey.id }?.usedAt != nil)
        await server.stop()
    }

    @Test func `94: an answer to the first page is none to the second`() async throws {
        let server = try await TestServer.startWithPasskeys()
        _ = try await server.giveAuthenticator()
        var device = PasskeyDevice(server)
        try await server.givePasskey(on: &device)
        let login = try await server.loginPage(device.browser)
        let early = try device.answer(login)
        let page = try await password(device, login)
        let refused = try await device.post(page, early)
        #expect(refused.status == 422 && device.browser.cookieJar["keyturn-session"] == nil)
        #expect(try await device.press(refused).status == 303)
        await server.stop()
    }

    @Test
    func `89: an app that wants two factors takes the passkey that is there, and nothing that is set up around it`()
        async throws
    {
        let server = try await TestServer.startWithPasskeys()
        var device = PasskeyDevice(server)
        try await server.givePasskey(on: &device)
        device.browser.cookieJar["keyturn-session"] = nil
        let proof = PKCE(ambient: .live)
        let login = try await server.loginPage(device.browser, proof: proof) { $0.acrValues = Self.several }
        let ways = try await password(device, login)
        #expect(ways.page == "methods" && ways.passkeyOptions != nil && !ways.body.contains("value=\"setup\""))
        #expect(!ways.body.contains("value=\"recovery\""))
        #expect(ways.body.contains("data-without-passkeys"), "a browser without scripts says why it ends here")
        for way in ["setup", "authenticator", "recovery"] {
            #expect(try await device.browser.submit(ways, ["method": way]).page != "totp-setup")
        }
        let claims = try await server.claims(of: try await device.press(ways), proof: proof)
        #expect(claims["amr"]?.stringArrayValue == ["pwd", "hwk", "mfa"])
        await server.stop()
    }

    @Test func `89: whoever has an authenticator sets none up in its place`() async throws {
        let server = try await TestServer.startWithPasskeys()
        _ = try await server.giveAuthenticator()
        var device = PasskeyDevice(server)
        try await server.givePasskey(on: &device)
        let page = try await password(device, try await server.loginPage(device.browser))
        let ways = try await device.browser.submit(page, ["action": "other"])
        #expect(ways.page == "methods" && !ways.body.contains("value=\"setup\""))
        #expect(try await device.browser.submit(ways, ["method": "setup"]).page == "methods")
        await server.stop()
    }

    @Test func `where a code was sent, a passkey is another way, and a forgotten password is none`() async throws {
        let server = try await TestServer.startWithPasskeys()
        var device = PasskeyDevice(server)
        try await server.givePasskey(on: &device)
        let code = try await server.askForCode(device.browser)
        let ways = try await device.browser.submit(code, ["action": "other"])
        #expect(ways.page == "methods" && ways.body.contains("value=\"password\""))
        #expect(try await device.press(ways).status == 303)

        device.browser.cookieJar["keyturn-session"] = nil
        let reset = try await device.browser.submit(
            try await server.openReset(device.browser), ["username": TestServer.username])
        let others = try await device.browser.submit(reset, ["action": "other"])
        #expect(others.passkeyOptions == nil)
        let answer = try device.answer(try await server.loginPage(device.browser))
        let refused = try await device.post(others, answer)
        #expect(refused.page == "error" && device.browser.cookieJar["keyturn-session"] == nil)
        await server.stop()
    }
}
