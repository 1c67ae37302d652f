package import Model

/// Walks through the pages of a flow, as a web view without scripts would.
package struct FlowPages: Sendable {
    private let browser: ScriptedBrowser

    package init(_ browser: ScriptedBrowser) {
        self.browser = browser
    }

    /// A project with the flow `welcome`, which asks for an attribute, and one that other clients alone may use.
    package static func project(_ issuer: String) -> Project {
        Project(
            id: "test", name: "Test", issuer: issuer,
            journeys: [
                Journey(name: "welcome", steps: steps()),
                Journey(name: "private", clients: ["tool"], steps: steps()),
            ])
    }

    /// A project with the flow `plans`, which asks for an attribute if the app says that the plan is a team's.
    package static func projectOfPlans(_ issuer: String) -> Project {
        let plans = Journey(name: "plans", steps: steps(when: .input("plan", ["team"])))
        return Project(id: "test", name: "Test", issuer: issuer, journeys: [plans])
    }

    /// A project whose flow `welcome` is for users who have an account.
    package static func projectOfMembers(_ issuer: String) -> Project {
        Project(
            id: "test", name: "Test", issuer: issuer,
            journeys: [Journey(name: "welcome", steps: steps(allowsSignUp: false))])
    }

    private static func steps(
        allowsSignUp: Bool = true, when condition: JourneyCondition? = nil
    ) -> [JourneyStep] {
        let team = JourneyField(
            "team", isClaim: false, .text(length: 1...40, mask: nil), label: LocalizedText(["en": "Team"]))
        return [
            JourneyStep("who", .identify(allowsSignUp: allowsSignUp), next: "proof"),
            JourneyStep("proof", .prove(JourneyProof()), next: "more"),
            JourneyStep("more", .collect(JourneyForm([team])), when: condition, next: "done"),
            JourneyStep("done", .done),
        ]
    }

    /// Signs in with the password and fills in the form: the last page of a flow, or the redirect to a client.
    package func signIn(_ url: String) async throws -> ScriptedBrowser.Screen {
        try await signIn(try await browser.open(url))
    }

    /// From the first page.
    package func signIn(_ login: ScriptedBrowser.Screen) async throws -> ScriptedBrowser.Screen {
        try await pastForm(try await toForm(login))
    }

    /// Past the form, where there is one.
    package func pastForm(_ form: ScriptedBrowser.Screen) async throws -> ScriptedBrowser.Screen {
        guard form.page == "journey-step" else { return form }
        return try await browser.submit(form, ["field-team": "Blue"])
    }

    /// What follows the password.
    package func pastPassword(_ login: ScriptedBrowser.Screen) async throws -> ScriptedBrowser.Screen {
        try await browser.submit(login, ["username": TestServer.username, "password": TestServer.password])
    }

    /// As far as the form that follows the password.
    package func toForm(_ url: String) async throws -> ScriptedBrowser.Screen {
        try await toForm(try await browser.open(url))
    }

    private func toForm(_ login: ScriptedBrowser.Screen) async throws -> ScriptedBrowser.Screen {
        guard login.page == "login" else { return login }
        let form = try await pastPassword(login)
        guard form.page == "journey-step" else {
            throw TestFailure("the form did not come, but \(form.page ?? "none"), status \(form.status)")
        }
        return form
    }
}
