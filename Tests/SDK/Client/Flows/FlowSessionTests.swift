import KeyturnBase
import KeyturnWire
import Testing

@testable import Keyturn

/// A page that only notes what it is told.
@MainActor final class NotingPage: FlowPage {
    var loaded: [String] = []
    var scripts: [String] = []

    func load(_ url: String) { loaded.append(url) }
    func evaluate(_ script: String) { scripts.append(script) }
}

@MainActor final class NotingDelegate: FlowDelegate {
    var words: [String] = []

    func flow(_ session: FlowSession, didChangeTo state: FlowState, from previous: FlowState) {
        words.append("\(previous.rawValue)→\(state.rawValue)")
    }
    func flowDidBecomeReady(_ session: FlowSession) { words.append("ready") }
    func flow(_ session: FlowSession, didInterceptNavigationTo url: String, external: Bool) {
        words.append("\(external ? "window" : "link") \(url)")
    }
    func flow(_ session: FlowSession, didFinishWith response: AuthenticationResponse) {
        words.append("finished \(response.user.userId)")
    }
    func flow(_ session: FlowSession, didFailWith error: AuthError) { words.append(error.code.rawValue) }
    func flowDidCancel(_ session: FlowSession) { words.append("cancelled") }
}

@Suite("Flows: in a view of the app") @MainActor
struct FlowSessionTests {
    let world = MethodWorld()
    let page = NotingPage()
    let delegate = NotingDelegate()

    private func container(_ browser: any BrowserAgent = ProviderBrowser.good) -> Keyturn {
        Keyturn(
            .descope(projectID: "P1", baseURL: FakeMethods.baseURL), name: "default", storage: .custom(world.store),
            browser: browser, transport: world.service, ambient: world.clock.ambient)
    }

    private func started(_ auth: Keyturn, _ options: EmbeddedFlowOptions = .init()) async throws -> FlowSession {
        let flow = try await auth.flows.open(Flow("sign in"), options)
        flow.delegate = delegate
        flow.start(in: page)
        return flow
    }

    private func say(_ flow: FlowSession, _ name: String, _ body: JSONValue = .null) {
        flow.receive(
            FlowMessage(
                name: name, body: body,
                frame: FlowFrame(scheme: "https", host: "id.example.com", port: 443, isMain: true)))
    }

    /// The answer of a service, as its page hands it over.
    private func answer() async throws -> JSONValue {
        let response = try await world.service.send(
            HTTPRequest(
                method: "POST", url: "\(FakeMethods.baseURL)/v1/auth/password/signin",
                headers: [(name: "Authorization", value: "Bearer P1")], body: Array("{}".utf8)))
        return .string(String(decoding: response.body, as: UTF8.self))
    }

    @Test func `a flow ends with the container's session`() async throws {
        let auth = container()
        let flow = try await started(auth)
        #expect(page.loaded == ["\(FakeMethods.baseURL)/login/P1?mobile=true&flow=sign%20in"])
        #expect(auth.flows.current === flow)
        say(flow, "found", [:])
        #expect(page.scripts.count == 1 && page.scripts[0].contains("descopewebauth://redirect"))
        say(flow, "ready", "listener")
        say(flow, "success", try await answer())
        let response = try await flow.result()
        #expect(response.user.userId == "U1")
        #expect(await auth.state == .signedIn(.fresh))
        #expect(
            delegate.words == [
                "initial→started", "started→ready", "ready", "ready→finished", "finished U1",
            ])
        #expect(auth.flows.current == nil)
        flow.cancel()
        #expect(flow.state == .finished)
    }

    @Test func `the system's browser answers a page, and its failure too`() async throws {
        let browser = ProviderBrowser { redirectURI, state throws(AuthError) in
            #expect(state == "" && redirectURI == "descopewebauth://redirect")
            return "\(redirectURI)?code=C%221"
        }
        let flow = try await started(container(browser))
        let ask: JSONValue = [
            "type": "oauthWeb", "payload": ["startUrl": "https://id.example.com/federation?ticket=x"],
        ]
        say(flow, "bridge", ask)
        try await until { page.scripts.count == 1 }
        #expect(page.scripts[0].contains(#"handleResponse("oauthWeb", "{\"exchangeCode\":\"C\\\"1\"}")"#))
        #expect(browser.seen.withLock { $0 } == ["https://id.example.com/federation?ticket=x"])

        let closed = ProviderBrowser { _, _ throws(AuthError) in throw AuthError(.cancelled, "closed") }
        let other = try await started(container(closed))
        say(other, "bridge", ask)
        try await until { page.scripts.count == 2 }
        #expect(page.scripts[1].contains(#"handleResponse("failure", "{\"failure\":\"WebAuthCancelled\"}")"#))
    }

    @Test func `a callback of another address or with a refusal is no code`() throws {
        #expect(try FlowAnswers.code(in: "descopewebauth://redirect?code=abc") == "abc")
        for url in [
            "descopewebauth://redirect.evil?code=abc", "https://id.example.com/?code=abc",
            "descopewebauth://redirect?code=", "descopewebauth://redirect?code=a&code=b", "descopewebauth://redirect",
        ] {
            #expect(throws: AuthError(.callbackMismatch, "")) { try FlowAnswers.code(in: url) }
        }
        #expect(throws: AuthError(.cancelled, "")) {
            try FlowAnswers.code(in: "descopewebauth://redirect?err=access_denied")
        }
    }

    @Test func `cancelling ends it once, and later messages change nothing`() async throws {
        let auth = container()
        let flow = try await started(auth)
        let events = flow.events
        flow.cancel()
        flow.cancel()
        say(flow, "success", try await answer())
        await #expect(throws: AuthError(.cancelled, "")) { try await flow.result() }
        #expect(await auth.state != .signedIn(.fresh))
        #expect(delegate.words == ["initial→started", "started→cancelled", "cancelled"])
        var seen = 0
        for await event in events {
            guard case .cancelled = event else { continue }
            seen += 1
        }
        #expect(seen == 1)
    }

    @Test func `an answer without a session and a page that does not load fail`() async throws {
        let flow = try await started(container())
        say(flow, "success", "{\"sessionJwt\":\"no token\"}")
        await #expect(throws: AuthError(.protocolViolation, "")) { try await flow.result() }
        let other = try await started(container())
        other.didFailToLoad(.status(404))
        let error = await #expect(throws: AuthError.self) { try await other.result() }
        #expect(error?.code == .unavailable && error?.server?.status == 404)
    }

    @Test func `a link goes on with the flow that is shown`() async throws {
        let auth = container()
        let link = "https://id.example.com/link?t=abc"
        let flow = try await started(auth)
        #expect(try await !auth.handle(url: link), "not ready yet")
        say(flow, "ready", "listener")
        #expect(try await auth.handle(url: link))
        #expect(try await !auth.handle(url: "https://evil.example.com/link?t=abc"))
        #expect(
            page.scripts == [
                #"location.origin === "https://id.example.com" && "#
                    + #"window.descopeBridge?.internal.handleResponse("magicLink", "{\"url\":\"https://id.example.com/link?t=abc\"}")"#
            ])
        flow.cancel()
        #expect(try await !auth.handle(url: link))
    }

    @Test func `links that lead away go to the app`() async throws {
        let flow = try await started(container())
        #expect(!flow.mayNavigate(to: "https://example.com/terms", isLink: true))
        #expect(flow.mayNavigate(to: "https://id.example.com/login", isLink: true))
        flow.didAskForWindow("https://example.com/help")
        #expect(delegate.words.suffix(2) == ["link https://example.com/terms", "window https://example.com/help"])
    }

    @Test func `what cannot be a flow is refused before anything is shown`() async throws {
        let auth = container()
        var options = EmbeddedFlowOptions()
        options.clientInputs = ["a": ["nested": 1]]
        await #expect(throws: AuthError(.invalidArgument, "")) { try await auth.flows.open(Flow("a"), options) }
        options.clientInputs = ["a": .string(String(repeating: "x", count: 4_096))]
        await #expect(throws: AuthError(.invalidArgument, "")) { try await auth.flows.open(Flow("a"), options) }
        await #expect(throws: AuthError(.invalidArgument, "")) { try await auth.flows.open(Flow("")) }
        for url in ["http://example.com/flow", "javascript:alert(1)", "example.com"] {
            await #expect(throws: AuthError(.misconfigured, "")) { try await auth.flows.open(Flow(url: url)) }
        }
        await #expect(throws: AuthError(.unsupported, "")) {
            try await auth.flows.start("sign-in", redirectURI: "myapp:/callback")
        }
        let keyturn = Keyturn(
            .keyturn(issuer: FakeMethods.baseURL, clientID: "app"), storage: .memory, transport: world.service)
        var inputs = FlowOptions(redirectURI: "myapp:/callback")
        for wrong: JSONValue in [["nested": 1], .null, .string(String(repeating: "x", count: 1_024))] {
            inputs.clientInputs = ["plan": wrong]
            await #expect(throws: AuthError(.invalidArgument, "")) { try await keyturn.flows.start(Flow("a"), inputs) }
        }
        await #expect(throws: AuthError(.unsupported, "")) { try await keyturn.flows.open(Flow("a")) }
    }

    private func until(_ condition: @MainActor () -> Bool) async throws {
        for _ in 0..<2_000 where !condition() { try await Task.sleep(for: .milliseconds(2)) }
        #expect(condition())
    }
}
