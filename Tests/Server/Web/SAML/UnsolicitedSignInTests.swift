import Foundation
import Identity
import KeyturnBase
import KeyturnWire
import Model
import SAML
import ServerTesting
import SignIn
import Synchronization
import Testing

@Suite("A SAML provider begins a sign-in")
struct UnsolicitedSignInTests {
    @Test func `F-39, S-36: it lands in the settings, or at an address that the operator listed, and nowhere else`()
        async throws
    {
        let fixture = try await SAMLFixture.start()
        let hostile = [
            "https://evil.example/", "javascript:alert(1)", "//evil.example", "\\evil.example", "/\\evil.example",
            "/settings/password", "", nil,
        ]
        for (index, state) in hostile.enumerated() {
            let browser = fixture.server.browser()
            let end = try await fixture.post(
                try fixture.response(id: "_a\(index)"), in: browser, relayState: state)
            #expect(end.status == 200 && end.screen?.url.hasSuffix("/settings") == true, "\(state ?? "nil")")
        }
        #expect(try await fixture.sessions("kim") == hostile.count)
        await fixture.server.stop()
        let listed = ["https://app.example/start", "https://app.example/other"]
        let landing = try await SAMLFixture.start { $0.landingURIs = listed }
        for (index, (state, place)) in [
            (listed[1], listed[1]), (listed[0], listed[0]), (nil, listed[0]), (listed[1] + "/", listed[0]),
            ("https://evil.example/", listed[0]),
        ].enumerated() {
            let end = try await landing.post(
                try landing.response(id: "_a\(index)"), in: landing.server.browser(), relayState: state)
            #expect(end.screen?.header("location") == place)
        }
        await landing.server.stop()
    }

    @Test func `S-33: while it is off, an answer to nothing is refused`() async throws {
        let fixture = try await SAMLFixture.start { $0.allowsUnsolicited = false }
        let end = try await fixture.post(try fixture.response(), in: fixture.server.browser())
        #expect(end.status == 400 && end.screen == nil)
        #expect(try await fixture.sessions("kim") == 0)
        await fixture.server.stop()
    }

    @Test func `S-30, S-34: it names no request anywhere, is fresh, of this connection, and signed by its key`()
        async throws
    {
        let fixture = try await SAMLFixture.start()
        let browser = fixture.server.browser()
        for (index, text) in [
            try fixture.response(inResponseTo: "_request"), try fixture.response(confirming: "_request"),
            try fixture.response(issued: -260), try fixture.response(by: SAMLFixture.serverKey), "AAAA", "",
            try fixture.response(at: "other"),
        ].enumerated() {
            #expect(try await fixture.post(text, in: browser).status == 400, "\(index)")
        }
        #expect(try await fixture.sessions("kim") == 0)
        await fixture.server.stop()
    }

    @Test func `S-35, S-53: it counts once, also when the clock was moved back`() async throws {
        let fixture = try await SAMLFixture.start()
        let response = try fixture.response()
        #expect(try await fixture.post(response, in: fixture.server.browser()).status == 200)
        #expect(try await fixture.post(response, in: fixture.server.browser()).status == 400)
        fixture.clock.jump(-50)
        _ = try await fixture.server.services.stores.maintenance.removeExpired(limit: 1_000, at: fixture.clock.now)
        #expect(try await fixture.post(response, in: fixture.server.browser()).status == 400)
        #expect(try await fixture.sessions("kim") == 1)
        await fixture.server.stop()
    }

    @Test func `S-35: of many concurrent posts one signs in`() async throws {
        let fixture = try await SAMLFixture.start()
        let response = try fixture.response()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<12 {
                group.addTask { _ = try await fixture.post(response, in: fixture.server.browser()) }
            }
            try await group.waitForAll()
        }
        #expect(try await fixture.sessions("kim") == 1)
        await fixture.server.stop()
    }

    @Test func `F-39: a form of another site replaces no session of another user`() async throws {
        let fixture = try await SAMLFixture.start()
        let browser = fixture.server.browser()
        #expect(try await fixture.post(try fixture.response("kim"), in: browser).status == 200)
        let before = browser.cookieJar
        let end = try await fixture.post(try fixture.response("mallory", id: "_a2"), in: browser)
        #expect(end.status == 409)
        #expect(try await fixture.sessions("mallory") == 0)
        #expect(browser.cookieJar == before)
        #expect(try await fixture.post(try fixture.response("kim", id: "_a3"), in: browser).status == 200)
        await fixture.server.stop()
    }

    @Test func `S-52: too many at once are told to come again, and a form that is too large is not verified`()
        async throws
    {
        let pool = HashingPool(threads: 1, backlogMax: 0)
        let fixture = try await SAMLFixture.start(pool: pool)
        let (started, gate) = (Signal(), Signal())
        let work = Task {
            try await pool.run {
                started.raise()
                gate.wait()
            }
        }
        await started.wait()
        let response = try fixture.response()
        let busy = try await fixture.server.send(
            "POST", "/saml/acme/acs", headers: [("Content-Type", "application/x-www-form-urlencoded")],
            body: FormParameters(["SAMLResponse": response]).encoded)
        #expect(busy.status == 503 && busy.headers["retry-after"] != nil)
        let large = try await fixture.server.send(
            "POST", "/saml/acme/acs", headers: [("Content-Type", "application/x-www-form-urlencoded")],
            body: "SAMLResponse=" + String(repeating: "A", count: Limits.providerAnswerBytesMax))
        #expect(large.status == 413)
        gate.raise()
        try await work.value
        // The thread is free a moment after its work has answered.
        var status = 503
        while status == 503 { status = try await fixture.post(response, in: fixture.server.browser()).status }
        #expect(status == 200)
        await fixture.server.stop()
    }
}

/// Raised once; a thread or a task waits for it.
private final class Signal: Sendable {
    private let isRaised = Mutex(false)

    func raise() { isRaised.withLock { $0 = true } }

    func wait() {
        while !isRaised.withLock({ $0 }) { sched_yield() }
    }

    func wait() async {
        while !isRaised.withLock({ $0 }) { await Task.yield() }
    }
}
