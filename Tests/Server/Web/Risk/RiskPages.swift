import Identity
import KeyturnWire
import Model
import ServerTesting

/// Ways that tests of unusual sign-ins take.
extension TestServer {
    static func startWithNotices(
        countries: CountryDatabase? = nil, journeys: [Journey] = [], trustsForwarding: Bool = false
    ) async throws -> TestServer {
        try await TestServer.start(
            project: {
                Project(
                    id: "test", name: "Test", issuer: $0, journeys: journeys,
                    risk: RiskSettings(countries: countries, notifies: true))
            }, trustsForwarding: trustsForwarding)
    }

    /// Types the password on the login page, from an address of the test.
    @discardableResult
    func enter(
        _ browser: ScriptedBrowser, from address: String? = nil, userAgent: String? = nil,
        _ change: (inout AuthorizationRequest) -> Void = { _ in }
    ) async throws -> ScriptedBrowser.Screen {
        var request = request(TestClients.portal, proof: nil)
        request.prompt = "login"
        change(&request)
        let page = try await authorize(request, in: browser)
        var form = FormParameters()
        for field in page.hiddenFields { form.append(field.name, field.value) }
        form.append("username", TestServer.username)
        form.append("password", TestServer.password)
        var headers: [(String, String)] = []
        if let address { headers.append(("X-Forwarded-For", address)) }
        if let userAgent { headers.append(("User-Agent", userAgent)) }
        return try await browser.post(page.formAction ?? "/login", form, headers: headers)
    }

    func notices() async throws -> [OutgoingMessage] { try await messages(.newSignIn) }

    /// What the audit log says of the newest sign-in: its methods, and what was unusual.
    func newestSignIn() async throws -> [String?] {
        var query = AuditQuery()
        query.limit = 100
        let event = try await services.auditEvents(query).first { $0.kind == .signedIn }
        return [event?.reason, event?.target]
    }
}
