import Identity
import KeyturnBase
import KeyturnWire
import Model
import OAuth
import ServerTesting
import SignIn
import Synchronization
import Testing

/// A server with journeys, a provider that says what the test wants, and a service that is asked.
struct JourneyFixture {
    let server: TestServer
    let provider: ScriptedProvider
    let service: ScriptedService

    static let several = "urn:keyturn:acr:mfa"

    static func start(
        _ journeys: [Journey], connections: [Connection] = [.scripted()], issuer: String? = nil
    ) async throws -> JourneyFixture {
        let provider = ScriptedProvider(.person())
        let service = ScriptedService()
        let server = try await TestServer.start(
            issuer: issuer, project: { Project(id: "test", name: "Test", issuer: $0, journeys: journeys) },
            connections: connections,
            protocols: ConnectionProtocols(openID: provider), journeyCalls: service)
        for id in ["north", "south"] {
            try await server.services.stores.tenants.create(
                Tenant(id: id, name: "Team \(id)", createdAt: server.clock.now))
        }
        try await server.services.directory.reload()
        return JourneyFixture(server: server, provider: provider, service: service)
    }

    /// The first page of a journey.
    func open(
        _ journey: String, _ browser: ScriptedBrowser, proof: PKCE? = nil, prompt: String? = nil, inputs: String? = nil
    ) async throws -> ScriptedBrowser.Screen {
        try await server.loginPage(browser, proof: proof) {
            $0.extra.append("journey", journey)
            $0.extra.append("journey_inputs", inputs)
            $0.prompt = prompt
        }
    }

    /// Signs in with the password on the first page.
    func passPassword(_ page: ScriptedBrowser.Screen, _ browser: ScriptedBrowser) async throws
        -> ScriptedBrowser.Screen
    {
        try await browser.submit(page, ["username": TestServer.username, "password": TestServer.password])
    }

    func error(_ screen: ScriptedBrowser.Screen) throws -> OAuthProblem.Code? {
        guard case .refused(let problem) = try TestServer.callback(screen)?.outcome else { return nil }
        return problem.code
    }

    func join(_ tenants: [String]) async throws {
        _ = try await server.services.stores.users.change(TestServer.subject, at: server.clock.now) { account in
            for tenant in tenants { account.memberships.tenants[tenant] = [] }
        }
    }
}

/// A service of an operator that answers what the test wants.
final class ScriptedService: JourneyCaller {
    let answer = Mutex<String?>("good")
    let calls = Mutex<[(body: JSONValue, key: String)]>([])

    func outcome(of call: JourneyCall, body: JSONValue, key: String) async -> String? {
        calls.withLock { $0.append((body, key)) }
        return answer.withLock { $0 }
    }
}

/// Journeys of the tests.
extension Journey {
    static let profile = Journey(
        name: "profile", contextClass: "urn:example:known",
        steps: [
            JourneyStep("who", .identify(allowsSignUp: true), next: "first"),
            JourneyStep("first", .prove(JourneyProof()), next: "about"),
            JourneyStep(
                "about",
                .collect(
                    JourneyForm([
                        JourneyField(
                            "company", isClaim: false, .text(length: 2...40, mask: nil),
                            label: LocalizedText(["en": "Company", "de": "Firma"])),
                        JourneyField(
                            "birthdate", isClaim: true, .date(minimumAge: 18), label: LocalizedText(["en": "Born"])),
                        JourneyField(
                            "size", isClaim: false, .number(within: 1...9), isRequired: false,
                            label: LocalizedText(["en": "Size"])),
                    ])), next: "terms", title: LocalizedText(["en": "About your company", "de": "Ihre Firma"])),
            JourneyStep(
                "terms", .accept(JourneyDocument(name: "terms", version: "2", uri: "https://example.com/terms")),
                next: "team"),
            JourneyStep("team", .chooseTenant, next: "end"), JourneyStep("end", .done),
        ])
    static let payment = Journey(
        name: "payment", contextClass: "urn:example:payment",
        steps: [
            JourneyStep("first", .prove(JourneyProof()), next: "second"),
            JourneyStep("second", .stepUp(JourneyProof([.totp], maxAgeSeconds: 300)), next: "end"),
            JourneyStep("end", .done),
        ])
    static let withoutPassword = Journey(
        name: "without-password",
        steps: [
            JourneyStep("who", .identify(allowsSignUp: false), next: "first"),
            JourneyStep("first", .prove(JourneyProof([.passkey, .email])), next: "end"), JourneyStep("end", .done),
        ])
    static let byDomain = Journey(
        name: "by-domain",
        steps: [
            JourneyStep("who", .identify(allowsSignUp: true), next: "route"),
            JourneyStep(
                "route", .decide([JourneyBranch(when: .domain(["example.com"]), next: "acme")]), next: "own"),
            JourneyStep("acme", .prove(JourneyProof(connections: ["acme"])), next: "end"),
            JourneyStep("own", .prove(JourneyProof([.password])), next: "end"), JourneyStep("end", .done),
        ])
    static let checked = Journey(
        name: "checked",
        steps: [
            JourneyStep("first", .prove(JourneyProof()), next: "fraud"),
            JourneyStep(
                "fraud",
                .call(
                    JourneyCall(
                        uri: "https://example.com/check", secret: Secret("secret"), outcomes: ["good": "end"],
                        failed: "no"))),
            JourneyStep("no", .refuse, text: LocalizedText(["en": "Ask your bank."])), JourneyStep("end", .done),
        ])
    /// Asks a team for its size, members of the north for the terms, and old sessions for a second factor.
    static let conditional = Journey(
        name: "conditional",
        steps: [
            JourneyStep("first", .prove(JourneyProof()), next: "size"),
            JourneyStep(
                "size",
                .collect(
                    JourneyForm([
                        JourneyField(
                            "size", isClaim: false, .number(within: 1...9), label: LocalizedText(["en": "Size"]))
                    ])), when: .input("plan", ["team", "3", "true"]), next: "terms"),
            JourneyStep(
                "terms", .accept(JourneyDocument(name: "north", version: "1", uri: "https://example.com/north")),
                when: .tenant(["north"]), next: "no"),
            JourneyStep("no", .refuse, when: .olderThan(seconds: 600), next: "end"), JourneyStep("end", .done),
        ])
    static let newcomers = Journey(
        name: "newcomers",
        steps: [
            JourneyStep("join", .create(JourneyProof([.email]), allowsSignIn: false), next: "connect"),
            JourneyStep("connect", .link(JourneyLink(["acme"], isRequired: false)), next: "end"),
            JourneyStep("end", .done),
        ])
    static let connected = Journey(
        name: "connected",
        steps: [
            JourneyStep("first", .prove(JourneyProof([.password])), next: "connect"),
            JourneyStep("connect", .link(JourneyLink(["acme"])), next: "end"), JourneyStep("end", .done),
        ])
}
