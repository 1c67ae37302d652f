package import KeyturnAuthenticator
package import KeyturnBase
internal import KeyturnWebAuthn
internal import KeyturnWire

/// A browser on a device that keeps passkeys, with scripts as far as pages need them.
package struct PasskeyDevice: Sendable {
    package let browser: ScriptedBrowser
    package var authenticator: SoftwareAuthenticator

    package init(_ server: TestServer, _ behaviour: SoftwareAuthenticator.Behaviour = .init()) {
        browser = server.browser()
        var behaviour = behaviour
        behaviour.origin = server.issuer
        authenticator = SoftwareAuthenticator(ambient: .live, behaviour: behaviour)
    }

    /// What a script answers to the page's button, as the text of a form's field.
    package mutating func answer(_ screen: ScriptedBrowser.Screen) throws -> String {
        guard let options = screen.passkeyOptions else { throw TestFailure("\(screen.page ?? "") asks for no passkey") }
        if screen.body.contains("data-passkey=\"create\"") {
            let asked = try PublicKeyCredentialCreationOptions(json: options)
            return Self.text(try authenticator.register(asked).json)
        }
        return Self.text(try authenticator.authenticate(try PublicKeyCredentialRequestOptions(json: options)).json)
    }

    private static func text(_ json: JSONValue) -> String { String(decoding: json.serialized, as: UTF8.self) }

    /// Presses the page's button.
    package mutating func press(_ screen: ScriptedBrowser.Screen, action: String = "passkey") async throws
        -> ScriptedBrowser.Screen
    {
        try await post(screen, try answer(screen), action: action)
    }

    /// Posts an answer as the script does: with the marks of the form, and nothing that was typed.
    package func post(_ screen: ScriptedBrowser.Screen, _ answer: String, action: String = "passkey") async throws
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
    package mutating func visit(_ path: String) async throws -> ScriptedBrowser.Screen {
        let screen = try await browser.open(path)
        return screen.page == "login" ? try await press(screen) : screen
    }

    /// The same passkeys in a browser that has not been here before.
    package func elsewhere(_ server: TestServer) -> PasskeyDevice {
        var device = PasskeyDevice(server)
        device.authenticator = authenticator
        return device
    }
}

extension ScriptedBrowser.Screen {
    /// What the page's button asks the browser for.
    package var passkeyOptions: JSONValue? { json(of: "data-options") }

    /// What the page tells the device, by the name of the method.
    package var signals: [String: JSONValue] {
        var found: [String: JSONValue] = [:]
        for match in body.matches(of: #/data-signal="([^"]*)" data-details="([^"]*)"/#) {
            found[String(match.1)] = try? JSONValue(parsing: Array(String(match.2).unescapedHTML.utf8))
        }
        return found
    }

    package func json(of attribute: String) -> JSONValue? {
        Self.attribute(attribute, in: body[...]).flatMap { try? JSONValue(parsing: Array($0.utf8)) }
    }
}
