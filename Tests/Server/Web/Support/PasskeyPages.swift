import Foundation
import Identity
import KeyturnAuthenticator
import KeyturnBase
import KeyturnWebAuthn
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

/// A browser on a device that keeps passkeys, with scripts as far as pages need them.
struct PasskeyDevice: Sendable {
    let browser: ScriptedBrowser
    var authenticator: SoftwareAuthenticator

    init(_ server: TestServer, _ behaviour: SoftwareAuthenticator.Behaviour = .init()) {
        browser = server.browser()
        var behaviour = behaviour
        behaviour.origin = server.issuer
        authenticator = SoftwareAuthenticator(ambient: .live, behaviour: behaviour)
    }

    /// What a script answers to the page's button, as the text of a form's field.
    mutating func answer(_ screen: ScriptedBrowser.Screen) throws -> String {
        let options = try #require(screen.passkeyOptions)
        if screen.body.contains("data-passkey=\"create\"") {
            let asked = try PublicKeyCredentialCreationOptions(json: options)
            return try authenticator.register(asked).json.text
        }
        return try authenticator.authenticate(try PublicKeyCredentialRequestOptions(json: options)).json.text
    }

    /// Presses the page's button.
    mutating func press(_ screen: ScriptedBrowser.Screen, action: String = "passkey") async throws
        -> ScriptedBrowser.Screen
    {
        try await post(screen, try answer(screen), action: action)
    }

    /// Posts an answer as the script does: with the marks of the form, and nothing that was typed.
    func post(_ screen: ScriptedBrowser.Screen, _ answer: String, action: String = "passkey") async throws
        -> ScriptedBrowser.Screen
    {
        var form = FormParameters()
        for name in ["transaction", "csrf"] {
            if let field = screen.hiddenFields.first(where: { $0.name == name }) { form.append(name, field.value) }
        }
        form.append("action", action)
        form.append("passkey", answer)
        return try await browser.post(screen.formAction ?? screen.url, form)
    }
}

extension PasskeyDevice {
    /// Opens a page, and signs in with a passkey where that is asked.
    mutating func visit(_ path: String) async throws -> ScriptedBrowser.Screen {
        let screen = try await browser.open(path)
        return screen.page == "login" ? try await press(screen) : screen
    }

    /// The same passkeys in a browser that has not been here before.
    func elsewhere(_ server: TestServer) -> PasskeyDevice {
        var device = PasskeyDevice(server)
        device.authenticator = authenticator
        return device
    }
}

extension TestServer {
    /// A server at an address that has passkeys.
    static func startWithPasskeys(
        channels: Set<DeliveryMethod> = [.email, .sms], relyingParties: [RelyingParty] = []
    ) async throws -> TestServer {
        try await start(issuer: "http://localhost:8080", channels: channels, relyingParties: relyingParties)
    }

    /// The owner of an account, signed in a moment ago.
    func owner(_ name: String = TestServer.username) async throws -> AccountOwner {
        let account = try #require(try await account(name))
        let facts = AuthenticationFacts(time: clock.now, methods: ["pwd", "otp", "hwk", "mfa"], contextClass: "test")
        let (_, cookie) = try #require(
            try await services.signIn.openSession(for: account.user, facts, replacing: nil))
        return try #require(try await services.signIn.owner(of: cookie))
    }

    /// Gives somebody a passkey, kept by the device.
    @discardableResult
    func givePasskey(to name: String = TestServer.username, on device: inout PasskeyDevice) async throws
        -> StoredPasskey
    {
        let owner = try await owner(name)
        let options = try #require(try await services.methods.passkeys.beginAdding(to: owner))
        let answer = try device.authenticator.register(try PublicKeyCredentialCreationOptions(json: options.publicKey))
        return try await services.methods.passkeys.finishAdding(answer.json, to: owner)
    }

    func passkeys(of user: UserID = TestServer.subject) async throws -> [StoredPasskey] {
        try await services.methods.passkeys.passkeys(of: user)
    }
}

extension ScriptedBrowser.Screen {
    /// What the page's button asks the browser for.
    var passkeyOptions: JSONValue? { json(of: "data-options") }

    /// What the page tells the device, by the name of the method.
    var signals: [String: JSONValue] {
        var found: [String: JSONValue] = [:]
        for match in body.matches(of: #/data-signal="([^"]*)" data-details="([^"]*)"/#) {
            found[String(match.1)] = try? JSONValue(parsing: Array(Self.unescaped(match.2).utf8))
        }
        return found
    }

    func json(of attribute: String) -> JSONValue? {
        guard let start = body.range(of: "\(attribute)=\"") else { return nil }
        let text = body[start.upperBound...].prefix { $0 != "\"" }
        return try? JSONValue(parsing: Array(Self.unescaped(text).utf8))
    }

    private static func unescaped(_ text: Substring) -> String {
        String(text).replacing("&quot;", with: "\"").replacing("&#39;", with: "'").replacing("&lt;", with: "<")
            .replacing("&gt;", with: ">").replacing("&amp;", with: "&")
    }
}

extension JSONValue {
    var text: String { String(decoding: serialized, as: UTF8.self) }
}
