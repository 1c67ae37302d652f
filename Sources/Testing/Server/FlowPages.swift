package import Model

/// Walks through the pages of a flow, as a web view without scripts would.
package struct FlowPages: Sendable {
    private let browser: ScriptedBrowser

    package init(_ browser: ScriptedBrowser) {
        self.browser = browser
    }

    /// A project with the flow `welcome`, which asks for an attribute, and one that other clients alone may use.
    package static func project(_ issuer: String) -> Project {
        let team = JourneyField(
            "team", isClaim: false, .text(length: 1...40, mask: nil), label: LocalizedText(["en": "Team"]))
        let steps = [
            JourneyStep("who", .identify(allowsSignUp: true), next: "proof"),
            JourneyStep("proof", .prove(JourneyProof()), next: "more"),
            JourneyStep("more", .collect(JourneyForm([team])), next: "done"), JourneyStep("done", .done),
        ]
        return Project(
            id: "test", name: "Test", issuer: issuer,
            journeys: [
                Journey(name: "welcome", steps: steps), Journey(name: "private", clients: ["tool"], steps: steps),
            ])
    }

    /// Signs in with the password and fills in the form: the last page of a flow, or the redirect to a client.
    package func signIn(_ url: String) async throws -> ScriptedBrowser.Screen {
        try await signIn(try await browser.open(url))
    }

    /// From the first page.
    package func signIn(_ login: ScriptedBrowser.Screen) async throws -> ScriptedBrowser.Screen {
        let form = try await toForm(login)
        guard form.page == "journey-step" else { return form }
        return try await browser.submit(form, ["field-team": "Blue"])
    }

    /// As far as the form that follows the password.
    package func toForm(_ url: String) async throws -> ScriptedBrowser.Screen {
        try await toForm(try await browser.open(url))
    }

    private func toForm(_ login: ScriptedBrowser.Screen) async throws -> ScriptedBrowser.Screen {
        guard login.page == "login" else { return login }
        let form = try await browser.submit(
            login, ["username": TestServer.username, "password": TestServer.password])
        guard form.page == "journey-step" else {
            throw TestFailure("the form did not come, but \(form.page ?? "none"), status \(form.status)")
        }
        return form
    }
}
