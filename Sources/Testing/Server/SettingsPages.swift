internal import KeyturnWire

/// Visits to the settings, as a person makes them.
extension TestServer {
    /// Opens a page, and signs in where that is asked.
    package func visit(
        _ path: String, in browser: ScriptedBrowser, as username: String = TestServer.username,
        password: String = TestServer.password
    ) async throws -> ScriptedBrowser.Screen {
        let screen = try await browser.open(path)
        guard screen.page == "login" else { return screen }
        return try await browser.submit(screen, ["username": username, "password": password])
    }

    /// Sends one of the forms of a page: its own mark, and these fields.
    package func send(
        _ screen: ScriptedBrowser.Screen, in browser: ScriptedBrowser, _ fields: KeyValuePairs<String, String?>
    )
        async throws -> ScriptedBrowser.Screen
    {
        var form = FormParameters()
        for name in ["csrf", "transaction"] {
            if let field = screen.hiddenFields.first(where: { $0.name == name }) { form.append(name, field.value) }
        }
        for (name, value) in fields { form.append(name, value) }
        return try await browser.post(screen.formAction ?? screen.url, form)
    }
}

extension ScriptedBrowser.Screen {
    /// Whether the page says that something is wrong.
    package var hasProblem: Bool { body.contains("role=\"alert\"") }
    /// Whether it says that something was done.
    package var hasNotice: Bool { body.contains("role=\"status\"") }

    /// Values of a form's hidden field, in the order of the page.
    package func hidden(_ name: String) -> [String] { hiddenFields.filter { $0.name == name }.map(\.value) }
}
