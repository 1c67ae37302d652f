import Foundation
import Identity
import Keyturn
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

/// A person who fills in a journey's form after the password.
private struct PersonInJourney: BrowserAgent {
    let browser: ScriptedBrowser
    let opened = Locked<[String]>([])
    /// The first tag of each first page.
    let looks = Locked<[String]>([])
    /// The pages that were seen.
    let steps = Locked<[String]>([])

    func prepare(redirectURI: String) async throws(AuthError) -> any WebAuthenticationSession {
        Session(redirectURI: redirectURI, person: self)
    }

    struct Session: WebAuthenticationSession {
        let redirectURI: String
        let person: PersonInJourney

        func open(_ url: String, state: String) async throws(AuthError) -> String {
            person.opened.withLock { $0.append(url) }
            do {
                let pages = FlowPages(person.browser)
                let first = try await person.browser.open(url)
                person.looks.withLock { $0.append(String(first.body.prefix(200))) }
                let next = try await pages.pastPassword(first)
                person.steps.withLock { $0 = [first.page, next.page].compactMap(\.self) }
                return try await pages.pastForm(next).header("location") ?? ""
            } catch {
                throw AuthError(.cancelled, "\(error)")
            }
        }

        func close() async {}
    }
}

/// A web view that runs the pages of a flow: what a page's script would do, it does.
@MainActor private final class ViewOfTest: FlowPage {
    let browser: ScriptedBrowser
    weak var flow: FlowSession?
    private(set) var scripts: [String] = []

    init(_ browser: ScriptedBrowser) {
        self.browser = browser
    }

    func load(_ url: String) {}
    func evaluate(_ script: String) { scripts.append(script) }

    /// - Parameter origin: of the server, whose page it is.
    func say(_ name: String, _ body: JSONValue = .null, at origin: String) {
        let port = Int(origin.split(separator: ":").last ?? "") ?? 0
        flow?.receive(
            FlowMessage(
                name: name, body: body, frame: FlowFrame(scheme: "http", host: "127.0.0.1", port: port, isMain: true)))
    }
}

@Suite("End to end: flows")
struct FlowEndToEndTests {
    private let callback = "http://127.0.0.1:49152/callback"

    @Test func `a flow in the browser asks for what the journey collects, and signs in`() async throws {
        let server = try await TestServer.start(project: FlowPages.project)
        let person = PersonInJourney(browser: server.browser())
        let auth = Keyturn(
            .keyturn(issuer: server.issuer, clientID: "tool"), storage: .memory, browser: person,
            transport: DatedTransport(server.clock), ambient: server.clock.ambient)
        var options = FlowOptions(redirectURI: callback)
        options.uiLocales = ["de"]
        options.colorScheme = .dark
        let result = try await auth.flows.start(Flow("welcome"), options)
        #expect(result.userInfo.subject == TestServer.subject.rawValue)
        #expect(await auth.state == .signedIn(.fresh))
        // The request was pushed: the address names it, and the page looks as it says.
        let url = try #require(person.opened.withLock { $0 }.first)
        #expect(url.contains("request_uri=") && !url.contains("journey="))
        let look = try #require(person.looks.withLock { $0 }.first)
        #expect(look.contains("lang=\"de\"") && look.contains("data-theme=\"dark\""))
        let account = try #require(try await server.services.stores.users.account(TestServer.subject))
        #expect(account.user.attributes["team"] == "Blue")
        await server.stop()
    }

    @Test func `an unknown flow is refused, and nobody is signed in`() async throws {
        let server = try await TestServer.start(project: FlowPages.project)
        let auth = Keyturn(
            .keyturn(issuer: server.issuer, clientID: "tool"), storage: .memory,
            browser: PersonInJourney(browser: server.browser()),
            transport: DatedTransport(server.clock), ambient: server.clock.ambient)
        let error = await #expect(throws: AuthError.self) {
            try await auth.flows.start("none", redirectURI: callback)
        }
        #expect(error?.code == .refused && error?.server?.code == "invalid_request")
        #expect(await auth.state != .signedIn(.fresh))
        await server.stop()
    }

    @MainActor @Test func `what the app says leads to a step, in the browser and in a view`() async throws {
        let server = try await TestServer.start(project: FlowPages.projectOfPlans)
        server.clock.advance(1)
        for (plan, isAsked) in [("team", true), ("solo", false)] {
            var embedded = EmbeddedFlowOptions()
            embedded.clientInputs = ["plan": .string(plan), "seats": 3]
            let flow = try await server.app().flows.open(Flow("plans"), embedded)
            let browser = server.browser()
            let login = try await browser.open(flow.url)
            let next = try await FlowPages(browser).pastPassword(login)
            #expect(next.page == (isAsked ? "journey-step" : "flow-end"))

            let person = PersonInJourney(browser: server.browser())
            let auth = Keyturn(
                .keyturn(issuer: server.issuer, clientID: "tool"), storage: .memory, browser: person,
                transport: DatedTransport(server.clock), ambient: server.clock.ambient)
            var options = FlowOptions(redirectURI: callback)
            options.clientInputs = embedded.clientInputs
            #expect(try await auth.flows.start(Flow("plans"), options).userInfo.subject == TestServer.subject.rawValue)
            #expect(person.steps.withLock { $0 } == (isAsked ? ["login", "journey-step"] : ["login"]))
        }
        await server.stop()
    }

    @MainActor @Test func `a flow in a view ends with the container's session`() async throws {
        let server = try await TestServer.start(project: FlowPages.project)
        server.clock.advance(1)
        let auth = server.app()
        let view = ViewOfTest(server.browser())
        let flow = try await auth.flows.open(Flow("welcome"))
        view.flow = flow
        flow.start(in: view)
        let end = try await FlowPages(view.browser).signIn(flow.url)
        #expect(end.page == "flow-end")
        view.say("found", at: server.issuer)
        view.say("ready", "listener", at: server.issuer)
        #expect(view.scripts.count == 1)
        let result = try await view.browser.submit(end, [:])
        view.say("success", .string(result.body), at: server.issuer)
        let response = try await flow.result()
        #expect(response.user.userId == TestServer.subject.rawValue && !response.isFirstAuthentication)
        #expect(await auth.state == .signedIn(.fresh))
        server.clock.advance(601)
        _ = try await auth.accessToken()
        try await auth.logout()
        await server.stop()
    }
}
