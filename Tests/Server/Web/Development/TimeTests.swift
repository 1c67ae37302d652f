import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@testable import Web

@Suite("Development: a clock that is moved")
struct TimeTests {
    private func start(_ clock: DevelopmentClock) async throws -> TestServer {
        try await TestServer.start(
            demonstration: Demonstration(username: "a", password: "b", clientID: "tool", commands: []),
            movableClock: clock)
    }

    private func move(_ server: TestServer, _ body: String) async throws -> EndpointAnswer {
        try await server.send("POST", "/dev/time", headers: [], body: body)
    }

    @Test func `tokens, keys and the Date of answers move with it`() async throws {
        let clock = DevelopmentClock()
        let server = try await start(clock)
        let before = try await server.get("/dev/time")
        #expect(before.json["ahead_seconds"] == 0 && before.headers["cache-control"] == "no-store")
        let token = try await server.tokens(TestClients.portal)
        #expect(try await server.get("/oauth2/userinfo", token: token.accessToken).status == 200)
        let keys = try await server.get("/oauth2/jwks").body

        #expect(try await move(server, #"{"advance": "9m"}"#).status == 200)
        #expect(try await server.get("/oauth2/userinfo", token: token.accessToken).status == 200)
        let moved = try await move(server, #"{"advance": 120}"#)
        #expect(moved.json["ahead_seconds"] == 660)
        #expect(try await server.get("/oauth2/userinfo", token: token.accessToken).status == 401)
        let refreshed = try await server.refresh(token.refreshToken, TestClients.portal)
        #expect(refreshed.status == 200)

        let target = clock.now + 100 * 86_400
        let far = try await move(server, "{\"at\": \(target.rawValue)}")
        #expect((far.json["now"]?.integerValue ?? 0) - target.rawValue <= 5)
        #expect(far.headers["date"].map { [DateField.text(target), DateField.text(target + 1)].contains($0) } == true)
        #expect(try await server.get("/oauth2/jwks").body != keys, "the keys of that time are there at once")
        let late = try await server.refresh(refreshed.json["refresh_token"]?.stringValue, TestClients.portal)
        #expect(late.error == "invalid_grant", "an idle session is over")
        let again = try await server.tokens(TestClients.portal)
        #expect(try await server.get("/oauth2/userinfo", token: again.accessToken).status == 200)
        await server.stop()
    }

    @Test func `codes run out`() async throws {
        let server = try await start(DevelopmentClock())
        let proof = PKCE(ambient: .live)
        let response = try await server.signIn(TestClients.portal, proof: proof)
        guard case .code(let code) = response.outcome else { throw TestFailure("no code") }
        _ = try await move(server, #"{"advance": "2m"}"#)
        #expect(try await server.redeem(code, TestClients.portal, proof: proof).error == "invalid_grant")
        await server.stop()
    }

    @Test func `the clean-up runs at once`() async throws {
        let server = try await start(DevelopmentClock())
        let rows = {
            try await server.services.stores.grants.grants(
                of: TestServer.subject, limit: 9, at: UnixTime(rawValue: 0))
        }
        _ = try await server.tokens(TestClients.portal)
        #expect(try await rows().count >= 1)
        _ = try await move(server, #"{"advance": "3650d"}"#)
        #expect(try await rows().isEmpty)
        await server.stop()
    }

    @Test(arguments: [
        ("", "send {\"advance\""), ("{}", "send {\"advance\""), ("[1]", "send {\"advance\""),
        (#"{"advance": "1d", "at": 5}"#, "send {\"advance\""), (#"{"forward": 1}"#, "send {\"advance\""),
        (#"{"advance": "soon"}"#, "90s, 15m, 3h, 2d or 1w"), (#"{"advance": ""}"#, "90s, 15m"),
        (#"{"advance": "d"}"#, "90s, 15m"), (#"{"advance": 1.5}"#, "90s, 15m"), (#"{"advance": "-1d"}"#, "90s, 15m"),
        (#"{"advance": "99999999999"}"#, "90s, 15m"), (#"{"at": "tomorrow"}"#, "2030-01-31T12:00:00Z"),
        (#"{"at": true}"#, "2030-01-31T12:00:00Z"), (#"{"at": 0}"#, "time only goes forward, and it is 2"),
        (#"{"advance": -1}"#, "start keyturn dev again"), (#"{"at": -9223372036854775808}"#, "only goes forward"),
        (#"{"at": 9223372036854775807}"#, "at most ten years"), (#"{"advance": 9223372036854775807}"#, "at most ten"),
        (#"{"advance": "3653d"}"#, "at most ten years"), (#"{"at": "9999-12-31T00:00:00Z"}"#, "at most ten years"),
    ])
    func `what is refused says what to send, and moves nothing`(_ body: String, _ hint: String) async throws {
        let server = try await start(DevelopmentClock())
        _ = try await move(server, #"{"advance": 5}"#)
        let answer = try await move(server, body)
        #expect(answer.status == 400 && answer.error == "invalid_request")
        #expect(answer.json["error_description"]?.stringValue?.contains(hint) == true, "\(answer.body)")
        #expect(try await server.get("/dev/time").json["ahead_seconds"] == 5)
        await server.stop()
    }

    @Test func `the boundary is ten years, to the second`() throws {
        let clock = DevelopmentClock()
        try clock.move(.advance(DevelopmentClock.aheadSecondsMax - 1))
        #expect(throws: DevelopmentClock.Problem.tooFar) { try clock.move(.advance(2)) }
        try clock.move(.advance(1))
        #expect(throws: DevelopmentClock.Problem.tooFar) { try clock.move(.advance(1)) }
        let ambient = clock.ambient
        #expect(ambient.now() == clock.now || ambient.now() == clock.now + -1)
        #expect(ambient.uptime() >= DevelopmentClock.aheadSecondsMax, "what measures time moves too")
        #expect(ambient.coarseMilliseconds() >= DevelopmentClock.aheadSecondsMax * 1_000)
    }

    @Test func `a server whose clock is not to be moved has no such address, in development neither`() async throws {
        let server = try await TestServer.start(
            demonstration: Demonstration(username: "a", password: "b", clientID: "tool", commands: []))
        for path in ["/dev/time", "/dev/time/form"] {
            #expect(try await server.send("POST", path, headers: [], body: #"{"advance": 1}"#).status == 404)
        }
        #expect(try await server.get("/dev/time").status == 404)
        #expect(try await !server.browser().open("/").body.contains("name=\"advance\""))
        await server.stop()
    }

    /// Pages of other sites are kept off by what browsers send, also where their name resolves to this machine.
    @Test(arguments: [
        [("Origin", "http://evil.example")], [("Origin", "null")], [("Sec-Fetch-Site", "cross-site")],
        [("Sec-Fetch-Site", "same-site")], [("X-Forwarded-For", "127.0.0.1")],
        [("Origin", "http://rebound.example:8080"), ("Sec-Fetch-Site", "same-origin")],
    ])
    func `only this machine moves it, and no page of another site`(_ headers: [(String, String)]) async throws {
        let server = try await start(DevelopmentClock())
        let answer = try await server.send("POST", "/dev/time", headers: headers, body: #"{"advance": 60}"#)
        #expect(answer.status == 403 && answer.error == "invalid_request" && answer.body.contains("only the machine"))
        #expect(try await server.get("/dev/time").json["ahead_seconds"] == 0)
        await server.stop()
    }

    @Test func `the start page says what time it is, and its form lets time pass`() async throws {
        let clock = DevelopmentClock()
        let server = try await start(clock)
        let browser = server.browser()
        let page = try await browser.open("/")
        #expect(page.page == "home" && page.body.contains("as on this machine"))
        let moved = try await browser.submit(page, ["advance": "3d"])
        #expect(moved.status == 200 && moved.page == "home" && moved.body.contains("Time only goes forward"))
        #expect(clock.aheadSeconds == 3 * 86_400)
        for (text, words) in [("soon", "That is no span of time"), ("999w", "at most ten years")] {
            let refused = try await browser.submit(moved, ["advance": text])
            #expect(refused.status == 422 && refused.body.contains(words))
        }
        let forged = try await server.browser().submit(moved, ["advance": "1d"])
        #expect(forged.page == "error", "another browser's form")
        #expect(clock.aheadSeconds == 3 * 86_400)
        await server.stop()
    }

    @Test(arguments: [
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (-1, "Thu, 01 Jan 1970 00:00:00 GMT"), (4_102_444_799, "Thu, 31 Dec 2099 23:59:59 GMT"),
        (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (951_868_799, "Tue, 29 Feb 2000 23:59:59 GMT"),
        (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"), (1_767_225_599, "Wed, 31 Dec 2025 23:59:59 GMT"),
    ])
    func `the Date field is written as RFC 9110 says`(_ seconds: Int64, _ text: String) {
        #expect(DateField.text(UnixTime(rawValue: seconds)) == text)
    }
}
