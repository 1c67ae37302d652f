import Foundation
import Keyturn
import KeyturnBase
import KeyturnUI
import Testing

@Suite("Flows in views")
@MainActor struct FlowViewTests {
    private let origin = "https://api.example.com"
    private let device = Device(.descope(projectID: "P1", baseURL: "https://api.example.com"))

    @Test func `a view loads the flow, runs its script in the page alone, and listens to every message`() async throws {
        let session = try await device.auth.flows.open(Flow("welcome"))
        let shown = FlowOnScreen(session)
        #expect(shown.addresses == ["\(origin)/login/P1?mobile=true&flow=welcome"])
        #expect(shown.scripts.map(\.isForMainFrameOnly) == [true])
        #expect(shown.scripts[0].source == FlowSession.documentStartScript)
        #expect(shown.handlers == FlowMessage.names.sorted())
        #expect(session.state == .started)
    }

    @Test func `messages reach the flow with their frame and their origin`() async throws {
        let session = try await device.auth.flows.open(Flow("welcome"))
        let shown = FlowOnScreen(session)
        shown.say("ready", "listener", origin: ("https", "ad.example.com", 0))
        shown.say("ready", "listener", origin: ("https", "api.example.com", 0), isMain: false)
        #expect(session.state == .started)
        shown.say("found", ["refreshCookieName": NSNull()], origin: ("https", "api.example.com", 0))
        #expect(shown.evaluated.count == 1)
        shown.say("ready", "listener", origin: ("https", "api.example.com", 0))
        #expect(session.state == .ready)
        shown.say("abort", "", origin: ("https", "api.example.com", 443))
        #expect(session.state == .cancelled)
    }

    @Test func `links that lead away are not followed, and refusals of the server end the flow`() async throws {
        let session = try await device.auth.flows.open(Flow("welcome"))
        let shown = FlowOnScreen(session)
        #expect(await shown.goes(to: "\(origin)/signup", byLink: true))
        #expect(await !shown.goes(to: "https://example.com/terms", byLink: true))
        #expect(await shown.goes(to: "https://example.com/authorize", byLink: false))
        #expect(await !shown.takes(status: 404))
        #expect(session.state == .failed)
        await #expect(throws: AuthError(.unavailable, "")) { try await session.result() }
    }

    @Test func `a load that another one replaced is no failure`() async throws {
        let session = try await device.auth.flows.open(Flow("welcome"))
        let shown = FlowOnScreen(session)
        shown.fails(domain: NSURLErrorDomain, code: -999)
        shown.fails(domain: "WebKitErrorDomain", code: 102)
        #expect(session.state == .started)
        shown.loads()
        shown.fails(domain: NSURLErrorDomain, code: -1009)
        #expect(session.state == .failed)
    }

    @Test func `the web view does not keep its flow`() async throws {
        weak var session: FlowSession?
        do {
            let opened = try await device.auth.flows.open(Flow("welcome"))
            session = opened
            _ = FlowOnScreen(opened)
        }
        #expect(session == nil)
    }
}
